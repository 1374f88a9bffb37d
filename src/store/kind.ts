/** A kind of resource as the store sees it: a name, and how a stored resource is read back. */

import type { Content, Identified, Row } from "./rows.ts";

/** A kind that the store holds. */
export interface StoredKind<T extends Identified = Identified, K = unknown> {
  /** The name of its list in the document, and of its events: "toppings". */
  readonly name: string;
  /** True if it has no list and no events: only the store and its backups have it. */
  readonly isHidden?: boolean;
  /** For a kind with exactly one resource: its content before the first change. */
  readonly singleton?: Content<T, K>;
  /**
   * Turns a resource in a document, or the data of a record, into stored content. Fills in the
   * fields that a person may leave out of a document. Throws Invalid with every fault.
   */
  read(members: unknown, reading: Reading): Content<T, K>;
}

/** The time, and the resources that have been read so far. */
export interface Reading extends Lookup {
  /** RFC 3339, UTC, milliseconds. */
  readonly now: string;
}

/** Finds other resources. */
export interface Lookup {
  get<T extends Identified, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined;
}
