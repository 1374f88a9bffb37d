/**
 * Which rows a list query asks for. What a page costs depends on what it returns, not on what is
 * stored: rows are found by index and by binary search.
 */

import type { Audience } from "../auth/access.ts";
import type { ListQuery } from "./list-query.ts";
import type { Entry, Table } from "../store/table.ts";
import { position } from "../store/sorted-rows.ts";
import type { Kind } from "../pizzeria/kind.ts";

/** The rows that match, of the page that was asked for. */
export interface Selection {
  readonly entries: readonly Entry[];
  /** How many match, on all pages together. */
  readonly total: number;
  /** Whether there are more after these. */
  readonly hasMore: boolean;
}

/** Only what `audience` may read. */
export function select(
  table: Table,
  kind: Kind,
  query: ListQuery,
  audience: Audience,
): Selection {
  const { runs, filters } = matchingRuns(table, kind, query.filters, audience);
  const later = runs.map((run) => (query.since === undefined ? run : table.from(run, query.since)));
  const matching = filters.size === 0 ? later : later.map((run) => run.filter(passes(filters)));
  const total = matching.reduce((sum, run) => sum + run.length, 0);
  const wanted = query.limit ?? Infinity;
  const pages = matching.map((run) => pageOf(run, query, wanted + 1));
  const entries = merge(pages, query.newestFirst);
  return { entries: cut(entries, wanted), total, hasMore: entries.length > wanted };
}

interface Runs {
  /** Each in the order of seq; no row is in two of them. */
  readonly runs: readonly (readonly Entry[])[];
  /** The filters that are still to be applied to the rows. */
  readonly filters: ReadonlyMap<string, readonly unknown[]>;
}

function matchingRuns(
  table: Table,
  kind: Kind,
  filters: ListQuery["filters"],
  audience: Audience,
): Runs {
  if (audience === "nobody") return { runs: [], filters };
  if (audience !== "everybody") {
    return { runs: [table.indexed("placedBy", audience.placer)], filters };
  }
  for (const [name, values] of filters) {
    const rest = new Map(filters);
    rest.delete(name);
    const keys = [...new Set(values.map(String))];
    if (name === "id") {
      const found = keys.flatMap((id) => table.get(id) ?? []);
      return { runs: found.map((entry) => [entry]), filters: rest };
    }
    if (kind.indexes !== undefined && Object.hasOwn(kind.indexes, name)) {
      return { runs: keys.map((key) => table.indexed(name, key)), filters: rest };
    }
  }
  return { runs: [table.rows], filters };
}

function passes(filters: ListQuery["filters"]): (entry: Entry) => boolean {
  return (entry) => {
    // Stored by this server: an object.
    const item = JSON.parse(entry.body) as Record<string, unknown>;
    return [...filters].every(([name, values]) => values.includes(item[name]));
  };
}

/** At most `count` rows, the first ones after the cursor in the order asked for. */
function pageOf(
  run: readonly Entry[],
  { after, newestFirst }: ListQuery,
  count: number,
): readonly Entry[] {
  if (newestFirst) {
    const end = after === undefined ? run.length : position(run, after);
    return run.slice(Math.max(0, end - count), end).reverse();
  }
  const start = after === undefined ? 0 : position(run, after + 1);
  return start === 0 && count >= run.length ? run : run.slice(start, start + count);
}

function merge(runs: readonly (readonly Entry[])[], newestFirst: boolean): readonly Entry[] {
  const [only, ...others] = runs.filter((run) => run.length > 0);
  if (only === undefined) return [];
  if (others.length === 0) return only;
  const sign = newestFirst ? -1 : 1;
  return [only, ...others].flat().sort((one, other) => sign * (one.seq - other.seq));
}

function cut(entries: readonly Entry[], count: number): readonly Entry[] {
  return entries.length > count ? entries.slice(0, count) : entries;
}
