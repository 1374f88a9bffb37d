/** What a customer does on the order page, and what the kitchen has of it. */

import type { Shop } from "./shop.ts";
import type { Window } from "./browser.ts";

export const topping = (name: string) => `[...document.querySelectorAll("#toppings .more")]
  .find((one) => one.textContent.includes("${name}"))`;

export async function choose(page: Window, ...toppings: string[]): Promise<void> {
  await page.click("#sizes label:nth-child(3)");
  for (const name of toppings) await page.run(`${topping(name)}.click();`);
}

/** Where the page went after the order was placed: its number. */
export function placedNumber(page: Window): Promise<string> {
  return page.until(`document.querySelector("#steps .now")
    && document.querySelector("#number").textContent`);
}

export async function orders(shop: Shop): Promise<Record<string, any>[]> {
  return (await shop.forno.call("GET", "/api/orders", { token: shop.forno.staff })).json;
}
