/**
 * Finds the routes of a path. A route's path is fixed ("/api/toppings") or ends in a parameter
 * ("/api/toppings/:id"); the segment before may be a parameter too ("/pages/:version/:name"), or
 * the only one ("/api/devices/:sub/lock").
 */

export interface Row<T> {
  readonly method: string;
  readonly path: string;
  readonly value: T;
}

/** The methods of a path, and the value of its last parameter ("" if it has none). */
export interface Found<T> {
  readonly methods: ReadonlyMap<string, T>;
  readonly param: string;
}

/** Undefined if no route has this path. */
export type Find<T> = (path: string) => Found<T> | undefined;

/** Finding a path takes at most four map look-ups, however many rows there are. */
export function createRouter<T>(rows: Iterable<Row<T>>): Find<T> {
  const fixed = new Map<string, Found<T>>();
  const prefixes = new Map<string, Map<string, T>>();
  /** By path, with ":" for the segment before the last. */
  const around = new Map<string, Map<string, T>>();
  for (const { method, path, value } of rows) {
    const cut = path.lastIndexOf(":");
    const [name = "", ...end] = path.slice(cut).split("/");
    if (cut !== -1 && end.length > 0) {
      methodsOf(around, path.replace(name, ":")).set(method, value);
      continue;
    }
    const prefix = path.slice(0, cut).replace(/:[^/]+\/$/, ":/");
    const table = cut === -1 ? fixedMethods(fixed, path) : methodsOf(prefixes, prefix);
    table.set(method, value);
  }

  return (path) => {
    const found = fixed.get(path);
    if (found !== undefined) return found;
    const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const cut = trimmed.lastIndexOf("/") + 1;
    const prefix = decodeSegments(trimmed.slice(0, cut)) ?? "";
    const methods = prefixes.get(prefix) ?? prefixes.get(`${parentOf(prefix)}:/`);
    if (methods === undefined || cut === trimmed.length) {
      const start = trimmed.lastIndexOf("/", cut - 2) + 1;
      const path = decodeSegments(`${trimmed.slice(0, start)}:/${trimmed.slice(cut)}`);
      const inside = around.get(path ?? "");
      const param = decode(trimmed.slice(start, Math.max(start, cut - 1)));
      if (inside !== undefined && param) return { methods: inside, param };
      return fixed.get(decodeSegments(trimmed) ?? "");
    }
    const param = trimmed.slice(cut);
    // A parameter that cannot be decoded stays as it is. It matches nothing: no id has a "%".
    return { methods, param: decode(param) ?? param };
  };
}

/** The methods for the Allow field: HEAD wherever GET is, and always OPTIONS. */
export function allowedMethods(methods: ReadonlyMap<string, unknown>): string {
  const names = [...methods.keys()];
  const head = names.includes("GET") ? ["HEAD"] : [];
  return [...names, ...head, "OPTIONS"].sort().join(", ");
}

function fixedMethods<T>(fixed: Map<string, Found<T>>, path: string): Map<string, T> {
  const methods = new Map<string, T>(fixed.get(path)?.methods);
  fixed.set(path, { methods, param: "" });
  return methods;
}

function methodsOf<T>(tables: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const methods = tables.get(key) ?? new Map<string, T>();
  tables.set(key, methods);
  return methods;
}

/** "/pages/x/" becomes "/pages/". */
function parentOf(prefix: string): string {
  return prefix.slice(0, prefix.lastIndexOf("/", prefix.length - 2) + 1);
}

/** Percent-decoding (RFC 3986 section 2.1); undefined where it is not UTF-8. */
function decode(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Undefined if a segment is not UTF-8 or has an encoded slash: no route has such a path. */
function decodeSegments(path: string): string | undefined {
  if (!path.includes("%")) return path;
  const segments = path.split("/").map(decode);
  return segments.some((segment) => segment === undefined || segment.includes("/"))
    ? undefined
    : segments.join("/");
}
