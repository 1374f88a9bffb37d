/** The state of the page, saved on the device as far as a reload must find it. */

import { menuAtFirst } from "../shared/look.ts";
import { pageStateOf } from "../shared/page-state.ts";
import { claims, refusedSignIn } from "../shared/session.ts";
import { onSavedElsewhere } from "../shared/storage.ts";
import { t } from "../shared/words.ts";
import { addressTable, isBasketOpenInHistory, readAddressNumber } from "./address.ts";
import { type Basket, isEmpty, isFrozen } from "./basket.ts";
import { ownOrdersKey, saveBasket, savedBasket, savedOwnOrders, saveOwnOrders } from "./saved.ts";
import { isSending, isStaff, type State } from "./state.ts";

const pageState = pageStateOf(firstState());

export const { state, drawNow, onChange } = pageState;

function firstState(): State {
  const basket = savedBasket();
  return {
    isLoaded: false, menu: menuAtFirst(), guestOrders: false, claims: claims(),
    refused: refusedSignIn(), addressNumber: readAddressNumber(), addressTable, orders: new Map(),
    isAddressKnown: false, isDenied: false, basket, ownOrders: savedOwnOrders(),
    sending: "no", delay: "", search: "", diet: "", isBasketOpen: isBasketOpenInHistory(),
    openRow: "", noteRow: "", takenOff: undefined, isNameAsked: false, isJustPlaced: false,
    message: leftText(basket), gone: [], announcement: "", isOffline: !navigator.onLine,
    lostAt: undefined,
  };
}

/** Staff may have left an order for another table than the link is for. */
function leftText(basket: Basket): string {
  const { table } = basket;
  const isLeft = isStaff({ claims: claims() }) && !isEmpty(basket) && !isFrozen(basket)
    && addressTable !== "" && table !== addressTable;
  return isLeft ? t("This order for {table} is not sent yet.", { table }) : "";
}

/** The checks of those who wait for a condition. */
const waiting = new Set<() => void>();

export function set(change: Partial<State>): void {
  const before = state();
  pageState.set(change);
  const { basket, ownOrders } = state();
  if (basket !== before.basket) saveBasket(basket);
  if (ownOrders !== before.ownOrders) saveOwnOrders(ownOrders);
  for (const check of waiting) check();
}

/** Resolves once the state meets the condition. */
export function until(isMet: (state: State) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!isMet(state())) return;
      waiting.delete(check);
      resolve();
    };
    waiting.add(check);
    check();
  });
}

/** A person's press: the messages about the basket before go. What was sent stays as it is. */
export function setBasket(change: Partial<Basket>): void {
  const { basket } = state();
  if (isFrozen(basket)) return;
  set({ basket: { ...basket, ...change }, message: "", gone: [] });
}

// Not saved once more: the other tab may have gone on since.
onSavedElsewhere("basket", () => {
  const basket = savedBasket();
  if (!isSending(state())) {
    return pageState.set({ basket, sending: isFrozen(basket) ? "elsewhere" : "no", message: "" });
  }
  // Both send the same order, to which the other tab may have added.
  const { basket: own } = state();
  const { rows, beverages } = basket.idPrefix === own.idPrefix ? basket : own;
  pageState.set({ basket: { ...own, rows, beverages } });
});
onSavedElsewhere(ownOrdersKey, () => { pageState.set({ ownOrders: savedOwnOrders() }); });
