/**
 * The examples of problems in the description: what a server with the starter menu really answers.
 * Where the code that refuses can be asked, it is.
 */

import { authenticate, authorize } from "../auth/access.ts";
import type { Claims } from "../auth/claims.ts";
import { requireLength } from "../http/body.ts";
import { headerBytesLimit, headerTimeout } from "../http/pipelining.ts";
import { parseJson, requireJsonType } from "../http/json-body.ts";
import { RequestFields } from "../http/request-fields.ts";
import { Problem } from "../problems/problem.ts";
import { type Entry, makeEntry } from "../store/table.ts";
import { requireMatch } from "../handlers/conditional.ts";
import type { Body, Kind } from "../pizzeria/kind.ts";
import { parseShop, storedShop } from "../pizzeria/shop.ts";
import { parseItemQuery, parseListQuery } from "../handlers/list-query.ts";
import { answered, examplesOf, updatedAt } from "./examples.ts";

const claims: Claims = { role: "customer", sub: "anna", exp: 0 };

/** Problems that are the same whatever was asked for. */
export const common: Readonly<Record<CommonType, () => Problem>> = {
  "malformed-request": () => new Problem("malformed-request", "expected one valid Host field"),
  "not-authenticated": () => thrownBy(() => authorize("staff", undefined)),
  forbidden: () => thrownBy(() => authorize("staff", claims)),
  "request-timeout": () => headerTimeout(10_000),
  "headers-too-large": () =>
    new Problem(
      "headers-too-large",
      `expected at most ${headerBytesLimit / 1_024} KiB of request line and header fields, ` +
        "got more",
    ),
  "rate-limited": () => new Problem("rate-limited", "too many requests; come back in 6 s"),
  "unsupported-media-type": () => {
    const fields = Object.assign(new RequestFields(), { contentType: "text/csv" });
    return thrownBy(() => requireJsonType(fields, "POST"));
  },
  internal: () => new Problem("internal", "the server's log has the details under 12fb19e0-4"),
  "storage-unavailable": () =>
    new Problem(
      "storage-unavailable",
      "the write could not be stored, and is not in the store; try again later",
    ),
  "invalid-json": () => thrownBy(() => parseJson(Buffer.from('{"name":'))),
};

export type CommonType =
  | "malformed-request"
  | "not-authenticated"
  | "forbidden"
  | "request-timeout"
  | "headers-too-large"
  | "rate-limited"
  | "unsupported-media-type"
  | "internal"
  | "storage-unavailable"
  | "invalid-json";

/** Where no token is needed, a bad one is refused all the same. */
export function badToken(): Problem {
  return thrownBy(() => authenticate("Bearer", () => claims));
}

export function tooLarge(limitBytes: number): Problem {
  const fields = Object.assign(new RequestFields(), { contentLength: `${limitBytes + 1}` });
  return thrownBy(() => requireLength(fields, limitBytes));
}

/** `GET …?limit=0`. */
export function invalidListQuery(kind: Kind): Problem {
  return thrownBy(() => parseListQuery("limit=0", kind));
}

/** `GET …/id?limit=0`. */
export function invalidItemQuery(kind: Kind): Problem {
  return thrownBy(() => parseItemQuery("limit=0", kind));
}

export function invalidBody(kind: Kind, pathId: string | undefined): Problem {
  return thrownBy(() => kind.parse(examplesOf(kind).invalid, { caller: undefined, pathId }));
}

/** `GET /api/shop?limit=0`. */
export function invalidShopQuery(): Problem {
  return thrownBy(() => parseItemQuery("limit=0", {}));
}

export function invalidShop(): Problem {
  return thrownBy(() => parseShop(mistakenShop));
}

export const mistakenShop: Body = { name: "Forno", isOpen: "yes", notice: "" };

export function unmatchedShop(): Problem {
  const { body } = storedShop.standing ?? { body: "" };
  return unmatched(makeEntry(storedShop.name, 1, body, ""));
}

/** `GET …/ananas`. */
export function notFound({ label, name }: Kind): Problem {
  const detail = `there is no ${label} with the id "ananas"`;
  return new Problem("not-found", `${detail}; GET /api/${name} lists those there are`);
}

/** The create of the examples once more. */
export function idTaken(kind: Kind): Problem {
  const { id } = examplesOf(kind).create;
  const detail = `the ${kind.label} "${id}" exists already, and it is what was sent`;
  return new Problem("id-taken", detail, { identical: true });
}

export function preconditionFailed(kind: Kind): Problem {
  const { create } = examplesOf(kind);
  const entry = makeEntry(String(create["id"]), 1, JSON.stringify(answered(kind, "create")), "");
  return unmatched(entry);
}

function unmatched(entry: Entry): Problem {
  return thrownBy(() => requireMatch(entry, { ifMatch: '"an older one"', ifNoneMatch: undefined }));
}

/** What follows for an order in this status (undefined: none is there) from these changes. */
export function refusedOrder(kind: Kind, status: string | undefined, changes: Body): Problem {
  const { create } = examplesOf(kind);
  const id = String(create["id"]);
  const stored = JSON.stringify({ ...answered(kind, "create"), status });
  const entry = status === undefined ? undefined : makeEntry(id, 1, stored, keptNames);
  const candidate = kind.parse({ ...create, ...changes }, { caller: undefined, pathId: id });
  const surroundings = { accepted: () => undefined, now: updatedAt };
  return thrownBy(() => candidate.decide(id, entry, surroundings));
}

const keptNames =
  '"names":{"pizzaSize":"Large","toppings":["Mushrooms","Mozzarella","Mozzarella"],' +
  '"beverages":["Chinotto"]}';

function thrownBy(refuse: () => unknown): Problem {
  try {
    refuse();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("the example of a problem is none");
}
