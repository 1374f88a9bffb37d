/**
 * Places what is in the basket, so that each order exists exactly once. What gets no answer is sent
 * again, the same body under the same id, until there is an answer. A 409 then tells our own order
 * from a stranger's.
 */

import {
  explain, isRefusal, orderPath, isRetryable, read, Refusal, write,
} from "../shared/api.ts";
import { ask } from "../shared/dom.ts";
import { holdsTheSame, readMenu } from "../shared/menu.ts";
import { signIn, token } from "../shared/session.ts";
import { save } from "../shared/storage.ts";
import type { Order, OrderContent } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  isBegun, isSending, savedVisits, renumbered, sealed, unanswered, withOnly, withPlaced, withVisit,
} from "./basket.ts";
import { goToOrders } from "./orders.ts";
import { needsLink, prefix, whatIsOut, whyClosed, withMenu } from "./state.ts";
import { set, setBasket, state } from "./store.ts";

const longestWaitSeconds = 15;

export async function placeOrder(): Promise<void> {
  // The second half of a double click.
  if (isSending(state().basket)) return;
  if (needsLink(state())) return document.getElementById("access")?.focus();
  const basket = withOnly(state().basket, isBegun);
  const sizeless = basket.pizzas.findIndex(({ size }) => size === "");
  const plain = basket.pizzas.findIndex(({ toppings }) => toppings.length === 0);
  setBasket(basket);
  const why = whyClosed(state());
  if (why === "" && sizeless >= 0) {
    set({ basket: { ...basket, current: sizeless }, note: t("Choose a size first.") });
    return goToSizes();
  }
  const note = why || whatIsOut(state());
  if (note !== "") return set({ note });
  if (plain >= 0 && !(await isMeantPlain(plain))) return;
  // Another tab may have sent it in the meantime.
  if (isSending(state().basket)) return;
  setBasket(sealed(state().basket, prefix));
  await sendOrders();
}

function isMeantPlain(pizza: number): Promise<boolean> {
  setBasket({ current: pizza });
  return ask(t("This pizza has no toppings. Order it plain?"), t("Order it plain"),
    t("Choose toppings"));
}

export function goToSizes(): void {
  set({ isUnfolded: false });
  queueMicrotask(() => {
    document.getElementById("choices")?.scrollIntoView({ block: "start" });
    const sizes = [...document.querySelectorAll<HTMLInputElement>(".sizes :enabled")];
    (sizes.find(({ checked }) => checked) ?? sizes[0])?.focus({ preventScroll: true });
  });
}

/** Runs from the press, or the reload after it, until every order is answered. */
export async function sendOrders(): Promise<void> {
  set({ note: t("Placing your order…"), isUnfolded: false });
  try {
    for (;;) {
      const [next] = unanswered(state().basket);
      if (next === undefined) break;
      if (await place(next)) takePlaced(next.id);
      else set({ basket: renumbered(state().basket, prefix) });
    }
    goToOrders(savedVisits()[0]?.ids ?? []);
  } catch (fault) {
    await giveBack(fault);
  }
}

function takePlaced(id: string): void {
  const { basket } = state();
  const next = withPlaced(basket, id);
  // Another tab was quicker, and has noted it.
  if (next === basket) return;
  const visits = withVisit(savedVisits(), [...basket.placed, id]);
  save("visits", visits);
  set({ basket: next, visits });
}

/** An order was refused: the rest can be changed again. Says what has to be. */
async function giveBack(fault: unknown): Promise<void> {
  const isRefused = isRefusal(fault, 400) || isRefusal(fault, 409);
  // Something has just sold out or left the menu, or the shop has closed.
  const menu = isRefused ? await readMenu().catch(() => state().menu) : state().menu;
  set(withMenu({ ...state(), basket: { ...state().basket, sentAs: "" }, note: "" }, menu));
  const { note, basket: { placed } } = state();
  const why = note || (isRefused && (whyClosed(state()) || whatIsOut(state()))) || explain(fault);
  const before = t("{count} of your orders are placed.", { count: placed.length });
  set({ note: placed.length === 0 ? why : `${before} ${why}` });
}

/** False: the id is another order's. Throws the Refusal that trying again would not cure. */
async function place(order: OrderContent): Promise<boolean> {
  const { basket: { placed, pizzas } } = state();
  const total = placed.length + pizzas.length;
  let isNewGuest = false;
  for (let tries = 0; ; tries += 1) {
    try {
      if (token() === null && state().guests) await becomeGuest();
      await write<Order>("POST", "api/orders", order);
      return true;
    } catch (fault) {
      if (isRefusal(fault, 409) && fault.type === "id-taken") {
        return fault.identical || isOurs(order);
      }
      // An old guest's token has expired and is dropped by now: get another.
      if (state().guests && !isNewGuest && isRefusal(fault, 401)) {
        isNewGuest = true;
        continue;
      }
      if (!isRetryable(fault)) throw fault;
      const asked = fault instanceof Refusal ? fault.retryAfterSeconds : 0;
      const seconds = Math.min(Math.max(asked, 2 ** tries), longestWaitSeconds);
      const wait = { reason: explain(fault), seconds };
      set({
        note: isRefusal(fault, 429) && total > 1
          ? t("Busy: {number} of {total} placed, the rest follows by itself.", {
            number: placed.length, total,
          })
          : t("{reason} Your order is safe and will be sent again in {seconds} s.", wait),
      });
      await new Promise((resolve) => { setTimeout(resolve, seconds * 1000); });
      set({ note: t("Sending your order again…") });
    }
  }
}

async function becomeGuest(): Promise<void> {
  const { data } = await write<{ readonly token: string }>("POST", "api/tokens");
  signIn(data.token);
}

/**
 * Not identical, and still ours: the kitchen may have moved it on while its answer was lost. A
 * stranger's order that this token may not read is a 404.
 */
async function isOurs(order: OrderContent): Promise<boolean> {
  try {
    const { data } = await read<Order>(orderPath(order.id));
    return holdsTheSame(data, order);
  } catch (fault) {
    if (isRefusal(fault, 404)) return false;
    throw fault;
  }
}
