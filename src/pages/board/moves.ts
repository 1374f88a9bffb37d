/**
 * Writes to orders. Each is bound to the state that its press was aimed at (If-Match): of two
 * tablets the slower changes nothing and sees the newer state. The pizzas of one press go one after
 * the other, show at once that the press was taken, and come back with one undo.
 */

import { explain, isRefusal, read, Refusal, serverNow, write } from "../shared/api.ts";
import { shortNumber } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { Order, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  type BoardOrder, type Mark, markAfter, markWithout, type OrderText, type Part, setMark,
} from "./known-orders.ts";
import { keyOf, listOf, ordersWith } from "./lists.ts";
import { isSignedIn } from "./state.ts";
import { isOpen, statuses } from "./statuses.ts";
import { applyChanges, notify, set, state } from "./store.ts";

/** An empty text takes it away. */
type Body = Partial<Readonly<Record<OrderText, string>>> & { readonly status?: Status };

/** A pizza as it was seen, and what it shall be. */
export interface Step {
  readonly seen: Order;
  readonly body: Body;
}

/** `written`: the order that it has made. `newer`: changed elsewhere, so nothing was written. */
interface Outcome {
  readonly step: Step;
  readonly written?: Order;
  readonly newer?: Order;
  readonly fault?: unknown;
}

/** Brings pizzas to a status. `isQuiet`: without a line, unless an order leaves its place. */
export function moveOrders(
  pizzas: readonly Order[], to: Status, isQuiet = false,
): Promise<void> {
  return move(pizzas.map((seen) => ({ seen, body: { status: to } })), isQuiet);
}

async function move(steps: readonly Step[], isQuiet: boolean): Promise<void> {
  const before = ordersWith(state(), steps.map(({ seen }) => seen));
  const name = nameOf(before, steps);
  const outcomes = await carryOut(steps, sendSurely);
  const done = outcomes.filter(({ written }) => written !== undefined);
  const isStale = outcomes.some(({ newer }) => newer !== undefined);
  const { fault } = outcomes.find((outcome) => outcome.fault !== undefined) ?? {};
  const changed = t("{number} was changed on another screen.", { number: name });
  if (done.length === 0) {
    // A card says itself that it was not sent.
    const isOnCard = before.length > 0;
    if (isStale) notify(changed);
    else if (fault !== undefined && !isOnCard) notify(`${name}: ${explain(fault)}`);
    return;
  }
  if (isQuiet && !isStale && before.every((order) => !hasLeft(order))) return;
  const text = movedText(name, steps);
  notify(isStale ? `${text} · ${changed}` : text,
    () => { void undo(name, done); }, before);
}

function hasLeft(order: BoardOrder): boolean {
  const now = ordersWith(state(), order.pizzas).find((each) => keyOf(each) === keyOf(order));
  return now === undefined || listOf(now, state().now) !== listOf(order, state().now);
}

function movedText(name: string, steps: readonly Step[]): string {
  const [to, ...others] = new Set(steps.flatMap(({ body: { status } }) => status ?? []));
  return to === undefined || others.length > 0 ? t("{number} is open again", { number: name })
    : statuses[to].movedText(name);
}

/** "K7QX3M", "Table 7", or "Table 7 · Diavola, Small" for some pizzas of an order. */
function nameOf(orders: readonly BoardOrder[], steps: readonly Step[]): string {
  const [order] = orders;
  const [first] = steps;
  if (order === undefined) return first === undefined ? "" : titleOf(first.seen);
  if (orders.length > 1) return order.table;
  const rest = order.pizzas.filter((pizza) => isOpen(pizza)
    && !steps.some(({ seen, body }) => seen.id === pizza.id || body.status === pizza.status));
  const titles = new Set(steps.map(({ seen }) => pizzaTitle(seen)));
  const [title = ""] = titles;
  return rest.length === 0 || titles.size > 1 ? order.title : `${order.title} · ${title}`;
}

function titleOf({ table = "", name = "", group, id }: Order): string {
  return table || name || shortNumber(group ?? id);
}

/** Resolves to what went wrong, or to "". Changes from elsewhere are in the state by then. */
export async function changeTexts(steps: readonly Step[]): Promise<string> {
  const [first] = steps;
  if (first === undefined) return "";
  const before = ordersWith(state(), steps.map(({ seen }) => seen));
  const outcomes = await carryOut(steps, send);
  const done = outcomes.filter(({ written }) => written !== undefined);
  if (done.length > 0) {
    notify(changedText(before, first), () => { void undo(titleOf(first.seen), done); }, before);
  }
  const { fault } = outcomes.find((outcome) => outcome.fault !== undefined) ?? {};
  if (fault !== undefined) return explain(fault);
  const newer = outcomes.flatMap((outcome) => outcome.newer ?? []);
  return newer.length === 0 ? ""
    : newer.every(isOpen) ? t("Somebody else changed it. Save writes over that.")
      : t("Some are done meanwhile. They stay as they are.");
}

/** "Table 5 is now Table 9", or "Bruno: Table 5 to Table 9" where others stay at Table 5. */
function changedText(orders: readonly BoardOrder[], { seen, body: { table } }: Step): string {
  const before = titleOf(seen);
  if (table === undefined) return t("{number} changed", { number: before });
  const after = table || titleOf({ ...seen, table: undefined });
  const isAlone = ![...state().orders.values()].some((order) =>
    isOpen(order) && order.table === seen.table);
  const [{ name, number } = { name: "", number: "" }] = orders;
  return seen.table === undefined || isAlone ? t("{before} is now {after}", { before, after })
    : t("{name}: {before} to {after}", { name: name || shortNumber(number), before, after });
}

/** Takes back what nobody has changed since. */
async function undo(name: string, done: readonly Outcome[]): Promise<void> {
  const steps = done.flatMap(({ step: { seen, body } }): readonly Step[] => {
    const now = state().orders.get(seen.id) ?? seen;
    const fields = Object.keys(body) as (keyof Body)[];
    const isSame = fields.every((field) => (now[field] ?? "") === body[field]);
    const back = Object.fromEntries(fields.map((field) => [field, seen[field] ?? ""]));
    return isSame ? [{ seen: now, body: back }] : [];
  });
  const isMove = done.some(({ step: { body } }) => body.status !== undefined);
  if (steps.length === 0) {
    return notify(t("{number} has been moved on since.", { number: name }));
  }
  const before = ordersWith(state(), steps.map(({ seen }) => seen));
  const outcomes = await carryOut(steps, isMove ? sendSurely : send);
  const isDone = outcomes.some(({ written }) => written !== undefined);
  const [first] = steps;
  if (!isDone || first === undefined) {
    return notify(t("{number} was changed on another screen.", { number: name }));
  }
  notify(isMove ? movedText(name, steps) : changedText(before, first));
}

/** One after the other; the cards change once all are answered. */
async function carryOut(
  steps: readonly Step[], sendOne: (step: Step) => Promise<Order | undefined>,
): Promise<readonly Outcome[]> {
  const free = steps.filter(({ seen }) => state().marks.get(seen.id)?.type !== "sending");
  for (const { seen, body } of free) {
    // Who changes a text has seen it.
    const under = body.status === undefined ? undefined : state().marks.get(seen.id);
    mark(seen.id, { type: "sending", shown: seen, under });
  }
  const outcomes: Outcome[] = [];
  for (const step of free) {
    outcomes.push(await sendOne(step).then(
      (written) => written === undefined ? { step, newer: nowOf(step) } : { step, written },
      (fault: unknown) => ({ step, fault })));
  }
  for (const { step: { seen, body }, written, fault } of outcomes) {
    settle(seen, written);
    // The card says that it was not sent, unless there is news of the order.
    const isSilent = fault !== undefined && body.status !== undefined;
    if (isSilent && state().orders.has(seen.id) && !state().marks.has(seen.id)) {
      mark(seen.id, { type: "failed" });
    }
  }
  return outcomes;
}

function nowOf({ seen }: Step): Order {
  return state().orders.get(seen.id) ?? seen;
}

/** Takes over the answer to a write. Without one there may be news that the write has hidden. */
function settle(seen: Order, written: Order | undefined): void {
  const { id } = seen;
  const before = state().marks.get(id);
  const under = before?.type === "sending" && before.under?.type === "changed" ? before.under
    : undefined;
  const latest = state().orders.get(id);
  if (written === undefined) {
    return mark(id, latest && markAfter(seen, latest, under, serverNow()));
  }
  mark(id, isOpen(written) ? under : undefined);
  // An event may have been faster, and newer.
  const isNewer = latest === undefined || written.updatedAt >= latest.updatedAt;
  if (isNewer) set({ orders: new Map([...state().orders, [id, written]]) });
}

function mark(id: string, value: Mark | undefined): void {
  const marks = new Map(state().marks);
  setMark(marks, id, value);
  set({ marks });
}

/** Somebody has pressed the tag of what others have changed. */
export function markSeen(orders: readonly Order[], part: Part): void {
  for (const order of orders) mark(order.id, markWithout(order, state().marks.get(order.id), part));
}

/** Somebody has said OK to what others have cancelled. */
export function forgetCancelled(orders: readonly Order[]): void {
  for (const { id } of orders) if (state().marks.get(id)?.type === "cancelled") mark(id, undefined);
}

/** Sends an unanswered move again once the shop answers again, while somebody is signed in. */
async function sendSurely(step: Step): Promise<Order | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(step);
    } catch (fault) {
      // A shop that starts is as good as none, and answers soon.
      const isStarting = fault instanceof Refusal && fault.type === "starting";
      const isAnswer = fault instanceof Refusal || tries > 1 && state().lostAt === undefined;
      if (isAnswer && !isStarting) throw fault;
      do await new Promise((resolve) => { setTimeout(resolve, 1000); });
      while (state().lostAt !== undefined && isSignedIn(state()));
      if (!isSignedIn(state())) throw fault;
    }
  }
}

/**
 * Resolves to undefined where it was changed elsewhere: a move is bound to all of the order, a text
 * to itself, as long as the order is open.
 */
async function send({ seen, body }: Step): Promise<Order | undefined> {
  const path = `api/orders/${encodeURIComponent(seen.id)}`;
  // Lists and events have no ETag: it is fetched, with the state that it belongs to.
  const { data, etag } = await read<Order>(path);
  const fields = Object.keys(body) as (keyof Body)[];
  // Where an earlier try got no answer, it may have been carried out.
  if (fields.every((field) => (data[field] ?? "") === body[field])) return data;
  const isMove = body.status !== undefined;
  const isStale = isMove ? data.updatedAt !== seen.updatedAt
    : !isOpen(data) || fields.some((field) => data[field] !== seen[field]);
  if (isStale) {
    applyChanges([{ event: "orders.updated", data }]);
    return undefined;
  }
  try {
    return (await write<Order>("PATCH", path, body, etag)).data;
  } catch (fault) {
    if (!isRefusal(fault, 412)) throw fault;
    return isMove ? undefined : send({ seen, body });
  }
}
