/** The placed orders that the page follows: the way to them, and the news of them. */

import { isRefusal, read } from "../shared/api.ts";
import { numberOf } from "../shared/table.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { savedVisits } from "./basket.ts";
import {
  addressOf, idsFollowed, idsInAddress, type Shown, type State, tableShown, withOrder,
} from "./state.ts";
import { set, state } from "./store.ts";
import { newsAt } from "./ticket.ts";

/** At one address whatever its version, so that there is one of it. */
const workerFolder = "pages/current/";

/** Throws where no answer settles it. */
export async function readOrders(): Promise<void> {
  const ids = idsFollowed(state());
  // Any other text is no id: the server would refuse the question.
  const asked = ids.filter((id) => /^[\w.~:@+,-]{1,128}$/.test(id));
  if (ids.length === 0) return;
  const query = new URLSearchParams([...asked.map((id) => ["id", id]), ["embed", "names"]]);
  const found = asked.length === 0 ? [] : await read<readonly Order[]>(`api/orders?${query}`)
    .then(({ data }) => data, (fault: unknown) => {
      if (isRefusal(fault, 401)) return undefined;
      throw fault;
    });
  const shown = ids.map((id): readonly [string, Shown] =>
    [id, found === undefined ? "signed out" : found.find((one) => one.id === id) ?? "missing"]);
  set(shown.reduce(withOrder, state()));
}

/** Shows what the address asks for. */
export function route(): void {
  set({
    ids: idsInAddress(), visits: savedVisits(), note: "", isCopied: false, isUnfolded: false,
    isJustPlaced: false,
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

/** Tells what changes did to the orders that the page follows. */
export function tellNews(before: State): void {
  for (const [id, order] of Object.entries(state().orders)) {
    const old = before.orders[id];
    if (typeof order !== "object" || typeof old !== "object") continue;
    if (old.status === order.status) continue;
    const news = newsAt(order.status, tableShown(state()) !== "");
    const [number, part] = numberOf(id);
    const name = part === 0 ? number : `${number}, ${t("Pizza {number}", { number: part })}`;
    set({ announcement: `${name}: ${news}` });
    if (order.status === "Ready") tellReady(news, name);
  }
}

export async function askToNotify(): Promise<void> {
  navigator.serviceWorker?.register(`${workerFolder}ready-worker.js`).catch(() => undefined);
  await Notification.requestPermission();
  set({});
}

/** In the hand, and on the lock screen where that is allowed. */
function tellReady(news: string, body: string): void {
  // Browsers refuse it, with a complaint, where nobody has touched the page.
  if (navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.([300, 150, 300]);
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const options = { body, tag: body };
  try {
    const notification = new Notification(news, options);
    notification.addEventListener("click", () => { window.focus(); });
  } catch {
    // Phones want a service worker for it.
    void navigator.serviceWorker?.getRegistration(workerFolder)
      .then((registration) => registration?.showNotification(news, options));
  }
}
