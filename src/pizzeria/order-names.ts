/**
 * What an order refers to: whether it is on the menu and can be had, and the names that an order
 * keeps, those that the menu had when something was ordered.
 */

import type { OrderContent, Reference } from "./model.ts";
import type { Entry } from "../store/table.ts";
import { Faults, inWords } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import type { Path } from "./fields.ts";
import type { Stored } from "./kind.ts";
import { itemGuesses, itemLabels, itemName, type MenuKind } from "./menu-items.ts";
import { shopName, shopOf } from "./shop.ts";
import { keptOf, type Names, orderOf } from "./stored-order.ts";

/** The name of what one reference refers to, and where in the order that stands. */
type NameFor = (kind: MenuKind, reference: Reference, path: Path) => string;

/** The names of all references, each of them asked for. */
export function namesOf({ pizzaSize, toppings, beverages }: OrderContent, nameFor: NameFor): Names {
  return {
    pizzaSize: nameFor("pizzasizes", pizzaSize, ["pizzaSize"]),
    toppings: toppings.map((one, index) => nameFor("toppings", one, ["toppings", index])),
    beverages: beverages.map((one, index) => nameFor("beverages", one, ["beverages", index])),
  };
}

/**
 * Each as it was kept if the order held it before, else as the menu has it now. Throws Problem 400
 * that points at every one that is nowhere.
 */
export function findNames(
  content: OrderContent,
  before: Entry | undefined,
  { accepted, ids }: Stored,
): Names {
  const faults = new Faults();
  const guess = itemGuesses(ids);
  const kept = before && keptNames(before);
  const names = namesOf(content, (kind, { id }, path) => {
    const name = kept?.get(`${kind}/${id}`) ?? itemName(accepted(kind, id));
    if (name !== undefined) return name;
    const expected = `expected the id of a ${itemLabels[kind]} on the menu`;
    faults.add([...path, "id"], () => `${expected}, got ${inWords(id)}${guess(kind, id)}`);
    return "";
  });
  if (!faults.isEmpty) throw faults.toProblem();
  return names;
}

/**
 * Throws Problem 409 "shop-closed" with the shop's notice, or "sold-out" that points at every
 * reference to what is sold out.
 */
export function requireInStock(
  content: OrderContent,
  accepted: Stored["accepted"],
): void {
  const entry = accepted(shopName, shopName);
  if (entry === undefined) throw new Error("the store has a shop from the start");
  const { isOpen, notice, soldOut } = shopOf(entry);
  if (!isOpen) {
    throw new Problem("shop-closed", `the shop is closed: ${notice || "no orders for now"}`);
  }
  const faults = new Faults();
  const names = new Set<string>();
  namesOf(content, (kind, { id }, path) => {
    if (!soldOut[kind].includes(id)) return "";
    const name = itemName(accepted(kind, id)) ?? id;
    names.add(name);
    const expected = `expected a ${itemLabels[kind]} that is not sold out`;
    faults.add([...path, "id"], () => `${expected}, got ${name}`);
    return name;
  });
  if (faults.isEmpty) return;
  throw faults.toProblem("sold-out", `sold out: ${[...names].join(", ")}; order without`);
}

/** Those of what an order holds, by kind and id. */
function keptNames(entry: Entry): ReadonlyMap<string, string> {
  const { pizzaSize, toppings, beverages } = orderOf(entry);
  const { names } = keptOf(entry);
  const byId = (kind: string, references: readonly Reference[], of: readonly string[]) =>
    references.map(({ id }, index) => [`${kind}/${id}`, of[index] ?? ""] as const);
  return new Map([
    ...byId("pizzasizes", [pizzaSize], [names.pizzaSize]),
    ...byId("toppings", toppings, names.toppings),
    ...byId("beverages", beverages, names.beverages),
  ]);
}
