/**
 * The parts of a store: kinds of resources, a row for each resource, and a change for each write of
 * one.
 */

/** A kind that the store holds. T: the resource in the API. K: what is stored and not shown. */
export interface StoredKind<T = unknown, K = unknown> {
  /** The beginning of its events: "toppings". */
  readonly name: string;
  /** True for a kind that clients never see: its changes are lines of the file, and no events. */
  readonly isHidden?: boolean;
  /** Further keys by which the store finds rows. Several rows may have the same one. */
  keysOf?(content: Content<T, K>): readonly string[];
  /** The id of a resource, unique within its kind. */
  idOf(value: T): string;
  /** Checks the `data` and `kept` of a line. Throws Invalid with every fault. */
  read(data: unknown, kept: unknown): Content<T, K>;
}

/** Finds resources. */
export interface Lookup {
  get<T, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined;
}

/** A resource without its place in the list. */
export interface Content<T = unknown, K = unknown> {
  /** The resource in the API. */
  readonly value: T;
  /** Stored, and not part of the resource: who placed an order. */
  readonly kept: K;
}

/**
 * A stored resource, immutable but for `json` and `tag`. An update makes a new row with the same
 * `seq`.
 */
export interface Row<T = unknown, K = unknown> extends Content<T, K> {
  readonly id: string;
  /** The seq of the change that created it. Lists are in this order; it never changes. */
  readonly seq: number;
  /** Its JSON, if this process has written it: for the line, the response and the event. */
  json?: string | undefined;
  /** The entity tag of that JSON. */
  tag?: string | undefined;
}

/** Makes a row of the content and its place. */
export function makeRow<T, K>(id: string, seq: number, { value, kept }: Content<T, K>): Row<T, K> {
  return { id, seq, value, kept, json: undefined, tag: undefined };
}

/** The JSON of a resource: the `data` of its line and of its event, and the body of a response. */
export function jsonOf(row: Row): string {
  return row.json ?? JSON.stringify(row.value);
}

/** One write that is on disk. */
export interface Change {
  readonly seq: number;
  readonly kind: StoredKind;
  readonly action: "created" | "updated" | "deleted";
  readonly id: string;
  /** The row after the write; undefined after a delete. */
  readonly row: Row | undefined;
  /** The row before a delete; undefined after any other write. */
  readonly deleted: Row | undefined;
  /** About the length of its line and of the deleted row, which only the change still holds. */
  readonly length: number;
}

/** The change's `event`: in its line, and in event streams. */
export function eventName({ kind, action }: Change): string {
  return `${kind.name}.${action}`;
}

/** The change's `data`, as JSON. */
export function dataOf({ id, row }: Change): string {
  return row === undefined ? JSON.stringify({ id }) : jsonOf(row);
}
