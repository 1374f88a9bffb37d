/** Shared by the handlers of all resources: their answers, their tags, and the 404. */

import type { Caller } from "../auth/callers.ts";
import { conditional, strongTag } from "../http/etag.ts";
import type { Request } from "../http/request.ts";
import { type Headers, jsonType, noCache, type Response } from "../http/response.ts";
import { Problem } from "../problems/problem.ts";
import { idRule, isPossibleId } from "../resources/id.ts";
import type { LabeledKind } from "../resources/kind.ts";
import type { Store } from "../store/store.ts";
import { jsonOf, type Row } from "../store/row.ts";

/** The entity tag of a resource. It stays the same across restarts. */
export function tagOf(row: Row): string {
  row.tag ??= strongTag(jsonOf(row));
  return row.tag;
}

/** An answer with the resource. */
export function resourceResponse(
  status: number,
  row: Row,
  headers: Headers = noCache,
): Response {
  // Not kept: all rows that were ever read would take as much memory again.
  const json = jsonOf(row);
  row.tag ??= strongTag(json);
  return { status, type: jsonType, etag: row.tag, headers, body: `${json}\n` };
}

/** GET of one resource. `mayRead`: false hides it. Throws Problem 404. */
export function read<T, K>(
  kind: LabeledKind<T, K>,
  id: string,
  { headers, caller }: Request,
  store: Store,
  mayRead: (row: Row<T, K>, caller: Caller) => boolean = () => true,
): Response {
  const row = store.get(kind, id);
  const readable = row !== undefined && mayRead(row, caller) ? row : undefined;
  return conditional(resourceResponse(200, requireFound(kind, readable, id)), headers);
}

/** The row. Throws Problem 404 if there is none. */
export function requireFound<R extends Row>(
  { name, label }: LabeledKind,
  row: R | undefined,
  id: string,
): R {
  if (row !== undefined) return row;
  throw new Problem(
    "not-found",
    isPossibleId(id)
      ? `no ${label} has the id "${id}" (see GET /api/${name})`
      : `no ${label} can have such an id: expected ${idRule}`,
  );
}
