/**
 * GET /openapi.json. The document, and the modules that make it, are loaded when it is first asked
 * for: few ever ask, and they would be a fifth of the start.
 */

import { serviceTag } from "../handlers/operations.ts";
import { conditional, ifNoneMatch, notModified, strongTag, type Tagged } from "../http/etag.ts";
import { jsonType, noCache } from "../http/reply.ts";
import type { Route } from "../http/route.ts";

/** The route, which describes all the others and itself. */
export function descriptionRoute(others: readonly Route[]): Route {
  let described: Promise<Tagged> | undefined;
  const route: Route = {
    method: "GET",
    path: "/openapi.json",
    rule: "anyone",
    async handle({ fields }) {
      described ??= describe([...others, route]).catch((error: unknown) => {
        // For want of a file handle, say: the next one may find it.
        described = undefined;
        throw error;
      });
      return conditional(await described, fields);
    },
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
          content: { "application/json": documentSchema },
        },
        304: notModified,
      },
    },
  };
  return route;
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

async function describe(routes: readonly Route[]): Promise<Tagged> {
  const { describeRoutes } = await import("./document.ts");
  const json = JSON.stringify(describeRoutes(routes));
  const etag = strongTag(json);
  const body = Buffer.from(`${json}\n`);
  return { status: 200, type: jsonType, head: noCache, etag, body };
}
