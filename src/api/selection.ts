/**
 * Which rows a list query asks for. What an answer costs before its first byte depends on neither
 * the number of rows nor that of the matches: rows are found by index, ranges of time by blocks.
 */

import type { Audience } from "../auth/access.ts";
import { turn } from "../http/turns.ts";
import type { Kind } from "../resources/kind.ts";
import { take, View } from "../store/sorted-rows.ts";
import type { Entry, Table } from "../store/table.ts";
import type { ListQuery } from "./list-query.ts";

/** The rows that match, of the page that was asked for, as they are at one moment. */
export class Selection {
  /** How many match, on all pages together. */
  readonly total: number;
  /** The last row of a page that is not the last. */
  readonly last: Entry | undefined;
  /** Each in the order of seq; no row is in two of them. */
  #runs: readonly View<Entry>[];
  readonly #newestFirst: boolean;
  /** Where they begin, as a cursor. */
  readonly #start: number;

  constructor(
    matching: readonly View<Entry>[],
    { limit, newestFirst, after }: Pick<ListQuery, "limit" | "newestFirst" | "after">,
  ) {
    this.total = matching.reduce((sum, { length }) => sum + length, 0);
    this.#newestFirst = newestFirst;
    this.#start = after ?? (newestFirst ? Infinity : -1);
    this.#runs = matching;
    if (limit === undefined) return;
    const page = take(this.rows(), limit + 1);
    if (page.length > limit) {
      page.pop();
      this.last = page.at(-1);
    }
    this.#runs = [View.of(newestFirst ? page.reverse() : page)];
  }

  /** In the order asked for; only those behind the one with the seq `after`. */
  rows(after: number = this.#start): Iterable<Entry> {
    const isBack = this.#newestFirst;
    const runs = this.#runs.map((run) => (isBack ? run.before(after) : run.after(after)));
    const [only, ...others] = runs;
    if (only === undefined) return [];
    return others.length === 0 ? only : merged(runs, isBack);
  }
}

/** Only what `audience` may read. A promise where rows must be read to know which match. */
export function select(
  table: Table,
  kind: Kind,
  query: ListQuery,
  audience: Audience,
): Selection | Promise<Selection> {
  const { runs, filters } = matchingRuns(table, kind, query.filters, audience);
  const { since = "", until = "~" } = query;
  const isAnyTime = query.since === undefined && query.until === undefined;
  const inTime = isAnyTime ? runs : runs.map((run) => run.between(since, until));
  if (filters.size === 0) return new Selection(inTime, query);
  const matching = inTime.map((run) => filtered(run, filters));
  return Promise.all(matching).then((found) => new Selection(found, query));
}

interface Runs {
  readonly runs: readonly View<Entry>[];
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
      found.sort((one, other) => one.seq - other.seq);
      return { runs: [View.of(found, kind.sortKey)], filters: rest };
    }
    if (kind.indexes !== undefined && Object.hasOwn(kind.indexes, name)) {
      return { runs: keys.map((key) => table.indexed(name, key)), filters: rest };
    }
  }
  return { runs: [table.rows.view()], filters };
}

/** Rows that are read, and parsed, in one turn of the event loop. */
const rowsPerTurn = 200;

async function filtered(
  run: View<Entry>,
  filters: ListQuery["filters"],
): Promise<View<Entry>> {
  const found: Entry[] = [];
  let count = 0;
  for (const entry of run) {
    count += 1;
    if (count % rowsPerTurn === 0) await turn();
    // Stored by this server: an object.
    const item = JSON.parse(entry.body) as Record<string, unknown>;
    if ([...filters].every(([name, values]) => values.includes(item[name]))) found.push(entry);
  }
  return View.of(found);
}

/** Rows of several runs in one order, each run read no further than has been asked for. */
function* merged(runs: Iterator<Entry, void>[], newestFirst: boolean): Generator<Entry, void> {
  const sign = newestFirst ? -1 : 1;
  const heads = runs.map((run) => ({ run, head: run.next().value }));
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    for (const one of heads) {
      if (one.head === undefined) continue;
      if (first?.head === undefined || sign * (one.head.seq - first.head.seq) < 0) first = one;
    }
    if (first?.head === undefined) return;
    yield first.head;
    first.head = first.run.next().value;
  }
}
