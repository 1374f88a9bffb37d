/** Shared by the handlers of all resources: their answers, their tags, and the 404. */

import { strongTag } from "../http/etag.ts";
import { type Headers, jsonType, noCache, type Response } from "../http/response.ts";
import { Problem } from "../problems/problem.ts";
import { idRule, isPossibleId } from "../resources/check.ts";
import { jsonOf, type Row } from "../store/tables.ts";

/** The words for a kind: "pizzasizes" in paths, "pizza size" in messages. */
export interface Named {
  readonly name: string;
  readonly label: string;
}

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

/** The row. Throws Problem 404 if there is none. */
export function requireFound<R extends Row>(
  { name, label }: Named,
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
