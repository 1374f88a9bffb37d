/**
 * The order being put together. Its id is chosen here, before anything is sent, and every retry
 * sends the same one: a double click, a lost answer or a reload in between makes one order
 * (contract part 7). Kept for the tab's session.
 */

import { menu } from "./menu.ts";
import type { OrderContent, Reference } from "./order.ts";
import { keep, kept } from "./session.ts";

/** References of one kind that an order may hold (contract part 2). */
export const mostOfAKind = 50;

export type ExtraKind = "toppings" | "beverages";

interface Draft {
  readonly id: string;
  readonly size: string;
  readonly toppings: readonly string[];
  readonly beverages: readonly string[];
  /** What was sent and not answered yet. While it is there nothing else may be placed. */
  readonly sent?: OrderContent | undefined;
}

// Written by `changeDraft` alone, in this tab.
let current = JSON.parse(kept("draft") ?? "null") as Draft | null ?? fresh();

export function draft(): Draft {
  return current;
}

export function changeDraft(change: Partial<Draft>): void {
  current = { ...current, ...change };
  keep("draft", JSON.stringify(current));
}

export function countOf(kind: ExtraKind, id: string): number {
  return current[kind].filter((one) => one === id).length;
}

/** Lets go of what is no longer on the menu; answers whether there was any. */
export function dropMissing(): boolean {
  const { size, toppings, beverages } = current;
  const left = {
    size: menu.pizzasizes.has(size) ? size : "",
    toppings: toppings.filter((id) => menu.toppings.has(id)),
    beverages: beverages.filter((id) => menu.beverages.has(id)),
  };
  changeDraft(left);
  return JSON.stringify(left) !== JSON.stringify({ size, toppings, beverages });
}

/** From here on the same body is sent until it is answered. Not without a size. */
export function seal(): boolean {
  const { id, size, toppings, beverages } = current;
  if (size === "") return false;
  const refer = (ids: readonly string[]): Reference[] => ids.map((one) => ({ id: one }));
  changeDraft({
    sent: {
      id, pizzaSize: { id: size }, toppings: refer(toppings), beverages: refer(beverages),
      status: "Pending",
    },
  });
  return true;
}

export function fresh(): Draft {
  return { id: sayableId(), size: "", toppings: [], beverages: [], sent: undefined };
}

/** Crockford's base32, as the server's own ids: nothing in it is mistaken for anything else. */
export function sayableId(): string {
  const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return Array.from(bytes, (byte) => letters[byte % 32]).join("");
}
