/**
 * The service describes itself (contract part 3): GET /api links to everything it has,
 * /openapi.json describes it, /problems explains its errors, /healthz and /readyz say whether it
 * runs and can store writes. The texts of the description and the problems are files in data/.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, version } from "../files.ts";
import { conditional, strongTag } from "../http/etag.ts";
import { jsonResponse, jsonType, noCache, type Response } from "../http/response.ts";
import type { Route } from "../http/router.ts";
import { Problem } from "../problems/problem.ts";
import type { Kind } from "../resources/kind.ts";
import { menuKinds } from "../resources/menu.ts";
import { orders } from "../resources/order.ts";
import { shops } from "../resources/shop.ts";
import type { Settings } from "../settings.ts";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import type { Services } from "./services.ts";
import { describe, type Source } from "./description.ts";

export function documentRoutes({ settings, store }: Services): readonly Route[] {
  const index = indexResponse(settings);
  const description = descriptionResponse();
  const problems =
    documentResponse(readFileSync(join(folder, "problems.txt")), "text/plain; charset=utf-8");
  const get = { method: "GET", rule: "anyone" } as const;
  const health = { ...get, isUnlimited: true } as const;
  return [
    { ...get, path: "/api", handle: () => index },
    { ...get, path: "/openapi.json", handle: ({ headers }) => conditional(description, headers) },
    { ...get, path: "/problems", handle: ({ headers }) => conditional(problems, headers) },
    { ...health, path: "/healthz", handle: () => statusResponse("alive") },
    { ...health, path: "/readyz", handle: () => readiness(store) },
  ];
}

function indexResponse({ guestOrders }: Settings): Response {
  const index = {
    name: "Forno",
    version,
    promises:
      "Within a major version, paths, fields and file formats only gain members: see " +
      "data/CHANGELOG.md.",
    guestOrders: guestOrders !== null,
    links: {
      ...Object.fromEntries(
        [...collections, shops].map(({ name }) => [name, `/api/${name}`]),
      ),
      events: "/api/events",
      backup: "/api/backup",
      devices: "/api/devices",
      tokens: "/api/tokens",
      description: "/openapi.json",
      problems: "/problems",
      health: "/healthz",
      readiness: "/readyz",
      metrics: "/metrics",
      orderPage: "/",
      board: "/board",
    },
  };
  return jsonResponse(200, JSON.stringify(index), noCache);
}

/** The kinds that have a list. */
const collections: readonly Kind[] = [...menuKinds, orders];

/** The same from dist/api and from src/api. */
const folder = join(import.meta.dirname, "../../data");

/** Throws SettingsError if data/openapi.json is not JSON. */
function descriptionResponse(): Response {
  // The project's own file: the tests look at all of it.
  const source = readJson(join(folder, "openapi.json")) as Source;
  const document = describe(source, collections, shops);
  return documentResponse(Buffer.from(`${JSON.stringify(document, null, 2)}\n`), jsonType);
}

function documentResponse(body: Uint8Array, type: string): Response {
  return { status: 200, type, etag: strongTag(body), headers: noCache, body };
}

/** Rejects with Problem 503 if a write would fail. */
async function readiness(store: Store): Promise<Response> {
  try {
    await store.requireWritable();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new Problem("storage-unavailable", `writes cannot be stored: ${error.message}`, {
      headers: { "Retry-After": "10" },
    });
  }
  return statusResponse("ready");
}

function statusResponse(status: string): Response {
  return jsonResponse(200, JSON.stringify({ status }), noCache);
}
