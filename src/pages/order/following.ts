/** Follows orders: those of the address, the one that the basket waits for, those of the day. */

import { isRefusal, read, serverNow } from "../shared/api.ts";
import type { Change } from "../shared/stream.ts";
import type { Order } from "../shared/types.ts";
import { addressOf, isOrderOpenInHistory, readAddressNumber } from "./address.ts";
import { isEmpty, isOwnId } from "./basket.ts";
import { savedBasket } from "./saved.ts";
import {
  changeState, isMenuShown, numbersFollowed, type State, withArrivals, withPlacedBasket,
} from "./state.ts";
import { drawNow, set, state } from "./store.ts";
import { isAnyReady } from "./tracker.ts";

/** Reads all orders that the page follows. Throws where no answer settles it. */
export async function readOrders(): Promise<void> {
  const { orders: before, addressNumber } = state();
  const numbers = numbersFollowed(state());
  const answers = await Promise.all([readBy("group", numbers.group), readBy("id", numbers.id)]);
  const orders = new Map(state().orders);
  const found = answers.flatMap((answer) => answer ?? []);
  const ids = new Set(found.map(({ id }) => id));
  const isDenied = answers.includes(undefined);
  for (const order of found) {
    const { id, updatedAt } = order;
    // The order may have been changed or deleted since the shop answered.
    const isDeleted = before.has(id) && !orders.has(id);
    if (!isDeleted && updatedAt >= (orders.get(id)?.updatedAt ?? "")) orders.set(id, order);
  }
  for (const id of before.keys()) if (!isDenied && !ids.has(id)) orders.delete(id);
  const isAddressKnown = state().isAddressKnown || addressNumber === state().addressNumber;
  // An order that was sent since then was not asked for.
  const group = state().basket.sent.orders[0]?.group ?? "";
  const isWhole = numbers.group.has(group);
  apply(withArrivals({ ...currentState(), orders, isAddressKnown, isDenied }, isWhole));
}

/** Undefined: only whoever placed them may read them. */
async function readBy(
  name: "group" | "id", values: ReadonlySet<string>,
): Promise<readonly Order[] | undefined> {
  // Any other text is no id: the service would refuse the question.
  const ids = [...values].filter((id) => /^[\w.~:@+,-]{1,128}$/.test(id)).slice(0, 100);
  if (ids.length === 0) return [];
  try {
    const query = new URLSearchParams(ids.map((id) => [name, id]));
    return (await read<readonly Order[]>(`api/orders?${query}`)).data;
  } catch (fault) {
    if (isRefusal(fault, 401)) return undefined;
    throw fault;
  }
}

export function applyChanges(changes: readonly Change[]): void {
  apply(withArrivals(changes.reduce(changeState, currentState()), false));
}

/** The shop has the order, and has answered with all of it. Empty: it does not show it. */
export function applyPlaced(placed: readonly Order[]): void {
  // A late answer may be that of an order before this one.
  if (!placed.every(({ id }) => isOwnId(state().basket, id))) return;
  const orders = new Map(state().orders);
  for (const order of placed) orders.set(order.id, order);
  apply(withPlacedBasket({ ...currentState(), orders }, placed, serverNow()));
}

/** While this tab sends the basket, another one may have added to it. */
function currentState(): State {
  const saved = savedBasket();
  const isAdded = state().isSending && saved.idPrefix === state().basket.idPrefix;
  return isAdded ? { ...state(), basket: saved } : state();
}

/** Makes this the state. Once the basket is placed, the page shows its orders. */
function apply(after: State): void {
  const before = state();
  const isPlaced = after.basket.idPrefix !== before.basket.idPrefix;
  // Another tab that was quicker may have begun anew.
  const saved = isPlaced ? savedBasket() : before.basket;
  const isOvertaken = saved.idPrefix !== before.basket.idPrefix;
  // An answer counts more than what the device says of its network.
  const isOffline = after.isOffline && !isPlaced;
  set({ ...after, basket: isOvertaken ? saved : after.basket, isOffline });
  if (isAnyReady(after) && !isAnyReady(before)) buzz();
  const [visit] = after.visits;
  const isOwn = before.basket.sent.orders.length > 0;
  if (!isPlaced || visit === undefined || !isOwn || !isMenuShown(after)) return;
  if (isOvertaken || isEmpty(after.basket)) goToOrders(visit.group);
}

/** A browser refuses it, and complains, before the first press. */
function buzz(): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(200);
}

/** Shows what the address asks for. */
export function showAddress(): void {
  const addressNumber = readAddressNumber();
  const isSame = addressNumber === state().addressNumber;
  set({ isOrderOpen: isOrderOpenInHistory() });
  if (isSame) return;
  set({ addressNumber, isAddressKnown: false, message: "", isJustPlaced: false });
  // Without an answer the stream is lost too, and reads everything when it is back.
  readOrders().catch(() => undefined);
  drawNow();
  scrollTo(0, 0);
  document.getElementById("title")?.focus();
}

function goToOrders(group: string): void {
  const { message } = state();
  const move = isOrderOpenInHistory() ? "replaceState" : "pushState";
  history[move](null, "", addressOf(group));
  showAddress();
  set({ isJustPlaced: message === "", message });
}

