/** The limits of what clients send. This file also runs in a browser. */

/** Characters of an id. */
export const longestId = 128;
/** Code points of a name, a note, or another short text. */
export const longestName = 200;
/** Code points of a description on the menu, and of the shop's notice. */
export const longestText = 500;
/** Toppings, and beverages, of an order. Toppings of a pizza of the shop. */
export const maxItems = 50;
/** Pizzas of the shop. */
export const maxPizzas = 100;
/** Ids of each kind in the order of the menu. */
export const maxOrdered = 200;
/** Characters of the shop's logo. Each event of the shop has it, so it is small. */
export const longestLogo = 8_000;
/** Orders in one request. */
export const maxOrders = 12;
