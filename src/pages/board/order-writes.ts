/**
 * Writes to orders. Each is bound to the state that its press was aimed at (If-Match): of two
 * tablets the slower changes nothing and sees the newer state. Several pizzas go one after the
 * other, and show at once that the press was taken.
 */

import { change, Refusal, serverNow } from "../shared/api.ts";
import { isOpen } from "../shared/orders.ts";
import type { Order, Status } from "../shared/types.ts";
import {
  type CardPart, type Mark, markAfter, markWithout, type OrderText, setMark,
} from "./known-orders.ts";
import { isSignedIn } from "./state.ts";
import { applyChanges, set, state } from "./store.ts";

/** An empty text takes it away. */
type Body = Partial<Readonly<Record<OrderText, string>>> & { readonly status?: Status };

/** A pizza as it was seen, and what it shall be. */
export interface PizzaWrite {
  readonly seen: Order;
  readonly body: Body;
}

interface Outcome {
  readonly written: readonly PizzaWrite[];
  /** Changed elsewhere, so that nothing was written. As they are now. */
  readonly newer: readonly Order[];
  /** The first of what else went wrong. Undefined: nothing. */
  readonly fault: unknown;
}

/** The cards change once all are answered. A pizza that is being written is left out. */
export async function writeOrders(writes: readonly PizzaWrite[]): Promise<Outcome> {
  const idle = writes.filter(({ seen }) => state().marks.get(seen.id)?.type !== "sending");
  for (const { seen, body } of idle) {
    // Who changes a text has seen it.
    const under = isMove(body) ? state().marks.get(seen.id) : undefined;
    mark(seen.id, { type: "sending", shown: seen, under });
  }
  const answers: { sent: PizzaWrite; order?: Order | undefined; fault?: unknown }[] = [];
  for (const each of idle) {
    answers.push(await (isMove(each.body) ? sendSurely : send)(each).then(
      (order) => ({ sent: each, order }), (fault: unknown) => {
        // The shop may have done it all the same, and events have told.
        const order = latestOf(each.seen);
        return isDone(order, each.body) ? { sent: each, order } : { sent: each, fault };
      }));
  }
  for (const { sent, order, fault } of answers) settle(sent, order, fault);
  return {
    written: answers.flatMap(({ sent, order }) => order === undefined ? [] : [sent]),
    newer: answers.flatMap(({ sent, order, fault }) =>
      order === undefined && fault === undefined ? [latestOf(sent.seen)] : []),
    fault: answers.find(({ fault }) => fault !== undefined)?.fault,
  };
}

export function isDone(order: Order, body: Body): boolean {
  return (Object.keys(body) as (keyof Body)[]).every((key) => (order[key] ?? "") === body[key]);
}

function isMove({ status }: Body): boolean {
  return status !== undefined;
}

/** An order as the board knows it now. */
export function latestOf(order: Order): Order {
  return state().orders.get(order.id) ?? order;
}

/** `order`: the answer. The card shows the news that the write has hidden, if any. */
function settle({ seen, body }: PizzaWrite, order: Order | undefined, fault: unknown): void {
  const { id } = seen;
  const before = state().marks.get(id);
  const under = before?.type === "sending" && before.under?.type === "changed" ? before.under
    : undefined;
  const latest = state().orders.get(id);
  // An event may have been faster, and newer.
  const isNews = latest !== undefined
    && (order === undefined || order.updatedAt < latest.updatedAt);
  if (isNews) {
    const news = markAfter(order ?? seen, latest, under, serverNow());
    // A form says itself that a text was not sent.
    const isUnsent = fault !== undefined && isMove(body) && isOpen(latest);
    return mark(id, news ?? (isUnsent ? { type: "failed" } : undefined));
  }
  mark(id, order && isOpen(order) ? under : undefined);
  if (order !== undefined) set({ orders: new Map([...state().orders, [id, order]]) });
}

function mark(id: string, value: Mark | undefined): void {
  const marks = new Map(state().marks);
  setMark(marks, id, value);
  set({ marks });
}

/** Somebody has pressed the tag of what others have changed. */
export function markSeen(orders: readonly Order[], part: CardPart): void {
  for (const order of orders) mark(order.id, markWithout(order, state().marks.get(order.id), part));
}

/** Somebody has said OK to what others have cancelled. */
export function forgetCancelled(orders: readonly Order[]): void {
  for (const { id } of orders) if (state().marks.get(id)?.type === "cancelled") mark(id, undefined);
}

/** Sends an unanswered move again once the shop answers again, while somebody is signed in. */
async function sendSurely(pizzaWrite: PizzaWrite): Promise<Order | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(pizzaWrite);
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
async function send({ seen, body }: PizzaWrite): Promise<Order | undefined> {
  const fields = Object.keys(body) as (keyof Body)[];
  let latest = seen;
  const isStale = (): boolean => isMove(body) ? latest.updatedAt !== seen.updatedAt
    : !isOpen(latest) || fields.some((field) => latest[field] !== seen[field]);
  // Lists and events have no ETag: it comes with the order, and with the state that it belongs to.
  const written = await change<Order>(`api/orders/${encodeURIComponent(seen.id)}`, (now) => {
    latest = now;
    return isDone(now, body) || isStale() ? undefined : body;
  });
  if (written !== undefined) return written;
  // An earlier try got no answer, or the browser sent it twice, and it was carried out.
  if (isDone(latest, body)) return latest;
  applyChanges([{ event: "orders.updated", data: latest }]);
  return undefined;
}
