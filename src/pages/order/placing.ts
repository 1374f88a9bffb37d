/**
 * Places the orders of the basket, so that each exists exactly once. An order without an answer is
 * sent again, the same body under the same id, until the shop has answered or has it. Sending ends
 * with the page. The next page finds the rest in the basket.
 */

import { explain, isRefusal, isRetryable, Refusal, serverNow, write } from "../shared/api.ts";
import { statusFacts } from "../shared/orders.ts";
import { readMenu } from "../shared/read-menu.ts";
import { signIn } from "../shared/session.ts";
import { onlineOrAfter } from "../shared/stream.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  type Basket, isBegun, keepPizzas, withNewId, withoutUnanswered, withUnanswered,
} from "./basket.ts";
import { type BasketOrder, ordersOf } from "./basket-orders.ts";
import { applyAnswer, readOrders } from "./following.ts";
import { newNumber } from "./numbers.ts";
import { isSending, isStaff, placedOf, type State, withMenu } from "./state.ts";
import { nextStep } from "./step.ts";
import { drawNow, set, state, until } from "./store.ts";

const maxWaitSeconds = 15;
/** So long a guest waits without a word. */
const patienceMs = 2000;
/** After that, what is placed is no longer made together with the first pizzas. */
const longestGroupMs = 10 * 60_000;

/** The run that sends. Once it is stopped it sends nothing more; a late answer still counts. */
const sender = { run: new AbortController() };

export async function send(): Promise<void> {
  set({
    basket: readyToSend(state()), placing: "sending", isStopped: false, holdUp: "", message: "",
    noteOpenFor: [], isNameAsked: false,
  });
  showOrder();
  sender.run = new AbortController();
  await sendAll(sender.run.signal);
}

function showOrder(): void {
  drawNow();
  document.getElementById("order")?.focus();
}

/** The basket as it is sent. Late pizzas of a number get a number of their own. */
function readyToSend(state: State): Basket {
  const { basket, visits } = state;
  const begun = keepPizzas(basket, isBegun);
  const visit = visits.find(({ group }) => group === basket.group);
  const isLate = visit !== undefined && serverNow() - visit.placedAt > longestGroupMs;
  const isReady = placedOf(state).some(({ status }) => statusFacts[status].isReady);
  return isLate || isReady ? { ...begun, group: newNumber() } : begun;
}

async function sendAll(run: AbortSignal): Promise<void> {
  for (let tries = 0, isNewGuest = false; isSending(state()) && !run.aborted;) {
    const impatience = setTimeout(() => {
      if (!run.aborted) set({ holdUp: state().holdUp || t("No answer from the shop yet.") });
    }, patienceMs);
    try {
      await placeNext(run);
      tries = 0;
    } catch (fault) {
      if (run.aborted) return;
      if (isRefusal(fault, 401) && needsNewGuest(state()) && !isNewGuest) isNewGuest = true;
      else if (!isRetryable(fault) && !isUncertain(fault)) return await endByRefusal(fault);
      else {
        set({ holdUp: explain(fault) });
        await pauseFor(fault, 2 ** tries);
        tries += 1;
      }
    } finally {
      clearTimeout(impatience);
    }
  }
}

/** Ends early once the device is online again, or the order has turned up. */
function pauseFor(fault: unknown, seconds: number): Promise<unknown> {
  const asked = fault instanceof Refusal ? fault.retryAfterSeconds : 0;
  const wait = Math.min(Math.max(asked, seconds), maxWaitSeconds);
  return Promise.race([onlineOrAfter(1000 * wait), until(isGone(nextOrder(state()).id))]);
}

/** Throws the Refusal, or what fetch throws. */
async function placeNext(run: AbortSignal): Promise<void> {
  if (needsNewGuest(state())) {
    const { data } = await write<{ readonly token: string }>("POST", "api/tokens");
    signIn(data.token);
    if (run.aborted) return;
  }
  const { basket } = state();
  const order = nextOrder(state());
  const wasSent = basket.unanswered.some(({ id }) => id === order.id);
  // On the device before it is sent.
  set({ basket: withUnanswered(basket, order) });
  try {
    const answer = write<Order>("POST", "api/orders", order).then(({ data }) => applyAnswer(data));
    await Promise.race([answer, until(isGone(order.id))]);
  } catch (fault) {
    if (isRefusal(fault, 409) && fault.type === "id-taken") return findTaken(order.id);
    // A refusal stores nothing. But an older request that had no answer may have stored it.
    const isStored = !(fault instanceof Refusal) || isRetryable(fault)
      || wasSent && !isOrderRefused(fault);
    if (!isStored) set({ basket: withoutUnanswered(state().basket, order.id) });
    throw fault;
  }
}

/**
 * A guest gets another sign-in where the shop refuses theirs, but for an order that the shop may
 * have under the old one: it would be ordered twice.
 */
function needsNewGuest(state: State): boolean {
  const { guestOrders, claims, refused, basket: { unanswered } } = state;
  if (!guestOrders || isStaff(state)) return false;
  return claims === undefined || refused !== undefined && unanswered.length === 0;
}

/** The shop refuses the sign-in, and may have an order of it: only that sign-in can tell. */
function isUncertain(fault: unknown): boolean {
  return isRefusal(fault, 401) && state().basket.unanswered.length > 0;
}

function nextOrder(state: State): BasketOrder {
  const [order] = ordersOf(state);
  if (order === undefined) throw new Error("an empty basket");
  return order;
}

/** A taken id is that of an order of our own that arrived before, else a stranger's. */
async function findTaken(id: string): Promise<void> {
  await readOrders();
  if (!isGone(id)(state())) set({ basket: withNewId(state().basket, id) });
}

function isGone(id: string): (state: State) => boolean {
  return ({ basket }) => !basket.pizzas.some((pizza) => pizza.id === id);
}

/** The shop has closed, or something has sold out or left the menu: it has no order of that id. */
function isOrderRefused(fault: unknown): boolean {
  return isRefusal(fault, 400) || isRefusal(fault, 409);
}

/** An order under way may still arrive: then the page says so. */
export function stop(): void {
  sender.run.abort();
  set({ isStopped: true });
  endSending(placedText() || t("Stopped. Your order is kept."));
  showOrder();
}

/** An order was refused: the rest can be changed again. Says what has to be. */
async function endByRefusal(fault: unknown): Promise<void> {
  const menu = isOrderRefused(fault) ? await readMenu().catch(() => state().menu) : state().menu;
  endSending("");
  set(withMenu(state(), menu));
  // The page may show by now what was wrong.
  const isShown = (isOrderRefused(fault) || isRefusal(fault, 401))
    && nextStep(state()).act !== "place";
  const reason = state().message || (isShown ? "" : explain(fault));
  set({ message: `${placedText()} ${reason}`.trim() });
}

function endSending(message: string): void {
  const { basket: { unanswered } } = state();
  set({ placing: unanswered.length > 0 ? "in doubt" : "choosing", message });
}

/** "": nothing is placed yet. */
function placedText(): string {
  const { length: count } = placedOf(state());
  return count === 0 ? "" : t("{count} are placed, the rest is kept.", { count });
}
