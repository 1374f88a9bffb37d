/** GET /healthz and /readyz (contract part 3): the server runs, and it can store writes. */

import { jsonResponse, noCache, type Response } from "../http/response.ts";
import type { Operation, Route } from "../http/route.ts";
import { Problem } from "../problems/problem.ts";
import { closedObject } from "../resources/field.ts";
import { StoreError } from "../store/store-error.ts";
import { json, serviceTag, text } from "./openapi-info.ts";
import type { Services } from "./services.ts";

export function healthRoutes(services: Services): readonly Route[] {
  const get = { method: "GET", rule: "anyone", isUnlimited: true } as const;
  return [
    { ...get, path: "/healthz", handle: () => status("alive"), operation: health },
    { ...get, path: "/readyz", handle: () => readiness(services), operation: ready },
  ];
}

/** Rejects with Problem 503 if a write would fail. */
async function readiness({ store }: Services): Promise<Response> {
  try {
    await store.requireWritable();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new Problem("storage-unavailable", `writes cannot be stored: ${error.message}`, {
      headers: { "Retry-After": "10" },
    });
  }
  return status("ready");
}

function status(word: string): Response {
  return jsonResponse(200, JSON.stringify({ status: word }), noCache);
}

const health: Operation = {
  id: "getHealth",
  tag: serviceTag,
  summary: "Whether the server runs",
  description: "Never rate limited. It does not look at the disk.",
  success: statusResponse("alive"),
};

const ready: Operation = {
  id: "getReadiness",
  tag: serviceTag,
  summary: "Whether writes can be stored",
  description: "Never rate limited. 503 while the disk takes no writes.",
  success: statusResponse("ready"),
  problems: ["storage-unavailable"],
};

function statusResponse(word: string): Operation["success"] {
  const schema = { $component: "schemas/Status", ...closedObject({ status: text }) };
  return { description: `\`${word}\`.`, content: json(schema) };
}
