/** Follows orders: those of the address, those that the basket waits for, those of the day. */

import { isRefusal, read } from "../shared/api.ts";
import type { Change } from "../shared/stream.ts";
import type { Order } from "../shared/types.ts";
import { addressOf, isOrderOpenInHistory, readAddressNumber } from "./address.ts";
import { savedBasket } from "./saved.ts";
import { changeState, isMenuShown, numbersFollowed, type State, withOrders } from "./state.ts";
import { drawNow, set, state } from "./store.ts";

/** Reads all orders that the page follows. Throws where no answer settles it. */
export async function readOrders(): Promise<void> {
  const { orders: before, addressNumber } = state();
  const numbers = numbersFollowed(state());
  const answers = await Promise.all([readBy("group", numbers.group), readBy("id", numbers.id)]);
  const orders = new Map(state().orders);
  const found = answers.flatMap((answer) => answer ?? []);
  const ids = new Set(found.map(({ id }) => id));
  const isDenied = answers.includes(undefined);
  for (const id of before.keys()) if (!isDenied && !ids.has(id)) orders.delete(id);
  for (const order of found) {
    // One that came meanwhile may be newer than the answer.
    if (order.updatedAt >= (orders.get(order.id)?.updatedAt ?? "")) orders.set(order.id, order);
  }
  const isAddressKnown = state().isAddressKnown || addressNumber === state().addressNumber;
  applyOrders({ orders, isAddressKnown, isDenied });
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
  applyOrders(changes.reduce(changeState, state()));
}

/** The answer to an order that was sent. */
export function applyAnswer(order: Order): void {
  applyOrders({ orders: new Map(state().orders).set(order.id, order) });
}

/** Makes these the orders. Once all of the basket's are placed, the page shows them. */
function applyOrders(change: Partial<State> & Pick<State, "orders">): void {
  const before = state();
  const after = withOrders({ ...before, ...change }, change.orders);
  const isPlaced = after.basket.group !== before.basket.group;
  // Another tab that was quicker may have begun anew.
  const saved = isPlaced ? savedBasket() : before.basket;
  const isOvertaken = saved.group !== before.basket.group;
  set(isOvertaken ? { ...after, basket: saved } : after);
  const [visit] = after.visits;
  const isOwn = before.placing !== "choosing" && visit !== undefined;
  if (isPlaced && isOwn && isMenuShown(after)) goToOrders(visit.group);
}

/** Shows what the address asks for. */
export function route(): void {
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
  route();
  set({ isJustPlaced: message === "", message });
}
