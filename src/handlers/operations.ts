/** What the service says of itself: the index, and whether it is alive and ready. */

import { jsonReply, noCache, type Reply } from "../http/reply.ts";
import type { AnswerDescription, Route, Tag } from "../http/route.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { closedObject } from "../pizzeria/schemas.ts";
import { Problem } from "../problems/problem.ts";
import { version } from "../settings.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store } from "../store/store.ts";

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
    {
      ...get,
      path: "/api",
      handle: () => jsonReply(200, index, noCache),
      operation: {
        id: "getIndex",
        tag: serviceTag,
        summary: "Where everything is",
        description: "The service's name and version, and the paths of what it has.",
        answers: { 200: { description: "The index.", content: { [json]: indexSchema } } },
      },
    },
    {
      ...get,
      path: "/healthz",
      isUnlimited: true,
      handle: () => status("alive"),
      operation: {
        id: "getHealth",
        tag: serviceTag,
        summary: "Whether the service is alive",
        description: "Never limited. Says nothing of the disk.",
        answers: { 200: statusAnswer("alive") },
      },
    },
    {
      ...get,
      path: "/readyz",
      isUnlimited: true,
      handle: () => readiness(options),
      operation: {
        id: "getReadiness",
        tag: serviceTag,
        summary: "Whether writes would be stored",
        description: "Never limited. 503 while the disk takes no writes, and during the shutdown.",
        answers: { 200: statusAnswer("ready") },
        problems: ["storage-unavailable"],
      },
    },
  ];
}

/** What the service says of itself, and what staff get from it. */
export const serviceTag: Tag = { name: "service", description: "The service itself." };

const json = "application/json";

const indexSchema = closedObject({
  name: { type: "string" },
  version: { type: "string" },
  links: { type: "object", additionalProperties: { type: "string", format: "uri-reference" } },
});

function statusAnswer(status: string): AnswerDescription {
  const schema = closedObject({ status: { type: "string", const: status } });
  return { description: `It is ${status}.`, content: { [json]: schema } };
}

/** The links of the index, by name. */
function linksOf(
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
