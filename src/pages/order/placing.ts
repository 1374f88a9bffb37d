/**
 * Places the orders of the basket, so that each exists exactly once. An order without an answer is
 * sent again, the same body under the same id, until there is an answer. A 409 is then an order of
 * our own that arrived. Sending ends with the page. The next page finds the rest in the basket.
 */

import { explain, isRefusal, isRetryable, orderPath, read, Refusal, write } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { holdsTheSame, readMenu } from "../shared/menu.ts";
import { signIn, token } from "../shared/session.ts";
import { save } from "../shared/storage.ts";
import { onlineOrAfter } from "../shared/stream.ts";
import type { Order, OrderContent } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  isBegun, isEmpty, nextOrder, renumbered, savedVisits, withOnly, withPlaced, withVisit,
} from "./basket.ts";
import { goToOrders, readOrders } from "./orders.ts";
import { isSizeMissing, nextStep, prefix, withMenu } from "./state.ts";
import { set, setBasket, state } from "./store.ts";

const maxWaitSeconds = 15;
/** So long a guest waits without a word. */
const patienceMs = 2000;

export async function placeOrder(): Promise<void> {
  const basket = withOnly(state().basket, isBegun);
  const plain = basket.pizzas.findIndex(({ toppings }) => toppings.length === 0);
  setBasket(basket);
  if (plain >= 0 && !(await isMeantPlain(plain))) return;
  // Something may have sold out in the meantime.
  if (state().isSending || nextStep(state()).action !== "place") return;
  set({ isSending: true, holdUp: "", message: "", isUnfolded: false });
  queueMicrotask(() => { document.getElementById("order")?.focus(); });
  sender.run = new AbortController();
  await sendAll(sender.run.signal);
}

function isMeantPlain(pizza: number): Promise<boolean> {
  setBasket({ current: pizza });
  return ask(t("This pizza has no toppings. Order it plain?"), t("Order it plain"),
    t("Choose toppings"));
}

/** Turns to the first pizza that has no size to be had. */
export function pickSize(): void {
  const { basket: { pizzas, current }, menu } = state();
  const at = pizzas.findIndex((pizza) => isBegun(pizza) && isSizeMissing(menu, pizza));
  setBasket({ current: at < 0 ? current : at });
  goToSizes();
}

export function goToSizes(): void {
  set({ isUnfolded: false });
  queueMicrotask(() => {
    document.getElementById("choices")?.scrollIntoView({ block: "start" });
    const sizes = [...document.querySelectorAll<HTMLInputElement>(".sizes :enabled")];
    (sizes.find(({ checked }) => checked) ?? sizes[0])?.focus({ preventScroll: true });
  });
}

/** The run that sends. Once it is called off it sends nothing more; a late answer still counts. */
const sender = { run: new AbortController() };

async function sendAll(signal: AbortSignal): Promise<void> {
  for (let tries = 0, isNewGuest = false; state().isSending && !signal.aborted;) {
    const wait = setTimeout(() => {
      if (!signal.aborted) set({ holdUp: state().holdUp || t("No answer from the shop yet.") });
    }, patienceMs);
    try {
      await placeNext(signal);
      tries = 0;
    } catch (fault) {
      if (signal.aborted) return;
      // An old guest's token has expired and is dropped by now: get another.
      if (state().guests && !isNewGuest && isRefusal(fault, 401)) isNewGuest = true;
      else if (!isRetryable(fault)) return await giveBack(fault);
      else {
        set({ holdUp: explain(fault) });
        const asked = fault instanceof Refusal ? fault.retryAfterSeconds : 0;
        await onlineOrAfter(1000 * Math.min(Math.max(asked, 2 ** tries), maxWaitSeconds));
        tries += 1;
      }
    } finally {
      clearTimeout(wait);
    }
  }
}

/** Throws the Refusal, or what fetch throws. */
async function placeNext(signal: AbortSignal): Promise<void> {
  if (token() === null && state().guests) {
    const { data } = await write<{ readonly token: string }>("POST", "api/tokens");
    signIn(data.token);
    if (signal.aborted) return;
  }
  const { basket } = state();
  const order = nextOrder(basket, prefix);
  set({ basket: { ...basket, unanswered: order.id } });
  try {
    const { data } = await write<Order>("POST", "api/orders", order);
    takePlaced(order, data);
  } catch (fault) {
    if (!isRefusal(fault, 409) || fault.type !== "id-taken") throw fault;
    if (fault.identical) takePlaced(order);
    // Sent before, it is ours: changed here, or moved on in the kitchen. Else it is a stranger's.
    else if (basket.unanswered === "" || !(await settle())) {
      set({ basket: renumbered(state().basket) });
    }
  }
}

/** Whether the order without an answer is there: then it counts. */
export async function settle(): Promise<boolean> {
  const { unanswered } = state().basket;
  if (unanswered === "") return false;
  try {
    const { data } = await read<Order>(orderPath(unanswered));
    takePlaced(data, data);
    return true;
  } catch (fault) {
    // A stranger's order that this token may not read is a 404.
    if (isRefusal(fault, 404) || isRefusal(fault, 401)) return false;
    throw fault;
  }
}

/** `answer`: the order as the shop has it, if it told. */
function takePlaced(order: OrderContent, answer?: Order): void {
  const { basket, isSending, orders } = state();
  const next = withPlaced(basket, order);
  // Another tab was quicker, and has noted it.
  if (next === basket) return;
  const visits = withVisit(savedVisits(), [...basket.placed.map(({ id }) => id), order.id]);
  save("visits", visits);
  const total = basket.placed.length + basket.pizzas.length;
  const isExpected = isSending && holdsTheSame(order, nextOrder(basket, prefix));
  const message = isExpected ? "" : t("The order that you stopped had arrived already.");
  set({
    basket: next, visits, message, holdUp: "", isSending: isExpected && next.placed.length > 0,
    orders: answer === undefined ? orders : { ...orders, [order.id]: answer },
    announcement: t("{number} of {total} placed", { number: basket.placed.length + 1, total }),
  });
  if (!state().isSending) showPlaced();
}

/** Shows the orders once all of them are placed, unless something else is looked at. */
function showPlaced(): void {
  const { basket, ids, visits: [visit], message } = state();
  if (!isEmpty(basket) || ids.length > 0 || visit === undefined) {
    return void readOrders().catch(() => undefined);
  }
  goToOrders(visit.ids);
  set({ isJustPlaced: true, message });
}

/** An order under way may still arrive: then its answer, or the next load, says so. */
export function stopSending(): void {
  sender.run.abort();
  set({ isSending: false, message: keptText() || t("Stopped. Your order is kept.") });
  showPlaced();
}

/** An order was refused: the rest can be changed again. Says what has to be. */
async function giveBack(fault: unknown): Promise<void> {
  const isRefused = isRefusal(fault, 400) || isRefusal(fault, 409);
  // Something has just sold out or left the menu, or the shop has closed.
  const menu = isRefused ? await readMenu().catch(() => state().menu) : state().menu;
  const { basket } = state();
  const unanswered = isRefused ? "" : basket.unanswered;
  const given = { ...state(), basket: { ...basket, unanswered }, isSending: false, message: "" };
  set(withMenu(given, menu));
  // The page may show by now what was wrong.
  const isPlain = isRefused && nextStep(state()).action !== "place";
  const reason = state().message || (isPlain ? "" : explain(fault));
  set({ message: `${keptText()} ${reason}`.trim() });
  showPlaced();
}

/** "": nothing is placed yet. */
function keptText(): string {
  const { placed: { length: count } } = state().basket;
  return count === 0 ? "" : t("{count} are placed, the rest is kept.", { count });
}
