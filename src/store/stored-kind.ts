/** A kind of resource as the store sees it: a name, and how a stored resource is read back. */

import type { Content, Row } from "./rows.ts";

/** A kind that the store holds. T: the resource in the API. K: what is stored and not shown. */
export interface StoredKind<T = unknown, K = unknown> {
  /** The beginning of its events: "toppings". */
  readonly name: string;
  /** True for a kind that clients never see: its changes are lines of the file, and no events. */
  readonly isHidden?: boolean;
  /** The id of a resource, unique within its kind. */
  idOf(value: T): string;
  /** Checks the `data` and `kept` of a line. Throws Invalid with every fault. */
  read(data: unknown, kept: unknown): Content<T, K>;
}

/** Finds resources. */
export interface Lookup {
  get<T, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined;
}
