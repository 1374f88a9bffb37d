/** The placed orders that the address names: the way to them, and the news of them. */

import { isRefusal, orderPath, read } from "../shared/api.ts";
import type { Order } from "../shared/types.ts";
import { savedVisits } from "./basket.ts";
import { addressOf, idsInAddress, type Shown, type State, withOrder } from "./state.ts";
import { set, state } from "./store.ts";
import { newsAt } from "./ticket.ts";

/** At one address whatever its version, so that there is one of it. */
const workerFolder = "pages/current/";

/** Throws where no answer settles it. */
export async function readOrders(): Promise<void> {
  const orders = await Promise.all(state().ids.map(readOrder));
  set(orders.reduce(withOrder, state()));
}

async function readOrder(id: string): Promise<readonly [string, Shown]> {
  try {
    return [id, (await read<Order>(`${orderPath(id)}?embed=names`)).data];
  } catch (fault) {
    if (isRefusal(fault, 401)) return [id, "signed out"];
    if (isRefusal(fault, 404)) return [id, "missing"];
    throw fault;
  }
}

/** Shows what the address asks for. */
export function route(): void {
  set({
    ids: idsInAddress(), visits: savedVisits(), note: "", isCopied: false, isUnfolded: false,
  });
  // Without an answer the stream is lost too, and reads everything when it is back.
  readOrders().catch(() => undefined);
}

export function goToOrders(ids: readonly string[]): void {
  history.pushState(null, "", addressOf(ids));
  route();
  scrollTo(0, 0);
  queueMicrotask(() => { document.getElementById("title")?.focus(); });
}

/** Tells what changes did to the orders that are shown. */
export function tellNews(before: State): void {
  for (const [id, order] of Object.entries(state().orders)) {
    const old = before.orders[id];
    if (typeof order !== "object" || typeof old !== "object") continue;
    if (old.status === order.status) continue;
    set({ announcement: `${id}: ${newsAt(order.status)}` });
    if (order.status === "Ready") tellReady(id);
  }
}

export async function askToNotify(): Promise<void> {
  navigator.serviceWorker?.register(`${workerFolder}ready-worker.js`).catch(() => undefined);
  await Notification.requestPermission();
  set({});
}

/** In the hand, and on the lock screen where that is allowed. */
function tellReady(id: string): void {
  // Browsers refuse it, with a complaint, where nobody has touched the page.
  if (navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.([300, 150, 300]);
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const options = { body: id, tag: id };
  try {
    const notification = new Notification(newsAt("Ready"), options);
    notification.addEventListener("click", () => { window.focus(); });
  } catch {
    // Phones want a service worker for it.
    void navigator.serviceWorker?.getRegistration(workerFolder)
      .then((registration) => registration?.showNotification(newsAt("Ready"), options));
  }
}
