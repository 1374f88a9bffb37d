/**
 * The route table: rows of method and path to whatever the caller attaches. A path is fixed
 * ("/api/toppings") or ends in a parameter ("/api/toppings/:id"); the segment before that may be
 * any ("/pages/:version/:name"). Knows no request and no pizza.
 */

export interface Row<T> {
  readonly method: string;
  readonly path: string;
  readonly value: T;
}

/** What stands at a path: every method it has, and its last parameter ("" where it has none). */
export interface Found<T> {
  readonly methods: ReadonlyMap<string, T>;
  readonly param: string;
}

/** Undefined: there is nothing at this path. */
export type Find<T> = (path: string) => Found<T> | undefined;

/** Four look-ups a path at the most, whatever the number of rows. */
export function createRouter<T>(rows: Iterable<Row<T>>): Find<T> {
  const fixed = new Map<string, Found<T>>();
  const prefixes = new Map<string, Map<string, T>>();
  for (const { method, path, value } of rows) {
    const cut = path.lastIndexOf(":");
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
      return fixed.get(decodeSegments(trimmed) ?? "");
    }
    const param = trimmed.slice(cut);
    // What cannot be decoded is an id that nothing has: no id holds a "%".
    return { methods, param: decode(param) ?? param };
  };
}

/** The methods at a path, for Allow: a GET answers HEAD too, and OPTIONS always is. */
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

/** An encoded slash does not part segments: such a path is none of the table's. */
function decodeSegments(path: string): string | undefined {
  if (!path.includes("%")) return path;
  const segments = path.split("/").map(decode);
  return segments.some((segment) => segment === undefined || segment.includes("/"))
    ? undefined
    : segments.join("/");
}
