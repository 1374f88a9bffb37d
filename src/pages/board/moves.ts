/**
 * A press moves the pizzas of an order on, or changes their texts. One line says what was done by a
 * press, and takes it back as a whole.
 */

import { explain } from "../shared/api.ts";
import { isOpen, numberOf, orderTitle, shortNumber } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { Order, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import type { BoardOrder } from "./known-orders.ts";
import { listOf, ordersWith } from "./lists.ts";
import { isDone, latestOf, type PizzaWrite, writeOrders } from "./order-writes.ts";
import { statuses } from "./statuses.ts";
import { notify, state } from "./store.ts";

/** Brings pizzas to a status. `isQuiet`: without a line, unless an order leaves its list. */
export async function moveOrders(
  pizzas: readonly Order[], to: Status, isQuiet = false,
): Promise<void> {
  const writes = pizzas.map((seen) => ({ seen, body: { status: to } }));
  const before = ordersWith(state(), pizzas);
  const name = nameInLine(before, writes);
  const { written, newer, fault } = await writeOrders(writes);
  const isStale = newer.length > 0;
  if (written.length > 0) {
    if (isQuiet && !isStale && !before.some(hasLeft)) return;
    const text = doneText(before, written);
    notify(isStale ? `${text} · ${staleText(name)}` : text,
      () => { void undo(name, written); }, before);
  } else if (isStale) notify(staleText(name));
  // A card or row that is still there says itself that it was not sent.
  else if (fault !== undefined && before.length === 0) notify(`${name}: ${explain(fault)}`);
}

function hasLeft(order: BoardOrder): boolean {
  const now = ordersWith(state(), order.pizzas).find(({ id }) => id === order.id);
  return now === undefined || listOf(now, state().now) !== listOf(order, state().now);
}

/** Resolves to what went wrong, or to "". Changes from elsewhere are in the state by then. */
export async function changeTexts(writes: readonly PizzaWrite[]): Promise<string> {
  const before = ordersWith(state(), writes.map(({ seen }) => seen));
  const name = nameInLine(before, writes);
  const { written, newer, fault } = await writeOrders(writes);
  if (written.length > 0) {
    notify(doneText(before, writes), () => { void undo(name, written); }, before);
  }
  return fault !== undefined ? explain(fault) : newer.length === 0 ? ""
    : newer.every(isOpen) ? t("Somebody else changed it. Save writes over that.")
      : t("Some are done meanwhile. They stay as they are.");
}

/** Takes back what nobody has changed since. */
async function undo(name: string, done: readonly PizzaWrite[]): Promise<void> {
  const writes = done.flatMap(({ seen, body }): readonly PizzaWrite[] => {
    const now = latestOf(seen);
    const fields = Object.keys(body) as (keyof PizzaWrite["body"])[];
    const back = Object.fromEntries(fields.map((field) => [field, seen[field] ?? ""]));
    return isDone(now, body) ? [{ seen: now, body: back }] : [];
  });
  if (writes.length === 0) return notify(t("{number} has been moved on since.", { number: name }));
  const before = ordersWith(state(), writes.map(({ seen }) => seen));
  const { written, fault } = await writeOrders(writes);
  notify(written.length > 0 ? doneText(before, written)
    : fault === undefined ? staleText(name) : `${name}: ${explain(fault)}`);
}

function staleText(name: string): string {
  return t("{number} was changed on another screen.", { number: name });
}

/** `before`: the orders as they were. */
function doneText(before: readonly BoardOrder[], writes: readonly PizzaWrite[]): string {
  const [first] = writes;
  if (first === undefined) return "";
  const { seen, body } = first;
  if (body.status === undefined) return changedText(before, seen, body.table);
  const name = nameInLine(before, writes);
  return writes.every((write) => write.body.status === body.status)
    ? statuses[body.status].movedText(name) : t("{number} is open again", { number: name });
}

/** "Table 5 is now Table 9", or "Bruno: Table 5 to Table 9" where others stay at Table 5. */
function changedText(
  orders: readonly BoardOrder[], seen: Order, table: string | undefined,
): string {
  const before = titleFrom(seen);
  if (table === undefined) return t("{number} changed", { number: before });
  const after = table || titleFrom({ ...seen, table: undefined });
  const isAlone = ![...state().orders.values()].some((order) =>
    isOpen(order) && order.table === seen.table);
  const [{ name, number } = { name: "", number: "" }] = orders;
  return seen.table === undefined || isAlone ? t("{before} is now {after}", { before, after })
    : t("{name}: {before} to {after}", { name: name || shortNumber(number), before, after });
}

/** The name in an undo line: "K7QX3M", "Table 7", or for some pizzas "Table 7 · Diavola, Small". */
function nameInLine(orders: readonly BoardOrder[], writes: readonly PizzaWrite[]): string {
  const [order] = orders;
  const [first] = writes;
  if (order === undefined) return first === undefined ? "" : titleFrom(first.seen);
  if (orders.length > 1) return order.table;
  const others = order.pizzas.filter((pizza) => isOpen(pizza)
    && !writes.some(({ seen, body }) => seen.id === pizza.id || body.status === pizza.status));
  const titles = new Set(writes.map(({ seen }) => pizzaTitle(seen)));
  const [title = ""] = titles;
  return others.length === 0 || titles.size > 1 ? order.title : `${order.title} · ${title}`;
}

/** The title of a pizza's order, made from this pizza alone. */
function titleFrom(pizza: Order): string {
  const { table = "", name = "" } = pizza;
  return orderTitle({ table, name, number: numberOf(pizza) });
}
