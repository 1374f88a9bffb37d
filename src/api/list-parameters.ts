/**
 * The parameters of a list's query: the page, its order, the time, and the filters, which each kind
 * has for its scalar fields.
 */

import { oneOf, type QueryParameter } from "../http/query.ts";
import type { Filter } from "../resources/kind.ts";
import { parseTime } from "../resources/time.ts";

/** Values of a filter. */
const maxAlternatives = 100;

/** The parameter that filters by a field. */
export function filterParameter(name: string, filter: Filter): QueryParameter {
  return { name, maxTimes: maxAlternatives, ...valuesOf(filter) };
}

/** How the values of a field are written in a query. */
function valuesOf(filter: Filter): Pick<QueryParameter, "parse" | "expected"> {
  switch (filter) {
    case "text":
      return { parse: (text) => text, expected: "a text" };
    case "id":
      // No id has a space: it was a plus that was not encoded.
      return { parse: (text) => text.replaceAll(" ", "+"), expected: "an id" };
    case "flag":
      return oneOf({ true: true, false: false });
    case "number":
      return {
        parse: (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined),
        expected: "a number",
      };
    default:
      return oneOf(Object.fromEntries(filter.map((word) => [word, word])));
  }
}

/** The most items on a page. */
const maxLimit = 1_000;

export const limit: QueryParameter<number> = {
  name: "limit",
  parse(text) {
    const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    return limit >= 1 && limit <= maxLimit ? limit : undefined;
  },
  expected: `a whole number from 1 to ${maxLimit}`,
};

/** The seq of the last item that the client has seen. */
export const after: QueryParameter<number> = {
  name: "after",
  parse: (text) =>
    /^s[0-9a-z]{1,10}$/.test(text) ? Number.parseInt(text.slice(1), 36) : undefined,
  expected: "the cursor from the Link of the page before",
};

/** The value of `after` for the list behind an item. `seq`: the item's. */
export function cursorAfter(seq: number): string {
  return `s${seq.toString(36)}`;
}

/** True: newest first. */
export const sort: QueryParameter<boolean> = {
  name: "sort",
  ...oneOf({ newest: true, oldest: false }),
};

const time: Pick<QueryParameter<string>, "parse" | "expected"> = {
  // The plus of a zone arrives as a space where it was not encoded.
  parse: (text) => parseTime(text.replace(/ (?=\d\d:\d\d$)/, "+")),
  expected: "a time such as 2026-01-31T18:00:00Z (RFC 3339)",
};
export const since: QueryParameter<string> = { name: "since", ...time };
export const until: QueryParameter<string> = { name: "until", ...time };
