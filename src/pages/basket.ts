/**
 * What the customer is putting together: pizzas, each an order of its own, and drinks, which go
 * with the first of them. The orders' ids are chosen here, before anything is sent, and every retry
 * sends the same: a double click, a lost answer or a reload in between makes each order once
 * (contract part 7). Kept on the device, with the orders of the day.
 */

import {
  explain, isRefusal, keep, kept, passes, read, Refusal, signIn, token, write,
} from "./api.ts";
import { pause } from "./dom.ts";
import { holdsTheSame, menu, orderPath } from "./model.ts";
import type { Order, OrderContent, Reference } from "./model.ts";
import { t } from "./words.ts";

/** References of one kind that an order may hold (contract part 2). */
export const mostOfAKind = 50;
/** More than anybody carries; and a guest may place ten orders a minute. */
export const mostPizzas = 20;

export type ExtraKind = "toppings" | "beverages";

export interface Pizza {
  /** "": not chosen yet. */
  readonly size: string;
  readonly toppings: readonly string[];
}

interface Basket {
  /** "K7QX3M": the id of one pizza alone, and what those of several begin with. */
  readonly number: string;
  /** The ids under that number that are placed already. */
  readonly placed: readonly string[];
  /** Never empty. */
  readonly pizzas: readonly Pizza[];
  /** The pizza that the menu adds to. */
  readonly current: number;
  readonly beverages: readonly string[];
  /** What is sent and not answered yet. While there is any, nothing else may be changed. */
  readonly sent: readonly OrderContent[];
  /** When it was last changed: milliseconds since 1970. */
  readonly at: number;
}

/** Orders that were placed together from this device. */
interface Visit {
  readonly ids: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

const dayMs = 18 * 3_600_000;
/** An order that was not answered for so long is sent only by somebody who still wants it. */
const patienceMs = 15 * 60_000;
const none: Pizza = { size: "", toppings: [] };

export let basket: Basket = keptBasket();
/** Where nothing can be kept. */
let latest: readonly string[] = [];

/** Another tab's basket is this one's too. `changed` shows it. */
export function followOtherTabs(changed: () => void): void {
  addEventListener("storage", ({ key }) => {
    if (key?.endsWith("/basket") !== true) return;
    basket = keptBasket();
    changed();
  });
}

export function pizza(at: number = basket.current): Pizza {
  return basket.pizzas[at] ?? none;
}

export function isSending(): boolean {
  return basket.sent.length > 0;
}

/** Whether what was sent has been waiting since long ago. Its ids stay: it may be there. */
export function isForgotten(): boolean {
  return isSending() && Date.now() - basket.at > patienceMs;
}

/** What is chosen of a kind: of toppings on one pizza, the current one if no other is meant. */
export function chosen(kind: ExtraKind, at: number = basket.current): readonly string[] {
  return kind === "beverages" ? basket.beverages : pizza(at).toppings;
}

export function choose(kind: ExtraKind, ids: readonly string[], at: number = basket.current): void {
  if (kind === "beverages") change({ beverages: ids });
  else changePizza(at, { toppings: ids });
}

export function chooseSize(size: string): void {
  changePizza(basket.current, { size });
}

export function addPizza(): void {
  change({ pizzas: [...basket.pizzas, none], current: basket.pizzas.length });
}

export function removePizza(at: number): void {
  const pizzas = basket.pizzas.filter((_, index) => index !== at);
  const current = basket.current - (at < basket.current ? 1 : 0);
  change({ pizzas, current: Math.min(current, pizzas.length - 1) });
}

/** A pizza that was added and never begun is not meant, where there are others. */
export function dropEmpty(): void {
  const begun = basket.pizzas.filter(({ size, toppings }) => size !== "" || toppings.length > 0);
  if (begun.length === 0 || begun.length === basket.pizzas.length) return;
  change({ pizzas: begun, current: Math.min(basket.current, begun.length - 1) });
}

export function turnTo(at: number): void {
  change({ current: at });
}

/** Lets go of what is no longer on the menu. Returns whether there was any. */
export function dropMissing(): boolean {
  const { pizzas, beverages } = basket;
  const left = {
    pizzas: pizzas.map(({ size, toppings }) => ({
      size: menu.pizzasizes.has(size) ? size : "",
      toppings: toppings.filter((id) => menu.toppings.has(id)),
    })),
    beverages: beverages.filter((id) => menu.beverages.has(id)),
  };
  if (JSON.stringify(left) === JSON.stringify({ pizzas, beverages })) return false;
  change(left);
  return true;
}

/** From here on the same bodies are sent until they are answered. `prefix`: "tavolo-7-", or "". */
export function seal(prefix: string): void {
  const { number, placed, pizzas, beverages } = basket;
  const isAlone = placed.length + pizzas.length === 1;
  change({
    sent: pizzas.map(({ size, toppings }, index) => ({
      id: prefix + number + (isAlone ? "" : `-${placed.length + index + 1}`),
      pizzaSize: { id: size },
      toppings: references(toppings),
      beverages: index === 0 ? references(beverages) : [],
      status: "Pending",
    })),
  });
}

/** Nothing more is sent; what is not placed can be changed again. */
export function unseal(): void {
  change({ sent: [] });
}

/** The number is somebody else's: what is still to be placed takes another. */
export function renumber(prefix: string): void {
  change({ number: sayableNumber() });
  seal(prefix);
}

/** The first of what was sent is placed: the rest, with what is left of the basket, follows. */
export function orderPlaced(id: string): void {
  const [first, ...sent] = basket.sent;
  // Another tab has been quicker with the same orders.
  if (first?.id !== id) return;
  const placed = [...basket.placed, id];
  latest = placed;
  remember(placed);
  change(sent.length === 0 ? fresh()
    : { placed, sent, pizzas: basket.pizzas.slice(1), current: 0, beverages: [] });
}

/** The ids of the orders placed last, here or in another tab. */
export function latestVisit(): readonly string[] {
  return visits()[0]?.ids ?? latest;
}

/** The visits of the day, the latest first. */
export function visits(): readonly Visit[] {
  const all = stored("visits") as readonly Visit[] | null ?? [];
  return all.filter(({ at }) => Date.now() - at < dayMs);
}

function remember(ids: readonly string[]): void {
  const others = visits().filter((visit) => visit.ids[0] !== ids[0]);
  keep("visits", JSON.stringify([{ ids, at: Date.now() }, ...others]));
}

function changePizza(at: number, part: Partial<Pizza>): void {
  change({ pizzas: basket.pizzas.map((one, index) => (index === at ? { ...one, ...part } : one)) });
}

function change(part: Partial<Basket>): void {
  basket = { ...basket, ...part, at: Date.now() };
  keep("basket", JSON.stringify(basket));
}

/** What this page has kept, or null. */
function stored(name: string): unknown {
  return JSON.parse(kept(name) ?? "null");
}

function keptBasket(): Basket {
  const old = stored("basket") as Basket | null;
  return old !== null && Date.now() - old.at < dayMs ? old : fresh();
}

function fresh(): Basket {
  return {
    number: sayableNumber(), placed: [], pizzas: [none], current: 0, beverages: [], sent: [],
    at: Date.now(),
  };
}

function references(ids: readonly string[]): Reference[] {
  return ids.map((id) => ({ id }));
}

/** Crockford's base32, as the server's own ids: nothing in it is mistaken for anything else. */
function sayableNumber(): string {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return Array.from(bytes, (byte) => letters[byte % 32]).join("");
}

const longestWaitSeconds = 15;

/**
 * Places an order so that it is there exactly once. What gets no answer is sent again, the same
 * body under the same id, until there is one; a 409 then tells our own order from a stranger's.
 *
 * False: the id is another order's, and this one is not placed. Throws the Refusal that trying
 * again would not cure. `say` hears why it takes longer. Where `guests` are taken, an order
 * without a valid token is placed as one.
 */
export async function place(
  order: OrderContent, guests: boolean, say: (text: string) => void,
): Promise<boolean> {
  let isNew = false;
  for (let tries = 0; ; tries += 1) {
    try {
      if (token() === null && guests) await becomeGuest();
      await write<Order>("POST", "api/orders", order);
      return true;
    } catch (fault) {
      if (isRefusal(fault, 409) && fault.type === "id-taken") {
        return fault.identical || isOurs(order);
      }
      // An old guest's token has run out, and is dropped already: come in again.
      if (guests && !isNew && isRefusal(fault, 401)) {
        isNew = true;
        continue;
      }
      if (!passes(fault)) throw fault;
      const seconds = waitSeconds(fault, tries);
      say(t("{reason} Your order is kept, and sent again in {seconds} s.", {
        reason: explain(fault), seconds,
      }));
      await pause(seconds * 1000);
      say(t("Sending your order again…"));
    }
  }
}

/** Why an order was not taken, and what to do. */
export function whyRefused(fault: unknown): string {
  if (!(fault instanceof Refusal)) return explain(fault);
  if (fault.type === "shop-closed") return t("The shop is closed and takes no order right now.");
  if (fault.type === "sold-out") {
    return t("Something on it has just sold out. Take it off and order again.");
  }
  if (fault.status === 400) return t("Something on it is no longer on the menu. Choose again.");
  return explain(fault);
}

async function becomeGuest(): Promise<void> {
  const { data } = await write<{ readonly token: string }>("POST", "api/tokens");
  signIn(data.token);
}

/**
 * Not identical, and yet ours: the kitchen may have moved it on while its answer was lost. A
 * stranger's order that this token may not read is a 404.
 */
async function isOurs(order: OrderContent): Promise<boolean> {
  try {
    const { data } = await read<Order>(orderPath(order.id));
    return holdsTheSame(data, order);
  } catch (fault) {
    if (isRefusal(fault, 404)) return false;
    throw fault;
  }
}

function waitSeconds(fault: unknown, tries: number): number {
  const asked = fault instanceof Refusal ? fault.retryAfterSeconds : 0;
  return Math.min(Math.max(asked, 2 ** tries), longestWaitSeconds);
}
