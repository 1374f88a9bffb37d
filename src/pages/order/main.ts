/**
 * Entry of the order page (contract part 7): its actions and effects. `?order=ID`, once or several
 * times, shows those orders; without it there is the menu. `?for=tavolo-7` puts a name before the ids.
 */

import {
  explain, isRefusal, orderPath, read, Refusal,
} from "../shared/api.ts";
import { ask, listen, patch } from "../shared/dom.ts";
import { itemOf, readMenu } from "../shared/menu.ts";
import { session } from "../shared/session.ts";
import { keep, onKeptElsewhere } from "../shared/storage.ts";
import { follow } from "../shared/stream.ts";
import type { MenuKind, Order, OrderContent } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  type Basket, chosenOf, currentPizza, type ExtraKind, freshBasket, isForgotten, isSending,
  keptBasket, keptVisits, renumbered, sealed, turnedTo, unsealed, withAnotherPizza, withExtra,
  withoutEmpty, withoutPizza, withPlaced, withSize, withVisit,
} from "./basket.ts";
import { place } from "./place.ts";
import {
  addressOf, apply, canOrder, firstState, idsInAddress, listed, needsLink, prefix,
  type Shown, type State, whyClosed, withMenu, withOrders,
} from "./state.ts";
import { newsAt, stageName } from "./ticket.ts";
import { foundCount, view } from "./view.ts";

/** At one address whatever its version, so that there is one of it. */
const workerFolder = "pages/current/";

const root = document.querySelector("#page") ?? document.body;
/** All that changes on this page. */
const page = { state: firstState(), isDrawn: false };

/** A basket is kept on the device, so that it is there after a reload. */
function set(part: Partial<State>): void {
  const { basket = page.state.basket } = part;
  if (basket !== page.state.basket) keep("basket", basket);
  page.state = { ...page.state, ...part };
  if (!page.isDrawn) return;
  page.isDrawn = false;
  queueMicrotask(draw);
}

function draw(): void {
  page.isDrawn = true;
  patch(root, view(page.state));
  document.title = titleOf(page.state);
}

function titleOf({ ids, orders, menu }: State): string {
  const [id = ""] = ids;
  const order = orders[id];
  if (id !== "") return typeof order === "object" ? `${stageName(order.status)}: ${id}` : id;
  const name = menu?.shop.name ?? "";
  return name === "" ? t("Order a pizza") : t("{shop}: order a pizza", { shop: name });
}

/** What was said before is about another basket. */
function setBasket(basket: Basket): void {
  set({ basket, note: "" });
}

function element(selector: string): HTMLElement | null {
  return root.querySelector<HTMLElement>(selector);
}

// Reading.

async function load(): Promise<void> {
  const [menu, guests, orders] = await Promise.all([
    readMenu(), readGuests(), Promise.all(page.state.ids.map(readOrder)),
  ]);
  set({ ...withMenu(withOrders(page.state, orders), menu), guests });
}

/** Throws when there is no answer that settles it. */
async function readOrder(id: string): Promise<readonly [string, Shown]> {
  try {
    return [id, (await read<Order>(`${orderPath(id)}?embed=names`)).data];
  } catch (fault) {
    if (isRefusal(fault, 401)) return [id, "signed out"];
    if (isRefusal(fault, 404)) return [id, "missing"];
    throw fault;
  }
}

/** The index links to api/tokens where guests may order: asking there would use up a token. */
async function readGuests(): Promise<boolean> {
  const { data } = await read<{ readonly links: { readonly tokens?: string } }>("api");
  return data.links.tokens !== undefined;
}

// Showing what the address asks for.

function route(): void {
  set({
    ids: idsInAddress(), visits: keptVisits(), note: "", isCopied: false, isUnfolded: false,
    canNotify: canNotify(),
  });
}

async function readShown(): Promise<void> {
  const orders = await Promise.all(page.state.ids.map(readOrder));
  set(withOrders(page.state, orders));
}

/** Without an answer the stream is lost too, and reads everything when it is back. */
function quietly(work: Promise<unknown>): void {
  work.catch(() => undefined);
}

// Choosing.

function extraOf(of: string): readonly [ExtraKind, string] {
  const [kind, id = ""] = of.split(" ");
  return [kind as ExtraKind, id];
}

function change(of: string, by: 1 | -1): void {
  const { basket, menu } = page.state;
  const [kind, id] = extraOf(of);
  if (menu === undefined || (by > 0 && !canOrder(menu, kind, id))) return;
  const next = withExtra(basket, kind, id, by);
  const name = itemOf(menu, kind, id)?.name ?? id;
  const count = chosenOf(next, kind).filter((one) => one === id).length;
  set({ basket: next, note: "", said: t("{name}: {number}", { name, number: count }) });
}

function narrow(part: Pick<State, "search"> | Pick<State, "diets">): void {
  set(part);
  set({ said: t("{count} found", { count: foundCount(page.state) }) });
}

function goToSizes(): void {
  set({ isUnfolded: false });
  queueMicrotask(() => {
    element(".menu fieldset")?.scrollIntoView({ block: "start" });
    element("#sizes")?.focus({ preventScroll: true });
  });
}

async function remove(at: number): Promise<void> {
  const question = t("Remove pizza {number}?", { number: at + 1 });
  if (!(await ask(question, t("Remove"), t("Keep it")))) return;
  setBasket(withoutPizza(page.state.basket, at));
}

// Placing.

async function placeOrder(): Promise<void> {
  const { state } = page;
  // The second half of a double click.
  if (isSending(state.basket)) return;
  if (needsLink(state)) return element("#access")?.focus();
  setBasket(withoutEmpty(state.basket));
  const hindrance = whyClosed(page.state) || whatHinders();
  if (hindrance !== "") return set({ note: hindrance });
  const bare = page.state.basket.pizzas.findIndex(({ toppings }) => toppings.length === 0);
  if (bare >= 0) {
    setBasket(turnedTo(page.state.basket, bare));
    const question = t("This pizza has no toppings. Order it plain?");
    if (!(await ask(question, t("Order it plain"), t("Choose toppings")))) return;
    if (isSending(page.state.basket)) return;
  }
  setBasket(sealed(page.state.basket, prefix));
  await sendOrders();
}

/** What has to be done before anything can be sent; the page then shows where. */
function whatHinders(): string {
  const { basket, menu } = page.state;
  const noSize = basket.pizzas.findIndex(({ size }) => size === "");
  if (noSize >= 0) {
    setBasket(turnedTo(basket, noSize));
    queueMicrotask(() => {
      element("#sizes")?.scrollIntoView({ block: "center" });
      element(".sizes input")?.focus({ preventScroll: true });
    });
    return t("Choose a size first.");
  }
  const { pizzas, beverages } = basket;
  const out = (kind: MenuKind, ids: readonly string[]): readonly string[] =>
    [...new Set(ids)].filter((id) => menu !== undefined && !canOrder(menu, kind, id));
  return whySoldOut({
    pizzasizes: out("pizzasizes", pizzas.map(({ size }) => size)),
    toppings: out("toppings", pizzas.flatMap(({ toppings }) => toppings)),
    beverages: out("beverages", beverages),
  });
}

/** "" where nothing is. */
function whySoldOut({ pizzasizes, toppings, beverages }: Record<MenuKind, readonly string[]>): string {
  const { menu } = page.state;
  const names = (kind: MenuKind, ids: readonly string[]): readonly string[] => ids.map((id) =>
    (menu === undefined ? undefined : itemOf(menu, kind, id))?.name ?? id);
  if (pizzasizes.length > 0) {
    return t("Sold out: {names}. Choose another size.", {
      names: listed(names("pizzasizes", pizzasizes)),
    });
  }
  const extras = [...names("toppings", toppings), ...names("beverages", beverages)];
  return extras.length === 0 ? ""
    : t("Sold out: {names}. Take it off and order again.", { names: listed(extras) });
}

/** Runs from the click, or the reload after it, until every order is answered. */
async function sendOrders(): Promise<void> {
  set({ note: t("Placing your order…"), isUnfolded: false });
  const total = page.state.basket.placed.length + page.state.basket.sent.length;
  const say = (text: string, isBusy: boolean): void => {
    const done = { number: page.state.basket.placed.length, total };
    set({
      note: isBusy && total > 1
        ? t("Busy: {number} of {total} placed, the rest follows by itself.", done) : text,
    });
  };
  try {
    for (let [next] = page.state.basket.sent; next !== undefined; [next] = page.state.basket.sent) {
      const isPlaced = await place(next, { guests: page.state.guests === true, say });
      if (isPlaced) takePlaced(next.id);
      else set({ basket: renumbered(page.state.basket, prefix) });
    }
    showPlaced(keptVisits()[0]?.ids ?? []);
  } catch (fault) {
    const { placed, sent } = page.state.basket;
    const before = placed.length === 0 ? ""
      : `${t("{count} of your orders are placed.", { count: placed.length })} `;
    set({ basket: unsealed(page.state.basket), note: before + whyRefused(fault, sent[0]) });
    // Something it names has just sold out, or left the menu.
    if (isRefusal(fault, 400) || isRefusal(fault, 409)) {
      quietly(readMenu().then((menu) => { set(withMenu(page.state, menu)); }));
    }
  }
}

function takePlaced(id: string): void {
  const { basket } = page.state;
  const next = withPlaced(basket, id);
  // Another tab was quicker, and has noted it.
  if (next === basket) return;
  const visits = withVisit(keptVisits(), [...basket.placed, id]);
  keep("visits", visits);
  set({ basket: next, visits });
}

/** Why an order was not taken, and what to do. */
function whyRefused(fault: unknown, sent: OrderContent | undefined): string {
  if (!(fault instanceof Refusal) || sent === undefined) return explain(fault);
  if (fault.type === "shop-closed") return t("The shop is closed and takes no orders right now.");
  if (fault.type !== "sold-out") return explain(fault);
  const { pizzaSize, toppings, beverages } = sent;
  const named = (name: string, references: readonly { readonly id: string }[]): string[] => {
    const ids = references.filter((_, at) => fault.pointers.some((pointer) =>
      pointer.startsWith(`#/${name}/${at}/`) || pointer === `#/${name}/id`)).map(({ id }) => id);
    return [...new Set(ids)];
  };
  return whySoldOut({
    pizzasizes: named("pizzaSize", [pizzaSize]),
    toppings: named("toppings", toppings),
    beverages: named("beverages", beverages),
  }) || t("Something on it just sold out. Take it off and order again.");
}

function showPlaced(ids: readonly string[]): void {
  history.pushState(null, "", addressOf(ids));
  route();
  quietly(readShown());
  scrollTo(0, 0);
  queueMicrotask(() => { element("#title")?.focus(); });
}

/** The same again, if nothing else has been begun. */
function orderAgain(): void {
  const { basket, ids, orders } = page.state;
  const placed = ids.flatMap((id) => {
    const one = orders[id];
    return typeof one === "object" ? [one] : [];
  });
  const isEmpty = basket.pizzas.length === 1 && basket.beverages.length === 0
    && currentPizza(basket).size === "" && currentPizza(basket).toppings.length === 0;
  if (!isEmpty || placed.length === 0) return;
  set({
    basket: {
      ...freshBasket(),
      pizzas: placed.map(({ pizzaSize, toppings }) =>
        ({ size: pizzaSize.id, toppings: toppings.map(({ id }) => id) })),
      beverages: placed.flatMap(({ beverages }) => beverages.map(({ id }) => id)),
    },
  });
}

// Telling when it is ready.

/** Only in secure contexts, and only once: then the browser remembers the answer. */
function canNotify(): boolean {
  return "Notification" in window && isSecureContext && Notification.permission === "default";
}

function notify(): void {
  void Notification.requestPermission().then(() => { set({ canNotify: canNotify() }); });
  navigator.serviceWorker?.register(`${workerFolder}ready-worker.js`).catch(() => undefined);
}

/** In the hand, and on the lock screen where that is allowed. */
function tellReady(id: string): void {
  // Browsers refuse it, with a complaint, where nobody has touched the page.
  if (navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.([300, 150, 300]);
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const options = { body: id, tag: id };
  try {
    const note = new Notification(newsAt("Ready"), options);
    note.addEventListener("click", () => { window.focus(); });
  } catch {
    // Phones want a service worker for it.
    void navigator.serviceWorker?.getRegistration(workerFolder)
      .then((registration) => registration?.showNotification(newsAt("Ready"), options));
  }
}

/** Tells what the changes did to the orders that are shown. */
function tellNews(before: State): void {
  for (const [id, order] of Object.entries(page.state.orders)) {
    const old = before.orders[id];
    if (typeof order !== "object" || typeof old !== "object" || old.status === order.status) continue;
    set({ said: `${id}: ${newsAt(order.status)}` });
    if (order.status === "Ready") tellReady(id);
  }
}

listen({
  size: (id, tile) => {
    const { top } = tile.getBoundingClientRect();
    setBasket(withSize(page.state.basket, id));
    // With the first size the row of pizzas comes in above: the tile stays under the finger.
    queueMicrotask(() => { scrollBy(0, tile.getBoundingClientRect().top - top); });
  },
  add: (of) => { change(of, 1); },
  take: (of, less) => {
    const tile = less.parentElement;
    change(of, -1);
    // The last one takes − away with it.
    queueMicrotask(() => {
      if (!less.isConnected) tile?.querySelector<HTMLElement>(".more")?.focus({ preventScroll: true });
    });
  },
  search: (_, field) => { narrow({ search: (field as HTMLInputElement).value }); },
  diet: (diet) => {
    const { diets } = page.state;
    const one = diet as State["diets"][number];
    narrow({ diets: diets.includes(one) ? diets.filter((other) => other !== one)
      : [...diets, one] });
  },
  another: () => {
    setBasket(withAnotherPizza(page.state.basket));
    goToSizes();
  },
  turn: (at) => {
    setBasket(turnedTo(page.state.basket, Number(at)));
    if (page.state.isUnfolded) goToSizes();
  },
  remove: (at) => void remove(Number(at)),
  unfold: () => { set({ isUnfolded: !page.state.isUnfolded }); },
  place: () => void placeOrder(),
  notify,
  copy: () => {
    navigator.clipboard.writeText(location.href)
      .then(() => { set({ isCopied: true }); }, () => undefined);
  },
  again: () => { orderAgain(); },
});
addEventListener("keydown", ({ key }) => {
  if (key === "Escape") set({ isUnfolded: false });
});
addEventListener("popstate", () => {
  route();
  quietly(readShown());
});
onKeptElsewhere("basket", () => { set({ basket: keptBasket(), visits: keptVisits() }); });
session.addEventListener("change", () => { set({}); });
setInterval(() => {
  if (page.state.lostSince !== undefined) set({});
}, 1000);

set({ canNotify: canNotify() });
if (isForgotten(page.state.basket)) {
  set({
    basket: unsealed(page.state.basket),
    note: t("We couldn’t confirm your order. Check it, and order again."),
  });
}
draw();
if (isSending(page.state.basket)) {
  quietly(readGuests().then((guests) => { set({ guests }); }).finally(() => void sendOrders()));
}
const alive = { at: Date.now() };
void follow({
  load,
  apply: (changes) => {
    const before = page.state;
    set(changes.reduce(apply, before));
    tellNews(before);
  },
  alive: () => {
    alive.at = Date.now();
    if (page.state.lostSince !== undefined) set({ lostSince: undefined });
  },
  lost: () => { set({ lostSince: alive.at }); },
  quietMs: 6000,
});
