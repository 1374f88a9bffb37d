/** Follows orders: those of the address, the one that the basket waits for, those of the day. */

import { isRefusal, read, serverNow } from "../shared/api.ts";
import type { Change, Order } from "../shared/types.ts";
import { isEmpty, isOwnId } from "./basket.ts";
import { changed, heard, placed, placedUnseen } from "./events.ts";
import { goTo, showAddress } from "./navigation.ts";
import { savedBasket } from "./saved.ts";
import { isMenuShown, numbersFollowed, type State } from "./state.ts";
import { set, state } from "./store.ts";
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
  apply((now) => heard({ ...now, orders, isAddressKnown, isDenied }, isWhole));
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
  apply((now) => heard(changes.reduce(changed, now), false));
}

/** The shop has answered with all of an order: it is placed. */
export function applyPlaced(placedOrders: readonly Order[]): void {
  const [first, ...others] = placedOrders;
  // A late answer may be that of an order before this one.
  if (first === undefined || !isOwnId(state().basket, first.id)) return;
  const orders = new Map(state().orders);
  for (const order of placedOrders) orders.set(order.id, order);
  apply((now) => placed({ ...now, orders }, [first, ...others]));
}

/** The shop has the order, and does not show it to this sign-in. */
export function applyPlacedUnseen(): void {
  apply((now) => placedUnseen(now, serverNow()));
}

/** Makes the state the next one. Once the basket is placed, the page shows its orders. */
function apply(next: (now: State) => State): void {
  const before = state();
  const after = next(before);
  const isPlaced = after.basket.idPrefix !== before.basket.idPrefix;
  const saved = savedBasket();
  // Another window has heard of the order before, and may have begun the next one.
  const isLate = isPlaced && saved.idPrefix !== before.basket.idPrefix;
  const basket = isLate ? saved : after.basket;
  set({ ...after, basket });
  if (isAnyReady(after) && !isAnyReady(before)) buzz();
  const [ownOrder] = after.ownOrders;
  const wasSent = before.basket.sent.orders.length > 0;
  if (!isPlaced || ownOrder === undefined || !wasSent || !isMenuShown(after)) return;
  if (!isLate && !isEmpty(basket)) return;
  goTo(ownOrder.group);
  set({ isJustPlaced: state().message === "" });
  readOrders().catch(() => undefined);
}

/** Before the first press a browser refuses to buzz, and complains. */
function buzz(): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(200);
}

/** Shows what the address asks for, and reads it. */
export function followAddress(): void {
  // Without an answer the stream is lost too, and reads everything when it is back.
  if (showAddress()) readOrders().catch(() => undefined);
}
