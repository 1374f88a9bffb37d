/**
 * What a kind of resource is to the handlers that serve all kinds: its names, its guard, and how
 * what a client sent becomes what is stored. `kinds.ts` lists them.
 */

import type { Caller } from "../auth/access.ts";
import type { Entry } from "../store/table.ts";
import type { StoredKind } from "../store/opening.ts";
import { take } from "../store/sorted-rows.ts";
import type { Decision, Store } from "../store/store.ts";
import type { Field, Schema } from "./field.ts";

/** A kind of resource: all that its handlers, its description and the store need to know. */
export interface Kind extends StoredKind {
  /** Path segment, snapshot file and first half of its events: "pizzasizes". */
  readonly name: string;
  /** In messages: "pizza size". */
  readonly label: string;
  /** In the description: "PizzaSize", and a sentence. */
  readonly schemaName: string;
  readonly description: string;
  readonly shape: Readonly<Record<string, Field<unknown>>>;
  /** The fields that may be left out; of a create, also null. */
  readonly optional: { readonly create: readonly string[]; readonly update: readonly string[] };
  /** Times that the server adds to the fields: ignored where a client sends them back. */
  readonly times: readonly string[];
  /** What the store keeps beside the resource, and backups hold. */
  readonly kept?: KeptSchema;
  readonly examples: Examples;
  /** The subject that placed a resource: there is one where customers create them. */
  placedBy?(entry: Entry): string | undefined;
  /** The resource with the names of what it refers to, as JSON: there is one where it refers. */
  withNames?(entry: Entry): string;
  /**
   * Checks a body by itself, and its id against the one in the path if there is one. What it means
   * for what is stored is decided when the write takes its place: the store then asks `decide`.
   * Throws Problem 400 "invalid-body" with every fault.
   */
  parse(body: unknown, sender: Sender): Proposal;
}

/** Members of an object, as a JSON schema says it. */
export interface KeptSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Schema>>;
}

export type Body = Readonly<Record<string, unknown>>;

/** For the description. They work on a server with the starter menu: a test sends them. */
export interface Examples {
  /** A new resource, whole. */
  readonly create: Body;
  /** What an update changes of it. */
  readonly patch: Body;
}

export interface Sender {
  readonly caller: Caller;
  /** The id in the path; undefined on create. */
  readonly pathId: string | undefined;
}

/** A body that has the shape of its kind, and what it proposes to store. */
export interface Proposal {
  /** Undefined when the server is to choose one. */
  readonly id: string | undefined;
  /** Whether what is stored says the same as this. */
  isSameAs(stored: Entry): boolean;
  /**
   * What to store under `id`. Decided against what is accepted, in one tick. `now`: RFC 3339, UTC,
   * milliseconds. Throws Problem 400 "invalid-body" for references, 409 for the life cycle.
   */
  decide(id: string, stored: Entry | undefined, lookup: Lookup, now: string): Decision;
}

/** Other resources than the one that is decided about. */
export interface Lookup {
  /** As accepted: perhaps not yet durable. */
  accepted(kind: string, id: string): Entry | undefined;
  /** Ids of a kind that can be referred to, a thousand at most: for a guess at what was meant. */
  ids(kind: string): readonly string[];
}

/** Those of this store. */
export function lookupIn(store: Store): Lookup {
  return {
    accepted: (kind, id) => store.accepted(kind, id),
    ids: (kind) => take(store.table(kind).rows, 1_000).map(({ id }) => id),
  };
}
