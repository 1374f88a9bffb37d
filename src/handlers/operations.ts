/** What the service says of itself: the index, and whether it is alive and ready. */

import { jsonReply, noCache, type Reply } from "../http/reply.ts";
import { Problem } from "../problems/problem.ts";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import type { Kind } from "../pizzeria/kind.ts";
import type { Route } from "../http/route.ts";
import { version } from "../http/version.ts";

export interface OperationsOptions {
  readonly kinds: readonly Kind[];
  readonly store: Store;
  /** Whether strangers can have a token: the order page looks for the link. */
  readonly guestOrders: boolean;
  /** False once the server is shutting down. */
  readonly isServing: () => boolean;
}

/** GET /api, /healthz and /readyz. */
export function operationsRoutes(options: OperationsOptions): readonly Route[] {
  const index = JSON.stringify({
    name: "Forno",
    version,
    links: linksOf(options.kinds, options.guestOrders),
  });
  const get = { method: "GET", rule: "anyone" } as const;
  return [
    { ...get, path: "/api", handle: () => jsonReply(200, index, noCache) },
    { ...get, path: "/healthz", isUnlimited: true, handle: () => status("alive") },
    { ...get, path: "/readyz", isUnlimited: true, handle: () => readiness(options) },
  ];
}

/** The links of the index, by name. */
export function linksOf(
  kinds: readonly Kind[],
  guestOrders: boolean,
): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(kinds.map(({ name }) => [name, `/api/${name}`])),
    shop: "/api/shop",
    events: "/api/events",
    description: "/openapi.json",
    health: "/healthz",
    readiness: "/readyz",
    orderPage: "/",
    board: "/board",
    ...(guestOrders ? { tokens: "/api/tokens" } : {}),
  };
}

function status(word: string): Reply {
  return jsonReply(200, JSON.stringify({ status: word }), noCache);
}

/** 200 when a write would be stored. Rejects with Problem 503 when not. */
async function readiness({ store, isServing }: OperationsOptions): Promise<Reply> {
  if (!isServing()) throw new Problem("storage-unavailable", "the server is shutting down");
  try {
    await store.requireWritable();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new Problem("storage-unavailable", `no write can be stored: ${error.message}`, {
      headers: { "Retry-After": "10" },
    });
  }
  return status("ready");
}
