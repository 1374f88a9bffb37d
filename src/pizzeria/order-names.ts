/**
 * What an order refers to: whether it is on the menu and can be had, and the names that an order
 * keeps, those that the menu had when something was ordered.
 */

import type { OrderContent, Reference } from "./model.ts";
import type { Entry } from "../store/table.ts";
import { Faults, inWords } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import type { Path } from "./fields.ts";
import type { Surroundings } from "./kind.ts";
import { shopName, shopOf } from "./shop.ts";
import { keptOf, type Names, orderOf } from "./stored-order.ts";

/** What an item of each kind that orders refer to is called. */
const labels = { pizzasizes: "pizza size", toppings: "topping", beverages: "beverage" } as const;

/** The name of what one reference refers to, and where in the order that stands. */
type NameFor = (kind: keyof typeof labels, reference: Reference, path: Path) => string;

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
  accepted: Surroundings["accepted"],
): Names {
  const faults = new Faults();
  const kept = before && keptNames(before);
  const names = namesOf(content, (kind, { id }, path) => {
    const name = kept?.get(`${kind}/${id}`) ?? nameOf(accepted(kind, id));
    if (name !== undefined) return name;
    const expected = `expected the id of a ${labels[kind]} on the menu`;
    faults.add([...path, "id"], `${expected}, got ${inWords(id)}`);
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
  accepted: Surroundings["accepted"],
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
    const name = nameOf(accepted(kind, id)) ?? id;
    names.add(name);
    faults.add([...path, "id"], `expected a ${labels[kind]} that is not sold out, got ${name}`);
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

const itemNames = new WeakMap<Entry, string>();

/** The name of a menu item, parsed once. */
function nameOf(item: Entry | undefined): string | undefined {
  if (item === undefined) return undefined;
  const known = itemNames.get(item);
  if (known !== undefined) return known;
  // Stored by this server, under the guard of its kind.
  const { name } = JSON.parse(item.body) as { name: string };
  itemNames.set(item, name);
  return name;
}
