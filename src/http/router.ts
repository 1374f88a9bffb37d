/**
 * The routes, and how the routes of a path are found. A path has fixed segments and parameters:
 * "/api/toppings", "/api/toppings/:id", "/pages/:version/:name".
 */

import type { Rule } from "../auth/access.ts";
import type { QueryParameter } from "./query.ts";
import type { Request } from "./request.ts";
import type { Response } from "./response.ts";

/** Called after all checks in pipeline.ts have passed. */
export type Handler = (request: Request) => Response | Promise<Response>;

/** A row of the route table: method, path, who may use it, and the handler. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly rule: Rule;
  readonly handle: Handler;
  /** The query parameters it takes. */
  readonly query?: readonly QueryParameter[];
  /** For the Vary field of all responses, errors too. */
  readonly vary?: string;
  /** Never rate limited. */
  readonly isUnlimited?: boolean;
}

/** The routes of a path by method, and the decoded value of its last parameter, else "". */
export interface Match {
  readonly methods: ReadonlyMap<string, Route>;
  readonly param: string;
}

/** Undefined if no route has this path. A slash at its end is ignored. */
export type Find = (path: string) => Match | undefined;

export function createRouter(routes: readonly Route[]): Find {
  const tables = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const methods = tables.get(route.path) ?? new Map<string, Route>();
    tables.set(route.path, methods.set(route.method, route));
  }
  const patterns = [...tables].map(([path, methods]) => {
    const parts = path.split("/");
    return { parts, methods, param: parts.findLastIndex(isParam) };
  });

  return (path) => {
    // Most paths are found here. A path with a colon is not: an id may be ":id".
    const methods = path.includes(":") ? undefined : tables.get(path);
    if (methods !== undefined) return { methods, param: "" };
    const segments = segmentsOf(path);
    const found = patterns.find(({ parts }) => fits(parts, segments));
    return found && { methods: found.methods, param: segments[found.param] ?? "" };
  };
}

/** More than any route has. */
const maxSegments = 8;

/** The decoded segments (RFC 3986 section 2.1); none if one of them is not UTF-8. */
function segmentsOf(path: string): readonly string[] {
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  const segments = trimmed.split("/", maxSegments);
  if (!trimmed.includes("%")) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return [];
  }
}

function fits(parts: readonly string[], segments: readonly string[]): boolean {
  if (parts.length !== segments.length) return false;
  return parts.every((part, at) => (isParam(part) ? segments[at] !== "" : part === segments[at]));
}

function isParam(part: string): boolean {
  return part.startsWith(":");
}

/** The methods for the Allow field: HEAD wherever GET is, and always OPTIONS. */
export function allowedMethods(methods: ReadonlyMap<string, unknown>): string {
  const names = [...methods.keys()];
  const head = names.includes("GET") ? ["HEAD"] : [];
  return [...names, ...head, "OPTIONS"].sort().join(", ");
}
