import { onSavedElsewhere, save } from "../shared/storage.ts";
import { storeOf } from "../shared/store.ts";
import { type Basket, savedBasket, savedVisits } from "./basket.ts";
import { firstState, type State } from "./state.ts";

const store = storeOf(firstState());

export const { state, onChange } = store;

/** The basket is saved on the device, so that it is there after a reload. */
export function set(part: Partial<State>): void {
  if (part.basket === undefined || part.basket === state().basket) return store.set(part);
  const basket = { ...part.basket, at: Date.now() };
  save("basket", basket);
  store.set({ ...part, basket });
}

// Not saved once more: the other tab may have gone on since.
onSavedElsewhere("basket", () => {
  if (!state().isSending) store.set({ basket: savedBasket(), visits: savedVisits() });
});

/** Clears the message, which is about the basket before. */
export function setBasket(change: Partial<Basket>): void {
  set({ basket: { ...state().basket, ...change }, message: "" });
}
