/**
 * Places the orders of the basket, so that each exists exactly once. An order without an answer is
 * sent again, the same body under the same id, until the shop has answered or has it. Sending ends
 * with the page. The next page finds the rest in the basket.
 */

import { explain, isRefusal, isRetryable, Refusal, write } from "../shared/api.ts";
import { readMenu } from "../shared/menu.ts";
import { signIn, token } from "../shared/session.ts";
import { onlineOrAfter } from "../shared/stream.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { withNewId, withoutUnanswered, withUnanswered } from "./basket.ts";
import { readOrders, takeAnswer } from "./following.ts";
import { isSending, placedOf, type State, withMenu } from "./state.ts";
import { nextOrder, nextStep, readyToSend } from "./step.ts";
import { drawNow, set, state, until } from "./store.ts";

const maxWaitSeconds = 15;
/** So long a guest waits without a word. */
const patienceMs = 2000;

/** The run that sends. Once it is stopped it sends nothing more; a late answer still counts. */
const sender = { run: new AbortController() };

export async function send(): Promise<void> {
  const basket = readyToSend(state());
  set({ basket, placing: "sending", holdUp: "", message: "", isNameAsked: false });
  drawNow();
  document.getElementById("order")?.focus();
  sender.run = new AbortController();
  await sendAll(sender.run.signal);
}

async function sendAll(run: AbortSignal): Promise<void> {
  for (let tries = 0, isNewGuest = false; isSending(state()) && !run.aborted;) {
    const impatience = setTimeout(() => {
      if (!run.aborted) holdUp(state().holdUp || t("No answer from the shop yet."));
    }, patienceMs);
    try {
      await placeNext(run);
      tries = 0;
    } catch (fault) {
      if (run.aborted) return;
      // An old guest's token has expired and is dropped by now: get another.
      if (state().guests && !isNewGuest && isRefusal(fault, 401)) isNewGuest = true;
      else if (!isRetryable(fault)) return await giveBack(fault);
      else {
        holdUp(explain(fault));
        await pauseFor(fault, 2 ** tries);
        tries += 1;
      }
    } finally {
      clearTimeout(impatience);
    }
  }
}

function holdUp(reason: string): void {
  set({ placing: "held up", holdUp: reason });
}

/** Ends early once the device is online again, or the order has turned up. */
function pauseFor(fault: unknown, seconds: number): Promise<unknown> {
  const asked = fault instanceof Refusal ? fault.retryAfterSeconds : 0;
  const wait = Math.min(Math.max(asked, seconds), maxWaitSeconds);
  return Promise.race([onlineOrAfter(1000 * wait), until(isGone(nextOrder(state()).id))]);
}

/** Throws the Refusal, or what fetch throws. */
async function placeNext(run: AbortSignal): Promise<void> {
  if (token() === null && state().guests) {
    const { data } = await write<{ readonly token: string }>("POST", "api/tokens");
    signIn(data.token);
    if (run.aborted) return;
  }
  const { basket } = state();
  const order = nextOrder(state());
  const wasSent = basket.unanswered.some(({ id }) => id === order.id);
  set({ basket: withUnanswered(basket, order) });
  try {
    const body = { ...order, status: "Pending" };
    const answer = write<Order>("POST", "api/orders", body).then(({ data }) => takeAnswer(data));
    await Promise.race([answer, until(isGone(order.id))]);
  } catch (fault) {
    if (isRefusal(fault, 409) && fault.type === "id-taken") return findTaken(order.id);
    // A refusal stores nothing. But an older request that had no answer may have stored it.
    const isStored = !(fault instanceof Refusal) || isRetryable(fault)
      || wasSent && !isMisfit(fault);
    if (!isStored) set({ basket: withoutUnanswered(state().basket, order.id) });
    throw fault;
  }
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
function isMisfit(fault: unknown): boolean {
  return isRefusal(fault, 400) || isRefusal(fault, 409);
}

/** An order under way may still arrive: then the page says so. */
export function stop(): void {
  sender.run.abort();
  giveBackWith(keptText() || t("Stopped. Your order is kept."));
  drawNow();
  document.getElementById("order")?.focus();
}

/** An order was refused: the rest can be changed again. Says what has to be. */
async function giveBack(fault: unknown): Promise<void> {
  const menu = isMisfit(fault) ? await readMenu().catch(() => state().menu) : state().menu;
  giveBackWith("");
  set(withMenu(state(), menu));
  // The page may show by now what was wrong.
  const isShown = isMisfit(fault) && nextStep(state()).act !== "place";
  const reason = state().message || (isShown ? "" : explain(fault));
  set({ message: `${keptText()} ${reason}`.trim() });
}

function giveBackWith(message: string): void {
  const { basket: { unanswered } } = state();
  set({ placing: unanswered.length > 0 ? "in doubt" : "choosing", holdUp: "", message });
}

/** "": nothing is placed yet. */
function keptText(): string {
  const { length: count } = placedOf(state());
  return count === 0 ? "" : t("{count} are placed, the rest is kept.", { count });
}
