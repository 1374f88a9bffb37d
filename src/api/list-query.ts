/** The query of a list: limit, after, sort, since, until, embed and equality on scalar fields. */

import { oneOf, type Query, type QueryParameter } from "../http/query.ts";
import { lastTime } from "../resources/field.ts";
import type { Kind } from "../resources/kind.ts";

export interface ListQuery {
  /** The most items on the page; undefined: all. */
  readonly limit: number | undefined;
  /** The seq of the last item that the client has seen. */
  readonly after: number | undefined;
  readonly newestFirst: boolean;
  /** Items placed at this time or later: RFC 3339, UTC, milliseconds. */
  readonly since: string | undefined;
  /** Items placed before this time, in the same format. */
  readonly until: string | undefined;
  readonly withNames: boolean;
  /** Accepted values by field; an item must match one value of each field. */
  readonly filters: ReadonlyMap<string, ReadonlySet<unknown>>;
}

/** The most items on a page. */
const maxLimit = 1_000;

/** Reads a query that parseQuery has checked. */
export function parseListQuery(query: Query, kind: Kind): ListQuery {
  return {
    limit: query.get(limit),
    after: query.get(after),
    newestFirst: query.get(sort) ?? false,
    since: query.get(since),
    until: query.get(until),
    withNames: query.get(embed) ?? false,
    filters: new Map(
      filterParameters(kind).flatMap((parameter) => {
        const values = new Set(query.all(parameter));
        return values.size === 0 ? [] : [[parameter.name, values] as const];
      }),
    ),
  };
}

export function cursorAfter(seq: number): string {
  return `s${seq.toString(36)}`;
}

function parseLimit(text: string): number | undefined {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= maxLimit ? limit : undefined;
}

function parseCursor(text: string): number | undefined {
  return /^s[0-9a-z]{1,10}$/.test(text) ? Number.parseInt(text.slice(1), 36) : undefined;
}

const hoursMinutes = "(?:[01]\\d|2[0-3]):[0-5]\\d";
const dateTime = new RegExp(
  `^(\\d{4}-\\d\\d-\\d\\d)[T ](${hoursMinutes}:[0-5]\\d)(?:\\.(\\d+))?(Z|[+ -]${hoursMinutes})$`,
  "i",
);

/**
 * Parses an RFC 3339 time (section 5.6), rounds it up to a millisecond and converts it to UTC. An
 * unencoded plus arrives as a space.
 */
function parseTime(text: string): string | undefined {
  const [, date = "", time, fraction = "0", zone = ""] = dateTime.exec(text) ?? [];
  // JavaScript parses February 30 as March 1 or 2, and month 13 not at all.
  const midnight = Date.parse(`${date}T00:00Z`);
  if (Number.isNaN(midnight)) return undefined;
  if (new Date(midnight).toISOString().slice(0, 10) !== date) return undefined;
  const rounding = /[1-9]/.test(fraction.slice(3)) ? 1 : 0;
  const spelled = `${date}T${time}.${fraction}${zone.replace(" ", "+").toUpperCase()}`;
  const milliseconds = Date.parse(spelled) + rounding;
  // Times are compared as texts, and "~" is later than every time.
  return milliseconds > lastTime ? "~" : new Date(milliseconds).toISOString();
}

export function listParameters(kind: Kind): readonly QueryParameter[] {
  const times = kind.fields["placedAt"] === undefined ? [] : [since, until];
  return [limit, after, sort, ...times, ...itemParameters(kind), ...filterParameters(kind)];
}

export function itemParameters({ withNames }: Kind): readonly QueryParameter[] {
  return withNames === undefined ? [] : [embed];
}

function filterParameters({ fields }: Kind): readonly QueryParameter[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { fromQuery, expected } = field;
    if (fromQuery === undefined) return [];
    return {
      name,
      parse: fromQuery,
      expected,
      isRepeatable: true,
    };
  });
}

const limit: QueryParameter<number> = {
  name: "limit",
  parse: parseLimit,
  expected: `a whole number from 1 to ${maxLimit}`,
};

const after: QueryParameter<number> = {
  name: "after",
  parse: parseCursor,
  expected: "the cursor from the Link of the page before",
};

/** True: newest first. */
const sort: QueryParameter<boolean> = {
  name: "sort",
  ...oneOf({ newest: true, oldest: false }),
};

const timeParameter = {
  parse: parseTime,
  expected: "a time such as 2026-01-31T18:00:00Z (RFC 3339)",
} as const;

const since: QueryParameter<string> = {
  ...timeParameter,
  name: "since",
};

const until: QueryParameter<string> = {
  ...timeParameter,
  name: "until",
};

/** True: add names to references, in lists, single items and events. */
export const embed: QueryParameter<boolean> = {
  name: "embed",
  ...oneOf({ names: true }),
};
