/**
 * Entry of the customers' page (contract part 7). `?order=ID`, once or several times, shows those
 * orders; without it the menu is there to order from. `?for=tavolo-7` puts a name before the ids.
 */

import { isRefusal, isStaff, read, session, token } from "./api.ts";
import {
  basket, dropEmpty, dropMissing, followOtherTabs, isForgotten, isSending, latestVisit,
  orderPlaced, place, renumber, seal, turnTo, unseal, visits, whyRefused,
} from "./basket.ts";
import { ask, byId, el, onClick, part, setText } from "./dom.ts";
import { changeMenu, loadMenu, menu, shop } from "./model.ts";
import type { MenuKind } from "./model.ts";
import { canOrder, onChoice, showForm } from "./order-form.ts";
import { follow } from "./stream.ts";
import type { Change } from "./stream.ts";
import { beginTickets, refreshTickets, shownOrders } from "./ticket.ts";
import { t } from "./words.ts";

/** What stands before the orders' numbers; "": nothing. */
const forName = namedInAddress();
const prefix = forName === "" ? "" : `${forName}-`;
/** Undefined until the service has told. */
let guestsWelcome: boolean | undefined;
/** What happened last, and may be read beside the button that orders. */
let told = "";

/** The orders that the address names; none of them are ids that a path would lose. */
function orderIds(): string[] {
  return new URLSearchParams(location.search).getAll("order").filter((id) => !/^\.{0,2}$/.test(id));
}

/** "tavolo-7" of `?for=tavolo-7`: what an id may hold (contract part 2), and not too long. */
function namedInAddress(): string {
  const name = new URLSearchParams(location.search).get("for") ?? "";
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").trim().replaceAll(/\s+/g, "-");
  return plain.replaceAll(/[^\w.~:@+,-]/g, "").slice(0, 60);
}

/** Shows what the address asks for, as far as it is known without asking. */
function route(): void {
  const ids = orderIds();
  part("shop").hidden = ids.length > 0;
  part("ticket").hidden = ids.length === 0;
  beginTickets(ids);
  if (ids.length === 0) showVisits();
  showShop();
}

/** The way back to what was ordered today. */
function showVisits(): void {
  const today = visits();
  part("visits").hidden = today.length === 0;
  part("visits-list").replaceChildren(...today.map(({ ids }) => {
    const link = { class: "button", href: addressOf(ids) };
    return el("li", {}, el("a", link, el("bdi", {}, ids.join(", "))));
  }));
}

function addressOf(ids: readonly string[]): string {
  const named = forName === "" ? [] : [["for", forName]];
  return `./?${new URLSearchParams([...ids.map((id) => ["order", id]), ...named])}`;
}

async function load(): Promise<void> {
  await Promise.all([loadMenu(), askForGuests(), refresh()]);
  menuChanged();
}

async function refresh(): Promise<void> {
  if (shownOrders().length > 0) await refreshTickets();
}

function menuChanged(): void {
  const empty = menu.pizzasizes.size === 0;
  setText(part("menu-note"), empty ? t("Nothing is on the menu right now. Come back later.") : "");
  for (const id of ["choices", "basket"]) part(id).hidden = empty;
  if (!isSending() && dropMissing()) {
    say(t("Something you had chosen is no longer on the menu and was taken off."));
  }
  showForm();
  showShop();
}

/** Its name, its notice, and whether it takes orders: from this person. */
function showShop(): void {
  const { name, isOpen, notice } = shop;
  setText(part("shop-name"), name);
  if (shownOrders().length === 0) {
    document.title = name === "" ? t("Order a pizza") : t("{shop}: order a pizza", { shop: name });
  }
  part("closed").hidden = isOpen;
  part("notice").hidden = isOpen && notice === "";
  setText(part("notice-text"), notice);
  part("access").hidden = !needsLink();
  part("place").setAttribute("aria-disabled", String(isSending() || whyNobodyOrders() !== ""));
  say(told);
}

/** Beside the button that orders; while there is nothing else to tell, why it cannot be pressed. */
function say(text: string): void {
  told = text;
  setText(part("place-note"), text || whyNobodyOrders());
}

function needsLink(): boolean {
  return token() === null && guestsWelcome === false;
}

/** "": this person may order. Staff do so by phone while the doors are closed. */
function whyNobodyOrders(): string {
  if (needsLink()) return t("To order, open the shop’s link");
  return shop.isOpen || isStaff() ? "" : t("The shop is closed and takes no order right now.");
}

async function changed(change: Change): Promise<void> {
  if (changeMenu(change)) menuChanged();
  else if (shownOrders().includes(change.data.id)) await refreshTickets([change.data.id]);
}

async function order(): Promise<void> {
  if (isSending()) return; // The second half of a double click.
  if (needsLink()) return part("access").focus();
  dropEmpty();
  showForm();
  const hindrance = whyNobodyOrders() || whatHinders();
  if (hindrance !== "") return say(hindrance);
  const bare = basket.pizzas.findIndex(({ toppings }) => toppings.length === 0);
  if (bare >= 0) {
    turnTo(bare);
    showForm();
    const question = t("There is no topping on it. Order it like that?");
    if (!(await ask(question, t("Order it plain"), t("Choose toppings"))) || isSending()) return;
  }
  seal(prefix);
  await send();
}

/** What has to be done before anything can be sent; the page then shows where. */
function whatHinders(): string {
  const noSize = basket.pizzas.findIndex(({ size }) => size === "");
  if (noSize >= 0) {
    turnTo(noSize);
    showForm();
    part("sizes-title").scrollIntoView({ block: "start" });
    document.querySelector<HTMLElement>("#sizes input")?.focus({ preventScroll: true });
    return t("Choose a size first.");
  }
  const everything: readonly (readonly [MenuKind, readonly string[]])[] = [
    ["pizzasizes", basket.pizzas.map(({ size }) => size)],
    ["toppings", basket.pizzas.flatMap(({ toppings }) => toppings)],
    ["beverages", basket.beverages],
  ];
  for (const [kind, ids] of everything) {
    const soldOut = ids.find((id) => !canOrder(kind, id));
    if (soldOut === undefined) continue;
    const { name } = menu[kind].get(soldOut) ?? { name: soldOut };
    return kind === "pizzasizes" ? t("{name} is sold out: choose another size.", { name })
      : t("{name} is sold out: take it off first.", { name });
  }
  return "";
}

/** Runs from the click, or the reload after it, until every order is answered for. */
async function send(): Promise<void> {
  showLock();
  say(t("Placing your order…"));
  try {
    for (let [next] = basket.sent; next !== undefined; [next] = basket.sent) {
      const isPlaced = await place(next, guestsWelcome === true, say);
      if (isPlaced) orderPlaced(next.id);
      else renumber(prefix);
    }
    showPlaced(latestVisit());
  } catch (fault) {
    unseal();
    const count = basket.placed.length;
    const before = count === 0 ? "" : `${t("{count} of your orders are placed.", { count })} `;
    say(before + whyRefused(fault));
    showVisits();
    showForm();
    // What it refers to may just have left the menu.
    if (isRefusal(fault, 400)) quietly(load());
  }
  showLock();
}

function showPlaced(ids: readonly string[]): void {
  showForm();
  say("");
  history.pushState(null, "", addressOf(ids));
  route();
  quietly(refresh());
  scrollTo(0, 0);
  part("ticket-title").focus();
}

/** What was sent must not change under way. The button is only marked so, and keeps the focus. */
function showLock(): void {
  for (const id of ["choices", "chosen"]) byId(id, HTMLFieldSetElement).disabled = isSending();
  // After a reload too, when the menu is not there yet.
  if (isSending()) part("basket").hidden = false;
  showShop();
}

/** The index links to api/tokens where guests may order: asking there would use up a token. */
async function askForGuests(): Promise<void> {
  const { data } = await read<{ readonly links: { readonly tokens?: string } }>("api");
  guestsWelcome = data.links.tokens !== undefined;
}

/** Without an answer the stream is lost too: its opening reads everything again. */
function quietly(work: Promise<unknown>): void {
  work.catch(() => undefined);
}

onClick("place", () => void order());
onChoice(() => { say(""); });
followOtherTabs(() => {
  showForm();
  showVisits();
  showLock();
});
if (forName !== "") part("again").setAttribute("href", addressOf([]));
setText(part("for"), t("For {name}", { name: forName }));
part("for").hidden = forName === "";
addEventListener("popstate", () => {
  route();
  quietly(refresh());
});
session.addEventListener("change", showShop);
route();
if (isForgotten()) {
  unseal();
  say(t("Your order was not answered. Have a look at it, and order again."));
}
if (isSending()) quietly(askForGuests().finally(() => void send()));
void follow(load, changed, 6000);
