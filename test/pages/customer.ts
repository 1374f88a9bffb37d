/** Steps of a customer on the order page, and the orders that the kitchen then has. */

import type { Window } from "./browser.ts";
import type { Shop } from "./shop.ts";

/** The tile of that name on the menu, as an expression for the page. */
export const topping = (name: string): string =>
  `$$(".menu-lists .tiles .tile-button").find((one) => one.textContent.includes("${name}"))`;

/** The row of the shop's pizza of that name, as an expression for the page. */
export const pizza = (name: string): string =>
  `$$(".shop-pizzas li").find((one) => one.querySelector("bdi").textContent === "${name}")`;

/** The rows of the order: what each is, without what it says of allergens, and how many. */
export const chosen = `$$("#chosen > section").map((one) =>
  [...one.querySelectorAll("h3, p:not(.small), .drink p, strong")]
    .map(({ innerText }) => innerText.replace(/\\s*(vegan|vegetarian)\\s*$/, "").trim())
    .join(" | "))`;

/** Chooses the third size for the next pizza, and each of these toppings. */
export async function choose(page: Window, ...toppings: string[]): Promise<void> {
  await page.until(topping(toppings[0] ?? ""));
  await page.click(".sizes label:nth-child(3)");
  for (const name of toppings) await page.run(`${topping(name)}.click();`);
}

/** Chooses pizzas, each with a topping of its own, and two drinks. Resolves to their number. */
export async function choosePizzas(page: Window, ...toppings: string[]): Promise<string> {
  for (const [index, name] of toppings.entries()) {
    if (index > 0) await page.tap("Another pizza");
    await choose(page, name);
  }
  await page.run(`$$("[aria-labelledby=beverages] .tile-button").slice(0, 2)
    .forEach((one) => one.click())`);
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

/** Where the page went after an order was placed: its number. */
export function placedNumber(page: Window): Promise<string> {
  return page.until(`$("article .now") && $(".tracker-number").textContent`);
}

/** The message above the order button. */
export const message = `($("#message")?.innerText ?? "").replace("\\n\\n", "\\n")`;

/** Why an order under way is not answered, and the button beside that. */
export const holdUp = `texts(".waits > *")`;

export async function orders(shop: Shop): Promise<Record<string, any>[]> {
  return (await shop.forno.call("GET", "/api/orders", { token: shop.forno.staff })).json;
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
