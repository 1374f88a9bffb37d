/**
 * What the service says of itself: where everything is, whether it is alive and ready; what it has
 * counted, what its errors mean, and its description. The last three are made by modules that no
 * start waits for.
 */

import {
  conditional,
  ifNoneMatch,
  notModified,
  strongTag,
  type Tagged,
  taggedJson,
} from "../http/etag.ts";
import { type Answer, jsonAnswer, noCache } from "../http/answer.ts";
import type { AnswerDescription, Route, Tag } from "../http/route.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Kind } from "../resources/kind.ts";
import { closedObject } from "../resources/schemas.ts";
import { problemTypes } from "../problems/problem-types.ts";
import { Problem } from "../problems/problem.ts";
import { version } from "../settings.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store } from "../store/store.ts";

export interface OperationsOptions {
  readonly kinds: readonly Kind[];
  readonly store: Store;
  readonly metrics: Metrics;
  /** Whether strangers can have a token: the order page looks for the link. */
  readonly guestOrders: boolean;
  /** False once the server is shutting down. */
  readonly isServing: () => boolean;
}

/** What the service says of itself, and what staff get from it. */
export const serviceTag: Tag = { name: "service", description: "The service itself." };

const get = { method: "GET", rule: "anyone" } as const;
const json = "application/json";
const text = { type: "string" };

const problemPages = () => import("./problem-pages.ts");
const metricsPage = () => import("./metrics.ts");
const description = () => import("./openapi.ts");

/**
 * Loads what no start has waited for. When it is first asked for, there may be no file handle left,
 * which an import does not get over, or a newer build in its place.
 */
export async function loadTheRest(): Promise<void> {
  await Promise.all([problemPages(), metricsPage(), description()]);
}

/** GET /problems/{type}, /api, /healthz, /readyz and /metrics. */
export function operationsRoutes(options: OperationsOptions): readonly Route[] {
  const index = JSON.stringify({ name: "Forno", version, links: linksOf(options) });
  return [
    {
      ...get,
      path: "/problems/:type",
      vary: "Accept",
      handle: async (request) => (await problemPages()).problemPage(request),
      operation: {
        id: "getProblemType",
        tag: serviceTag,
        summary: "What an error means",
        description:
          "What a problem of this type means, and what to do: HTML for a browser, else text.",
        parameters: [
          {
            name: "type",
            in: "path",
            required: true,
            description: "The last part of a problem's `type`.",
            schema: { type: "string", enum: Object.keys(problemTypes) },
          },
          ifNoneMatch,
        ],
        answers: {
          200: {
            description: "The page.",
            headers: ["ETag", "Content-Security-Policy"],
            content: { "text/plain": text, "text/html": text },
          },
          304: { ...notModified, headers: ["ETag", "Content-Security-Policy"] },
        },
        problems: ["not-found"],
      },
    },
    {
      ...get,
      path: "/api",
      handle: () => jsonAnswer(200, index, noCache),
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
    {
      ...get,
      path: "/metrics",
      rule: "reader",
      handle: async () => (await metricsPage()).metricsAnswer(options),
      operation: {
        id: "getMetrics",
        tag: serviceTag,
        summary: "What has been counted",
        description:
          "For Prometheus: requests by route and status, their latency, the store, its disk, the " +
          "process.",
        answers: { 200: { description: "Text format 0.0.4.", content: { "text/plain": text } } },
      },
    },
  ];
}

/** GET /openapi.json. `routes`: all that there are when it is first asked for. */
export function descriptionRoute(routes: readonly Route[]): Route {
  let document: Tagged | undefined;
  return {
    ...get,
    path: "/openapi.json",
    handle: async ({ headers }) =>
      conditional((document ??= await describe(routes)), headers),
    operation: {
      id: "getDescription",
      tag: serviceTag,
      summary: "This description",
      description: "OpenAPI 3.1, of the service as it is set up.",
      parameters: [ifNoneMatch],
      answers: {
        200: {
          description: "An OpenAPI document.",
          headers: ["ETag"],
          content: { [json]: documentSchema },
        },
        304: notModified,
      },
    },
  };
}

async function describe(routes: readonly Route[]): Promise<Tagged> {
  const { describeRoutes } = await description();
  const document = JSON.stringify(describeRoutes(routes));
  return taggedJson(200, document, strongTag(document), noCache);
}

const documentSchema = {
  type: "object",
  required: ["openapi", "info", "paths"],
  properties: {
    openapi: { type: "string", const: "3.1.0" },
    info: { type: "object", additionalProperties: true },
    paths: { type: "object", additionalProperties: true },
  },
  additionalProperties: true,
};

const indexSchema = closedObject({
  name: text,
  version: text,
  links: { type: "object", additionalProperties: { type: "string", format: "uri-reference" } },
});

function statusAnswer(word: string): AnswerDescription {
  const schema = closedObject({ status: { type: "string", const: word } });
  return { description: `It is ${word}.`, content: { [json]: schema } };
}

/** The links of the index, by name. */
function linksOf({ kinds, guestOrders }: OperationsOptions): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(kinds.map(({ name }) => [name, `/api/${name}`])),
    shop: "/api/shop",
    events: "/api/events",
    description: "/openapi.json",
    health: "/healthz",
    readiness: "/readyz",
    orderPage: "/",
    board: "/board",
    ...(guestOrders && { tokens: "/api/tokens" }),
  };
}

function status(word: string): Answer {
  return jsonAnswer(200, JSON.stringify({ status: word }), noCache);
}

/** 200 when a write would be stored. Rejects with Problem 503 when not. */
async function readiness({ store, isServing }: OperationsOptions): Promise<Answer> {
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
