/** The tables that have open orders. Nothing is stored of a table. Pure values. */

import { locale } from "../shared/words.ts";
import { type BoardOrder, boardOrders, type Pizza, pizzasOf, placeOf } from "./cards.ts";
import type { State, UndoLine } from "./state.ts";

/** The oldest order first. */
export interface Table {
  readonly key: string;
  readonly name: string;
  readonly orders: readonly [BoardOrder, ...BoardOrder[]];
  /** All of it has left, and the line holds its place. */
  readonly line: UndoLine | undefined;
}

const byName = new Intl.Collator(locale, { numeric: true });

export function tableKey(name: string): string {
  return name.trim().toLowerCase();
}

/** In the natural order of their names: Table 2 before Table 10. */
export function tablesOf(state: State): readonly Table[] {
  const tables = new Map<string, Table>();
  const add = (order: BoardOrder, line: UndoLine | undefined): void => {
    const key = tableKey(order.table);
    if (key === "" || order.stage === "closed" || placeOf(order, state.now) === "later") return;
    const table = tables.get(key);
    if (table === undefined) tables.set(key, { key, name: order.table, orders: [order], line });
    else if (table.line === line) {
      tables.set(key, { ...table, orders: [...table.orders, order] });
    }
  };
  for (const order of boardOrders(state)) add(order, undefined);
  for (const line of state.undoLines.toReversed()) {
    for (const order of line.before) add(order, line);
  }
  return [...tables.values()].sort((one, other) => byName.compare(one.name, other.name));
}

/** The pizzas that a waiter can bring to the table now. */
export function servable({ orders }: Table): readonly Pizza[] {
  return orders.flatMap((order) => pizzasOf(order, "Ready"));
}
