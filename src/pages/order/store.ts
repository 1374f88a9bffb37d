/** The state of the page, saved on the device as far as a reload must find it. */

import { menuAtFirst } from "../shared/look.ts";
import { claims, refusedSignIn } from "../shared/session.ts";
import { onSavedElsewhere } from "../shared/storage.ts";
import { storeOf } from "../shared/store.ts";
import { addressTable, isOrderOpenInHistory, readAddressNumber } from "./address.ts";
import type { Basket } from "./basket.ts";
import { saveBasket, savedBasket, savedVisits, saveVisits } from "./saved.ts";
import { isSending, type State } from "./state.ts";

const store = storeOf(firstState());

export const { state, drawNow, onChange } = store;

function firstState(): State {
  const basket = savedBasket();
  return {
    isLoaded: false, menu: menuAtFirst(), guestOrders: false, claims: claims(),
    addressNumber: readAddressNumber(), addressTable, orders: new Map(), isAddressKnown: false,
    isDenied: false, basket, visits: savedVisits(),
    placing: basket.unanswered.length > 0 ? "in doubt" : "choosing", isStopped: false, holdUp: "",
    search: "", diet: "", isOrderOpen: isOrderOpenInHistory(), noteOpenFor: [], isNameAsked: false,
    isJustPlaced: false, message: "", announcement: "", isOffline: !navigator.onLine,
    lostAt: undefined, refused: refusedSignIn(),
  };
}

/** The callbacks that wait for a condition, by its check. */
const waiting = new Map<(state: State) => boolean, () => void>();

export function set(change: Partial<State>): void {
  const before = state();
  store.set(change);
  const { basket, visits } = state();
  if (basket !== before.basket) saveBasket(basket);
  if (visits !== before.visits) saveVisits(visits);
  for (const [isMet, resolve] of waiting) {
    if (!isMet(state())) continue;
    waiting.delete(isMet);
    resolve();
  }
}

/** Resolves once the state meets the condition. */
export function until(isMet: (state: State) => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (isMet(state())) resolve();
    else waiting.set(isMet, resolve);
  });
}

/** Clears the message, which is about the basket before. */
export function setBasket(change: Partial<Basket>): void {
  set({ basket: { ...state().basket, ...change }, message: "" });
}

// Not saved once more: the other tab may have gone on since. While this tab sends, both send the
// same orders.
onSavedElsewhere("basket", () => {
  if (isSending(state())) return;
  const basket = savedBasket();
  store.set({ basket, placing: basket.unanswered.length > 0 ? state().placing : "choosing" });
});
onSavedElsewhere("visits", () => { store.set({ visits: savedVisits() }); });
