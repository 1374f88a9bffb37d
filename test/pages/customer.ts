/** Steps of a customer on the order page, and the orders that the kitchen then has. */

import type { Window } from "./browser.ts";
import { held, type Shop } from "./shop.ts";

/** The tile of that name on the menu, or in a row, as an expression for the page. */
export const topping = (name: string, place = `$(".menu-lists")`): string =>
  `[...${place}.querySelectorAll(".tiles .tile-button")]
    .find((one) => one.textContent.includes("${name}"))`;

/** The row of the shop's pizza of that name, as an expression for the page. */
export const pizza = (name: string): string =>
  `$$(".shop-pizzas li").find((one) => one.querySelector("bdi").textContent === "${name}")`;

/** The rows of the order: what each is, without what it says of allergens, and how many. */
export const chosen = `$$("#chosen > section").map((one) =>
  [...one.querySelectorAll("h3, p:not(.small), .drink p, strong")]
    .map(({ innerText }) => innerText.replace(/\\s*(vegan|vegetarian)\\s*$/, "").trim())
    .join(" | "))`;

/** The row of the order whose title or lines have that text, as an expression for the page. */
export const rowWith = (text: string): string => `$$("#chosen > section").find((row) =>
  [...row.querySelectorAll("h3, p")].some((one) => one.innerText.includes("${text}")))`;

/** Chooses the size of the pizza that the menu changes, or of the next one. */
export function pickSize(page: Window, name: string): Promise<void> {
  return page.tapOn(`$$(".sizes label").find((one) => one.innerText.includes("${name}"))`);
}

/** Adds toppings and drinks of the menu. */
export async function add(page: Window, ...names: string[]): Promise<void> {
  for (const name of names) await page.run(`${topping(name)}.click();`);
}

/** Chooses a large pizza with these toppings. */
export async function choose(page: Window, ...toppings: string[]): Promise<void> {
  await page.until(topping(toppings[0] ?? ""));
  await pickSize(page, "Large");
  await add(page, ...toppings);
}

/** Chooses pizzas, each with a topping of its own, and two drinks. Resolves to their number. */
export async function choosePizzas(page: Window, ...toppings: string[]): Promise<string> {
  for (const [index, name] of toppings.entries()) {
    if (index > 0) await page.tap("Another pizza");
    await choose(page, name);
  }
  await add(page, "Still water", "Sparkling water");
  return numberOf(page);
}

/** The number of the basket, before anything is sent. */
export function numberOf(page: Window): Promise<string> {
  return page.run(`return JSON.parse(localStorage.getItem("/basket")).group`);
}

/** Chooses a pizza with these and orders it. Resolves to its number. */
export async function order(page: Window, ...toppings: string[]): Promise<string> {
  await choose(page, ...toppings);
  await page.click("#place");
  return placedNumber(page);
}

/** Orders what is chosen, and holds that request back until `letGo()` is called in the page. */
export async function placeHeld(page: Window, piece = "POST", act = held): Promise<void> {
  await page.intercept(piece, act);
  await page.tap("Place order");
  await page.until("window.letGo");
}

/** Where the page went after an order was placed: its number. */
export function placedNumber(page: Window): Promise<string> {
  return page.until(`$("article .now") && $(".tracker-number").textContent`);
}

/** The message above the order button. */
export const message = `($("#message")?.innerText ?? "").replace("\\n\\n", "\\n")`;

/** Why an order under way is not answered, and the button beside that. */
export const holdUp = `texts(".waits > *")`;

export function orders(shop: Shop): Promise<Record<string, any>[]> {
  return shop.read("/api/orders");
}

/** The toppings and drinks of each order. */
export async function holdings(shop: Shop): Promise<string[][]> {
  return (await orders(shop)).map(({ toppings, beverages }) =>
    [...toppings, ...beverages].map(({ name }) => name));
}

export async function setOffline(page: Window, offline: boolean): Promise<void> {
  await page.devtools("Network.enable");
  await page.devtools("Network.emulateNetworkConditions", {
    offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1,
  });
}
