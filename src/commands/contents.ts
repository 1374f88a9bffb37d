/** The contents of a store in words, and the time of the last change of an order. */

import type { LabeledKind } from "../resources/kind.ts";
import { menuKinds } from "../resources/menu.ts";
import { orders } from "../resources/order.ts";
import type { StoredKind } from "../store/row.ts";
import type { Table } from "../store/tables.ts";

/** A store, or the tables of a file. */
interface Content {
  rows<T, K>(kind: StoredKind<T, K>): Table<T, K>["rows"];
}

/** "16 toppings, 3 pizza sizes, 6 beverages, 1 order, last changed at 2026-…". */
export function contentsOf(content: Content): string {
  const held: readonly LabeledKind[] = [...menuKinds, orders];
  const counts = held.map((kind) => {
    const count = content.rows(kind).length;
    return `${count} ${kind.label}${count === 1 ? "" : "s"}`;
  });
  const last = lastChangeAt(content);
  return [...counts, ...(last === undefined ? [] : [`last changed at ${last}`])].join(", ");
}

/** When the last order was placed or changed; undefined without orders. */
export function lastChangeAt(content: Content): string | undefined {
  let last: string | undefined;
  for (const { value: { updatedAt } } of content.rows(orders)) {
    if (last === undefined || updatedAt > last) last = updatedAt;
  }
  return last;
}
