/** A kind of resource as the store sees it: a name, and how a stored resource is read back. */

import type { Content, Identified, Row } from "./rows.ts";

/** A kind that the store holds. */
export interface StoredKind<T extends Identified = Identified, K = unknown> {
  /** Names its list in the document and its events: "toppings". */
  readonly name: string;
  /** For a kind that always has exactly one resource: what that is until it is first changed. */
  readonly singleton?: Content<T, K>;
  /**
   * Turns a line of the document, or the data of a record, into what is stored. People write
   * documents too: what they may leave out is filled in. Throws Problem with every fault.
   */
  read(members: unknown, reading: Reading): Content<T, K>;
}

/** What a resource can be read with: other resources, as far as they are known. */
export interface Reading extends Lookup {
  /** RFC 3339, UTC, milliseconds. */
  readonly now: string;
}

/** Finds other resources. */
export interface Lookup {
  get<T extends Identified, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined;
}
