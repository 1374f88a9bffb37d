/**
 * Finds the routes of a path. A route's path has fixed segments and parameters: "/api/toppings",
 * "/api/toppings/:id", "/pages/:version/:name".
 */

/** The value to find at a method and a path. */
interface RouteRow<T> {
  readonly method: string;
  readonly path: string;
  readonly value: T;
}

/** The methods of a path, and the decoded value of its last parameter ("" if it has none). */
export interface Found<T> {
  readonly methods: ReadonlyMap<string, T>;
  readonly param: string;
}

/** Undefined if no route has this path. A slash at its end is ignored. */
export type Find<T> = (path: string) => Found<T> | undefined;

export function createRouter<T>(rows: Iterable<RouteRow<T>>): Find<T> {
  const tables = new Map<string, Map<string, T>>();
  for (const { method, path, value } of rows) {
    const methods = tables.get(path) ?? new Map<string, T>();
    tables.set(path, methods.set(method, value));
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
