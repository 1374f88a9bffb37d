/** A kind of resource as the store sees it: a name, and how a stored resource is read back. */

import type { Content, Identified, Row } from "./rows.ts";

/** A kind that the store holds. */
export interface StoredKind<T extends Identified = Identified, K = unknown> {
  /** The beginning of its events: "toppings". */
  readonly name: string;
  /** For a kind with exactly one resource: its content before the first change. */
  readonly singleton?: Content<T, K>;
  /** True for a kind that clients never see: its changes are lines of the file, and no events. */
  readonly isHidden?: boolean;
  /**
   * Turns a stored resource, with the members of `data` and `kept` in one object, into content.
   * Fills in the fields that a person may leave out of a document. Throws Invalid with every fault.
   */
  read(members: unknown, context: ReadContext): Content<T, K>;
}

/** The time, and the resources that have been read so far. */
export interface ReadContext extends Lookup {
  /** RFC 3339, UTC, milliseconds. */
  readonly now: string;
}

/** Finds other resources. */
export interface Lookup {
  get<T extends Identified, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined;
}

/** The resource in the API: a singleton has no id there. */
export function dataOf({ singleton }: Pick<StoredKind, "singleton">, { value }: Row): object {
  if (singleton === undefined) return value;
  const { id: _, ...data } = value;
  return data;
}

/** Its JSON: the `data` of its line and of its event, and the body of a response. */
export function jsonOf(kind: Pick<StoredKind, "singleton">, row: Row): string {
  return row.json ?? JSON.stringify(dataOf(kind, row));
}
