/**
 * Entry of the customers' page (contract part 7). `?order=ID` in the address shows that order;
 * without it the menu is there to order from.
 */

import { explain, isRefusal, read } from "./api.ts";
import { byId, onClick, part, setText } from "./dom.ts";
import { changeDraft, draft, dropMissing, fresh, sayableId, seal } from "./draft.ts";
import { changeMenu, loadMenu, menu } from "./menu.ts";
import { showDraft, showMenu } from "./order-form.ts";
import { place } from "./placing.ts";
import { session, token } from "./session.ts";
import { follow } from "./stream.ts";
import type { Change } from "./stream.ts";
import { beginTicket, refreshTicket } from "./ticket.ts";

const note = part("place-note");
const shopTitle = document.title;
let guestsWelcome = false;

function shownOrder(): string | null {
  const id = new URLSearchParams(location.search).get("order") ?? "";
  return /^\.{0,2}$/.test(id) ? null : id;
}

/** Shows what the address asks for, as far as it is known without asking. */
function route(): void {
  const id = shownOrder();
  part("shop").hidden = id !== null;
  part("ticket").hidden = id === null;
  document.title = shopTitle;
  if (id !== null) beginTicket(id);
}

async function refresh(): Promise<void> {
  const id = shownOrder();
  if (id !== null) await refreshTicket(id);
}

async function load(): Promise<void> {
  await Promise.all([readMenu(), refresh(), askForGuests()]);
}

async function readMenu(): Promise<void> {
  if (await loadMenu()) menuChanged();
}

function menuChanged(): void {
  const empty = menu.pizzasizes.size === 0;
  setText(part("menu-note"), empty ? "Nothing is on the menu right now. Come back later." : "");
  if (draft().sent === undefined && dropMissing()) {
    setText(note, "Something you had chosen is sold out and was taken off your order.");
  }
  showMenu();
}

async function changed(change: Change): Promise<void> {
  if (changeMenu(change) !== undefined) menuChanged();
  else if (change.data.id === shownOrder()) await refresh();
}

function clicked(): void {
  if (draft().sent !== undefined) return; // The second half of a double click.
  if (part("access").hidden === false) part("access").focus();
  else if (seal()) void send();
  else {
    setText(note, "Choose a size first.");
    document.querySelector<HTMLElement>("#sizes input")?.focus();
  }
}

/** Runs from the click, or the reload after it, until the order is answered for. */
async function send(): Promise<void> {
  lock(true);
  setText(note, "Placing your order…");
  try {
    for (let order = draft().sent; order !== undefined; order = draft().sent) {
      if (await place(order, guestsWelcome, (text) => { setText(note, text); })) placed(order.id);
      else {
        changeDraft({ id: sayableId() });
        seal();
      }
    }
  } catch (fault) {
    changeDraft({ sent: undefined });
    setText(note, explain(fault));
    // What it refers to may just have left the menu.
    if (isRefusal(fault, 400)) quietly(load());
  }
  lock(false);
}

function placed(id: string): void {
  changeDraft(fresh());
  showDraft();
  setText(note, "");
  history.pushState(null, "", `?order=${encodeURIComponent(id)}`);
  route();
  quietly(refresh());
  scrollTo(0, 0);
  part("number").focus();
}

/** What was sent must not change under way. The button is only marked so, and keeps the focus. */
function lock(locked: boolean): void {
  byId("choices", HTMLFieldSetElement).disabled = locked;
  part("place").setAttribute("aria-disabled", String(locked));
}

function showAccess(): void {
  part("access").hidden = token() !== null || guestsWelcome;
}

/** The index links to api/tokens where guests may order: asking there would use up a token. */
async function askForGuests(): Promise<void> {
  const { data } = await read<{ readonly links: { readonly tokens?: string } }>("api");
  guestsWelcome = data.links.tokens !== undefined;
  showAccess();
}

/** Without an answer the stream is lost too: its opening reads everything again. */
function quietly(work: Promise<unknown>): void {
  work.catch(() => undefined);
}

onClick("place", clicked);
part("choices").addEventListener("click", () => {
  if (draft().sent === undefined) setText(note, "");
}, true);
// The clipboard is there in secure contexts only; elsewhere the address bar must do.
part("copy").hidden = navigator.clipboard === undefined;
onClick("copy", () => {
  quietly(navigator.clipboard.writeText(location.href)
    .then(() => { setText(part("copy"), "Link copied"); }));
});
addEventListener("popstate", () => {
  route();
  quietly(refresh());
});
session.addEventListener("change", showAccess);
route();
if (draft().sent !== undefined) quietly(askForGuests().finally(() => void send()));
void follow(load, changed, 6000);
