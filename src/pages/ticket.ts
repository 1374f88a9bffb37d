/**
 * The orders that an address names, each a ticket: its number large, how far the kitchen is with
 * it, and what it holds. When one becomes ready the phone says so.
 */

import { isRefusal, read, serverNow } from "./api.ts";
import { el, onClick, part, setText } from "./dom.ts";
import { orderPath, parts, stages, tally } from "./model.ts";
import type { Order, Status } from "./model.ts";
import { clock, day, t } from "./words.ts";

interface Ticket {
  readonly element: HTMLElement;
  /** Undefined: not known, or not for this person. */
  readonly status: Status | undefined;
}

/** What is said at each status, and its step: Ready and on its way are both the third. */
const said: Readonly<Record<Status, readonly [step: number, title: string, news: string]>> = {
  Pending: [0, t("Received"), t("The kitchen has your order and starts soon.")],
  Preparing: [1, stages.Preparing, t("Your pizza is being made.")],
  Ready: [2, stages.Ready, t("Ready! Come and get it.")],
  "Out for Delivery": [2, stages["Out for Delivery"], t("On its way to you.")],
  Delivered: [3, stages.Delivered, t("Delivered. Buon appetito!")],
  Cancelled: [0, stages.Cancelled, t("This order was cancelled. Ask the shop if in doubt.")],
};

/** At one address whatever its version, so that there is one of it. */
const workerFolder = "pages/current/";

let ids: readonly string[] = [];
const tickets = new Map<string, Ticket>();

/** Clears what others left. */
export function beginTickets(those: readonly string[]): void {
  ids = those;
  tickets.clear();
  document.title = ids.join(", ");
  setText(part("ticket-title"), t("Looking for your order…"));
  part("tickets").replaceChildren();
  part("ticket-foot").hidden = true;
  showReadyButton();
}

export function shownOrders(): readonly string[] {
  return ids;
}

/** Reads the orders and shows them. Throws when there is no answer that settles one. */
export async function refreshTickets(changed: readonly string[] = ids): Promise<void> {
  const asked = ids;
  const made = await Promise.all(changed.map(readTicket));
  // Others may have been gone to in the meantime.
  if (asked !== ids) return;
  for (const [at, ticket] of made.entries()) {
    const id = changed[at] ?? "";
    const before = tickets.get(id)?.status;
    tickets.set(id, ticket);
    if (ticket.status === undefined || before === undefined || before === ticket.status) continue;
    const [, , news] = said[ticket.status];
    setText(part("news"), `${id}: ${news}`);
    if (ticket.status === "Ready") tellReady(id);
  }
  part("tickets").replaceChildren(...ids.flatMap((id) => tickets.get(id)?.element ?? []));
  setText(part("ticket-title"), t("Your {count} orders", { count: ids.length }));
  part("ticket-foot").hidden = false;
  const [first = ""] = ids;
  const status = tickets.get(first)?.status;
  document.title = status === undefined ? ids.join(", ") : `${said[status][1]}: ${first}`;
}

async function readTicket(id: string): Promise<Ticket> {
  try {
    const { data } = await read<Order>(`${orderPath(id)}?embed=names`);
    return { status: data.status, element: ticketOf(data) };
  } catch (fault) {
    const why = isRefusal(fault, 401)
      ? t("You are not signed in: open it where you ordered, or by the shop’s link.")
      : isRefusal(fault, 404)
        ? t("The shop has no order with this number, or it is not yours to see.") : undefined;
    if (why === undefined) throw fault;
    return { status: undefined, element: frame(id, el("p", { class: "news" }, why)) };
  }
}

function ticketOf(order: Order): HTMLElement {
  const { id, status, placedAt } = order;
  const [at, title, news] = said[status];
  const steps = status === "Cancelled" ? [title]
    : [said.Pending[1], stages.Preparing, at === 2 ? title : stages.Ready, stages.Delivered];
  return frame(id,
    el("p", { class: "news" }, news),
    el("ol", { class: "steps", "aria-label": t("How far it is") },
      ...steps.map((step, index) => index === at
        ? el("li", { class: "now", "aria-current": "step" }, step)
        : el("li", { class: index < at ? "done" : "ahead" }, step))),
    el("ul", { class: "content" },
      ...parts(order).flatMap(tally).map(({ text }) => el("li", {}, text))),
    el("p", { class: "quiet" }, placedText(new Date(placedAt))));
}

function frame(id: string, ...children: readonly HTMLElement[]): HTMLElement {
  const look = id.length > 10 ? "number long" : "number";
  return el("article", { class: "ticket", "aria-label": id },
    el("h2", { class: look }, el("bdi", {}, id)), ...children);
}

function placedText(placed: Date): string {
  const time = clock(placed);
  const isToday = placed.toDateString() === new Date(serverNow()).toDateString();
  return isToday ? t("Placed at {time}", { time })
    : t("Placed on {day} at {time}", { day: day(placed), time });
}

/** In the hand, and on the lock screen where that was allowed. */
function tellReady(id: string): void {
  // Refused, with a complaint, where nobody has touched the page.
  if (navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.([300, 150, 300]);
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const [[, , title], options] = [said.Ready, { body: id, tag: id }];
  try {
    const note = new Notification(title, options);
    note.addEventListener("click", () => { window.focus(); });
  } catch {
    // Phones want a service worker for it.
    void navigator.serviceWorker?.getRegistration(workerFolder)
      .then((registration) => registration?.showNotification(title, options));
  }
}

/** Only where the browser has not been asked yet, and can be: it asks in secure contexts alone. */
function showReadyButton(): void {
  part("tell-ready").hidden =
    !("Notification" in window) || !isSecureContext || Notification.permission !== "default";
}

onClick("tell-ready", () => {
  void Notification.requestPermission().then(showReadyButton);
  navigator.serviceWorker?.register(`${workerFolder}ready-worker.js`).catch(() => undefined);
});
// The clipboard is there in secure contexts only; elsewhere the address bar must do.
part("copy").hidden = navigator.clipboard === undefined;
onClick("copy", () => {
  navigator.clipboard.writeText(location.href)
    .then(() => { setText(part("copy"), t("Link copied")); }, () => undefined);
});
