/**
 * The service as it is set up, as an OpenAPI 3.1 document (contract part 3).
 *
 * The document is made of the rows that the service itself runs on: its routes, its kinds with the
 * schemas beside their guards, its problem types. A route that no row describes is an error, which
 * a test looks for, and what has no route is not described.
 */

import type { OrderReads } from "../auth/access.ts";
import type { Kind } from "../pizzeria/kind.ts";
import type { Route } from "../http/route.ts";
import { Components } from "./components.ts";
import { eventOperations } from "./event-operations.ts";
import { info, securitySchemes, tags } from "./info.ts";
import {
  describeHead,
  describeOperation,
  describeOptions,
  type OperationContext,
  type OperationRow,
  type OperationRows,
} from "./operation.ts";
import { pageOperations } from "./page-operations.ts";
import { resourceOperations } from "./resources.ts";
import { shopOperations } from "./shop-operations.ts";
import { guestOperations, serviceOperations, staffOperations } from "./service-operations.ts";

export interface OpenapiOptions {
  readonly kinds: readonly Kind[];
  readonly orderReads: OrderReads;
  readonly bodyLimit: number;
  readonly guestOrders: boolean;
  readonly corsOrigins: readonly string[] | "*" | null;
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
    ...shopOperations(context),
  };
  const paths = describePaths(routes, rows, contextOf(components, options));
  const kindTags = options.kinds.map(({ name, description }) => ({ name, description }));
  const used = new Set(routes.map((route) => rowOf(route, rows).tag));
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/", description: "The server that this description comes from." }],
    tags: [...kindTags, ...tags].filter(({ name }) => used.has(name)).sort(byName),
    paths,
    components: { ...components.toJSON(), securitySchemes },
  };
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
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
