/**
 * GET /openapi.json: the service as it is set up, as OpenAPI 3.1 (contract part 3).
 *
 * The document is made of the rows that the service itself runs on: its routes, its kinds with the
 * schemas beside their guards, its problem types. A route that no row describes stops the start,
 * and what has no route is not described.
 */

import { ifNoneMatchHolds, strongTag } from "../http/etag.ts";
import { jsonReply } from "../http/reply.ts";
import type { Kind } from "./kind.ts";
import { Components } from "./openapi-components.ts";
import { eventOperations } from "./openapi-events.ts";
import { info, securitySchemes, tags } from "./openapi-info.ts";
import {
  describeHead,
  describeOperation,
  describeOptions,
  type OperationContext,
  type OperationRow,
  type OperationRows,
} from "./openapi-operation.ts";
import { pageOperations } from "./openapi-pages.ts";
import { resourceOperations } from "./openapi-resources.ts";
import { guestOperations, serviceOperations, staffOperations } from "./openapi-service.ts";
import type { Route } from "./request.ts";

export interface OpenapiOptions {
  readonly kinds: readonly Kind[];
  readonly orderReads: "public" | "authenticated" | "own";
  readonly bodyLimit: number;
  readonly guestOrders: boolean;
  readonly corsOrigins: readonly string[] | "*" | null;
}

/** The route, and all the others with it, described. Throws on one that it knows nothing of. */
export function openapiRoutes(others: readonly Route[], options: OpenapiOptions): readonly Route[] {
  const route: Route = { method: "GET", path: "/openapi.json", rule: "anyone", handle: answer };
  const json = JSON.stringify(describeService([...others, route], options));
  const tag = strongTag(json);
  const reply = jsonReply(200, json, ["Cache-Control", "no-cache", "ETag", tag]);
  const bytes = Buffer.from(`${json}\n`);
  // Without Content-Type, which stands first.
  const notModified = { status: 304, headers: reply.headers.slice(2) };

  function answer({ fields }: Parameters<Route["handle"]>[0]): ReturnType<Route["handle"]> {
    return ifNoneMatchHolds(fields.ifNoneMatch, tag) ? { ...reply, body: bytes } : notModified;
  }

  return [route];
}

/** The document. Throws on a route that no row describes. */
export function describeService(routes: readonly Route[], options: OpenapiOptions): object {
  const components = new Components();
  const context = { ...options, components };
  const rows: OperationRows = {
    ...Object.assign({}, ...options.kinds.map((kind) => resourceOperations(kind, context))),
    ...serviceOperations(context),
    ...staffOperations(context),
    ...eventOperations(components),
    ...pageOperations(components),
    ...guestOperations(),
  };
  const paths = describePaths(routes, rows, contextOf(components, options));
  const used = new Set(routes.map((route) => rowOf(route, rows).tag));
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/", description: "The server that this description comes from." }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: { ...components.toJSON(), securitySchemes },
  };
}

function contextOf(components: Components, { corsOrigins }: OpenapiOptions): OperationContext {
  const cors = corsOrigins !== null;
  const exposing = ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers"];
  const standing = ["X-Request-Id", "X-Content-Type-Options", ...(cors ? exposing : [])];
  return {
    components,
    standing: cors && corsOrigins !== "*" ? [...standing, "Vary"] : standing,
    cors,
  };
}

function describePaths(
  routes: readonly Route[],
  rows: OperationRows,
  context: OperationContext,
): Readonly<Record<string, object>> {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const described = paths.map((path) => {
    const here = routes.filter((route) => route.path === path);
    const operations = here.flatMap((route) => {
      const row = rowOf(route, rows);
      const own = [[route.method.toLowerCase(), describeOperation(row, route, context)]];
      return route.method === "GET" ? [...own, ["head", describeHead(row, route, context)]] : own;
    });
    const [first] = here;
    if (first === undefined) throw new Error("a path comes from a route");
    const row = rowOf(first, rows);
    const parameters = row.pathParameters && { parameters: row.pathParameters };
    const options = describeOptions(row, here, context);
    const item = { ...parameters, ...Object.fromEntries(operations), options };
    return [path.replace(/:(\w+)/, "{$1}"), item];
  });
  return Object.fromEntries(described);
}

function rowOf({ method, path }: Route, rows: OperationRows): OperationRow {
  const row = rows[`${method} ${path}`];
  if (row === undefined) throw new Error(`the description has no row for ${method} ${path}`);
  return row();
}
