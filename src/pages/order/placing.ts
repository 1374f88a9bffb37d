/**
 * Places the basket's order, whole or not at all, and exactly once. Without an answer the same body
 * is sent again, until the shop has answered. Sending ends with the page. The next page finds the
 * order in the basket, and asks the shop about it.
 */

import { explain, isRefusal, isRetryable, Refusal, serverNow, write } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { readMenu } from "../shared/read-menu.ts";
import { claims, signIn, token } from "../shared/session.ts";
import { onlineOrAfter } from "../shared/stream.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { freshBasket, isFrozen, nothingSent, type Sent } from "./basket.ts";
import { ordersOf } from "./basket-orders.ts";
import { applyPlaced, readOrders } from "./following.ts";
import { isInDoubt, isStaff, type State, visitOfSent, choosingAgain, withMenu } from "./state.ts";
import { nextStep } from "./step.ts";
import { drawNow, set, state, until } from "./store.ts";
import { withVisit } from "./visits.ts";

const maxWaitSeconds = 15;
/** So long a guest waits without a word. */
const patienceMs = 2000;

/** The run that sends. Once it is stopped it sends nothing more; a late answer still counts. */
const sender = { run: new AbortController() };

/** Sends the order. One without an answer is sent again as it was. */
export async function send(): Promise<void> {
  const { basket } = state();
  const sent = isFrozen(basket) ? basket.sent
    : { orders: ordersOf(state()), by: "", arrival: "not yet" } as const;
  set({
    basket: { ...basket, sent }, isSending: true, isStopped: false, holdUp: "", message: "",
    gone: [], openRow: "", noteRow: "", removed: undefined, isNameAsked: false,
  });
  showOrder();
  sender.run = new AbortController();
  await sendUntilAnswered(sender.run.signal);
}

function showOrder(): void {
  drawNow();
  document.getElementById("order")?.focus();
}

async function sendUntilAnswered(run: AbortSignal): Promise<void> {
  for (let tries = 0, isNewGuest = false; state().isSending && !run.aborted;) {
    const impatience = setTimeout(() => {
      if (!run.aborted) set({ holdUp: state().holdUp || t("No answer from the shop yet.") });
    }, patienceMs);
    try {
      await sendOnce(run);
    } catch (fault) {
      if (run.aborted) return;
      if (isRefusal(fault, 401) && isGuest(state()) && !isNewGuest) isNewGuest = true;
      else if (!isRetryable(fault)) return await endByRefusal(fault);
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
  return Promise.race([onlineOrAfter(1000 * wait), until(({ isSending }) => !isSending)]);
}

/** Throws the Refusal, or what fetch throws. */
async function sendOnce(run: AbortSignal): Promise<void> {
  const { claims: person, refused } = state();
  if (isGuest(state()) && (person === undefined || refused !== undefined)) await becomeGuest();
  const { sent } = state().basket;
  if (run.aborted || !state().isSending) return;
  const { orders } = sent;
  const sub = claims()?.sub ?? "";
  // On the device before it is sent.
  const isAgain = sent.arrival === "maybe";
  noteSent({ orders, by: isAgain && sent.by !== sub ? "" : sub, arrival: "maybe" });
  try {
    const answer = write<readonly Order[]>("POST", "api/orders", orders)
      .then(({ data }) => { applyPlaced(data); });
    await Promise.race([answer, until(({ isSending }) => !isSending)]);
  } catch (fault) {
    // The ids are this device's own: the shop has the order.
    if (isRefusal(fault, 409) && fault.type === "id-taken") return await findPlaced();
    const isAnswer = fault instanceof Refusal && fault.status < 500 && fault.status !== 408;
    if (isAnswer && !isAgain) noteSent({ orders, by: sub, arrival: "not yet" });
    throw fault;
  }
}

/** A request may have arrived. */
function mayHaveArrived({ basket: { sent } }: State): boolean {
  return sent.arrival === "maybe";
}

function noteSent(sent: Sent): void {
  set({ basket: { ...state().basket, sent } });
}

/** Anybody may order here, and this is nobody in particular. */
function isGuest(now: State): boolean {
  return now.guestOrders && !isStaff(now);
}

/** A guest's token that another tab has stored meanwhile counts: this one is dropped. */
async function becomeGuest(): Promise<void> {
  const before = token();
  const { data } = await write<{ readonly token: string }>("POST", "api/tokens");
  if (token() === before) signIn(data.token);
}

/** Reads the order, unless another sign-in than this one has placed it. */
async function findPlaced(): Promise<void> {
  const { idPrefix } = state().basket;
  await readOrders().catch(() => undefined);
  if (state().basket.idPrefix === idPrefix) applyPlaced([]);
}

/** An order under way may still arrive: then the page says so. */
export function stop(): void {
  sender.run.abort();
  set(mayHaveArrived(state()) ? { isSending: false, holdUp: "", isStopped: true }
    : choosingAgain(state(), t("Stopped. Your order is kept.")));
  if (isInDoubt(state())) void askShop();
  showOrder();
}

/** Asks whether the shop has the order in doubt. */
export async function askShop(): Promise<void> {
  set({ isSentElsewhere: false });
  const fault = await readOrders().then(() => undefined, (error: unknown) => error);
  if (isInDoubt(state())) {
    set({ message: fault === undefined ? "" : explain(fault) });
  }
}

/** Leaves the order in doubt to itself. */
export async function startOver(): Promise<void> {
  const isMeant = await ask(t("It may arrive twice."), t("Start over"), t("Keep it"));
  if (!isMeant || !isInDoubt(state())) return;
  const { addressTable, basket, visits } = state();
  const { idPrefix, group } = freshBasket(addressTable);
  const visit = visitOfSent(basket, serverNow());
  set({
    basket: { ...basket, idPrefix, group, sent: nothingSent }, visits: withVisit(visits, visit),
    message: "",
  });
}

/** The order was refused, and can be changed again. Says what has to be. */
async function endByRefusal(fault: unknown): Promise<void> {
  const isByMenu = isRefusal(fault, 400) || isRefusal(fault, 409);
  const menu = isByMenu ? await readMenu().catch(() => state().menu) : state().menu;
  if (!state().isSending) return;
  const isUnsure = mayHaveArrived(state());
  set(isUnsure ? { isSending: false, holdUp: "" } : choosingAgain(state(), ""));
  set(withMenu(state(), menu));
  // The page may show by now what was wrong.
  const isShown = (isByMenu || isRefusal(fault, 401)) && nextStep(state()).act !== "place";
  set({ message: state().message || (isShown && !isUnsure ? "" : explain(fault)) });
  if (isUnsure) void askShop();
}
