/**
 * Places what is in the basket, so that each order exists exactly once. What gets no answer is sent
 * again, the same body under the same id, until there is an answer. A 409 then tells our own order
 * from a stranger's. Sending follows from the state: any tab goes on with what another one left.
 */

import { explain, isRefusal, isRetryable, orderPath, read, Refusal, write } from "../shared/api.ts";
import { ask } from "../shared/dom.ts";
import { holdsTheSame, readMenu } from "../shared/menu.ts";
import { signIn, token } from "../shared/session.ts";
import { save } from "../shared/storage.ts";
import type { Order, OrderContent } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  isBegun, isEmpty, isNext, isSending, renumbered, savedVisits, sealed, unanswered, withOnly,
  withPlaced, withStop, withVisit,
} from "./basket.ts";
import { goToOrders, readOrders } from "./orders.ts";
import { isSizeMissing, nextStep, prefix, withMenu } from "./state.ts";
import { set, setBasket, state } from "./store.ts";

const maxWaitSeconds = 15;

export async function placeOrder(): Promise<void> {
  const basket = withOnly(state().basket, isBegun);
  const plain = basket.pizzas.findIndex(({ toppings }) => toppings.length === 0);
  setBasket(basket);
  if (plain >= 0 && !(await isMeantPlain(plain))) return;
  // Another tab may have sent it in the meantime, or something sold out.
  if (isSending(state().basket) || nextStep(state()).action !== "place") return;
  setBasket(sealed(state().basket, prefix));
  // Not to "Don't send", which takes the button's place: Enter may be pressed twice.
  queueMicrotask(() => { document.getElementById("order")?.focus(); });
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

const sender = { isOn: false, wake: (): void => undefined };
addEventListener("online", () => { sender.wake(); });

/** Sends for as long as the basket says so, once it is known who may order. */
export async function sendOrders(): Promise<void> {
  if (sender.isOn || !state().isLoaded || !isSending(state().basket)) return;
  sender.isOn = true;
  // One tab at a time. Over plain HTTP there are no locks: two tabs then send the same ids.
  try {
    await (navigator.locks?.request(location.pathname, sendAll) ?? sendAll());
  } finally {
    sender.isOn = false;
  }
  showPlaced();
}

async function sendAll(): Promise<void> {
  let [tries, isNewGuest] = [0, false];
  while (isSending(state().basket)) {
    try {
      await settleStopped();
      const [next] = unanswered(state().basket);
      if (next !== undefined) await place(next);
      tries = 0;
      if (isSending(state().basket)) set({ note: "" });
    } catch (fault) {
      // An old guest's token has expired and is dropped by now: get another.
      if (state().guests && !isNewGuest && isRefusal(fault, 401)) {
        isNewGuest = true;
      } else if (!isRetryable(fault)) await giveBack(fault);
      else if (isSending(state().basket)) {
        const reason = explain(fault);
        set({ note: t("{reason} Your order is sent again by itself.", { reason }) });
        await pause(Math.max(fault instanceof Refusal ? fault.retryAfterSeconds : 0, 2 ** tries));
        tries += 1;
      }
    }
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => {
    sender.wake = resolve;
    setTimeout(resolve, Math.min(seconds, maxWaitSeconds) * 1000);
  });
}

/** Throws the Refusal, or what fetch throws. */
async function place(order: OrderContent): Promise<void> {
  try {
    if (token() === null && state().guests) await becomeGuest();
    await write<Order>("POST", "api/orders", order);
  } catch (fault) {
    if (!isRefusal(fault, 409) || fault.type !== "id-taken") throw fault;
    // Not identical, and still ours: it may have moved on while its answer was lost.
    if (!fault.identical && !(await isThere(order))) {
      if (!(await settleStopped())) set({ basket: renumbered(state().basket, prefix) });
      return;
    }
  }
  takePlaced(order);
}

async function becomeGuest(): Promise<void> {
  const { data } = await write<{ readonly token: string }>("POST", "api/tokens");
  signIn(data.token);
}

/** A stranger's order that this token may not read is a 404. */
async function isThere(order: OrderContent): Promise<boolean> {
  try {
    return holdsTheSame((await read<Order>(orderPath(order.id))).data, order);
  } catch (fault) {
    if (isRefusal(fault, 404) || isRefusal(fault, 401)) return false;
    throw fault;
  }
}

function takePlaced(order: OrderContent): void {
  const { basket } = state();
  const next = withPlaced(basket, order);
  // Another tab was quicker, and has noted it.
  if (next === basket) return;
  const visits = withVisit(savedVisits(), [...basket.placed.map(({ id }) => id), order.id]);
  save("visits", visits);
  const total = basket.placed.length + basket.pizzas.length;
  set({
    basket: next, visits,
    announcement: t("{number} of {total} placed", { number: basket.placed.length + 1, total }),
    note: isNext(basket, order) ? "" : t("The order that you stopped had arrived already."),
  });
}

/** Shows the orders once all of them are placed, unless something else is looked at. */
function showPlaced(): void {
  const { basket, ids, visits: [visit], note } = state();
  if (ids.length > 0 || visit === undefined) return;
  if (!isEmpty(basket)) return void readOrders().catch(() => undefined);
  goToOrders(visit.ids);
  set({ isJustPlaced: true, note });
}

/** Nothing was answered yet. What is under way may still arrive: see `settleStopped`. */
export function stopSending(): void {
  const { basket } = state();
  if (basket.placed.length === 0) setBasket(withStop(basket));
  sender.wake();
}

/** An order that was stopped may have arrived all the same: then it counts. */
export async function settleStopped(): Promise<boolean> {
  const [order] = state().basket.stopped;
  if (order === undefined || !(await isThere(order))) return false;
  takePlaced(order);
  if (!sender.isOn) showPlaced();
  return true;
}

/** An order was refused: the rest can be changed again. Says what has to be. */
async function giveBack(fault: unknown): Promise<void> {
  const isRefused = isRefusal(fault, 400) || isRefusal(fault, 409);
  // Something has just sold out or left the menu, or the shop has closed.
  const menu = isRefused ? await readMenu().catch(() => state().menu) : state().menu;
  set(withMenu({ ...state(), basket: { ...state().basket, sentAs: "" }, note: "" }, menu));
  const { note, basket: { placed } } = state();
  const isPlain = isRefused && (note !== "" || nextStep(state()).action !== "place");
  const before = placed.length === 0 ? ""
    : t("{count} pizzas are placed already.", { count: placed.length });
  set({ note: `${before} ${isPlain ? note : explain(fault)}`.trim() });
}
