/**
 * What an order refers to: whether it is on the menu and can be had, and the names that an order
 * keeps, those that the menu had when something was ordered.
 */

import type { OrderContent, Reference } from "./model.ts";
import type { Entry } from "../store/table.ts";
import { Faults, inWords } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import type { Path } from "./fields.ts";
import type { Lookup } from "./kind.ts";
import { itemGuesses, itemLabels, itemName, type MenuKind } from "./menu-items.ts";
import { shopName, shopOf } from "./shop.ts";
import { keptOf, type Names, orderOf } from "./stored-order.ts";

/** A reference in an order. */
interface Referred {
  readonly kind: MenuKind;
  readonly id: string;
  /** To its id. */
  readonly path: Path;
}

/** Every reference with its place, which only faults need: see `namesOf`. */
export function* referencesOf({
  pizzaSize,
  toppings,
  beverages,
}: OrderContent): Generator<Referred> {
  yield { kind: "pizzasizes", id: pizzaSize.id, path: ["pizzaSize", "id"] };
  for (const [index, { id }] of toppings.entries()) {
    yield { kind: "toppings", id, path: ["toppings", index, "id"] };
  }
  for (const [index, { id }] of beverages.entries()) {
    yield { kind: "beverages", id, path: ["beverages", index, "id"] };
  }
}

/** The names of all references; undefined where one has none. */
export function namesOf(
  order: OrderContent,
  nameFor: (kind: MenuKind, id: string) => string | undefined,
): Names | undefined {
  const pizzaSize = nameFor("pizzasizes", order.pizzaSize.id);
  const toppings = order.toppings.map(({ id }) => nameFor("toppings", id));
  const beverages = order.beverages.map(({ id }) => nameFor("beverages", id));
  return pizzaSize !== undefined && areAll(toppings) && areAll(beverages)
    ? { pizzaSize, toppings, beverages }
    : undefined;
}

function areAll(names: readonly (string | undefined)[]): names is readonly string[] {
  return !names.includes(undefined);
}

/**
 * Each as it was kept if the order held it before, else as the menu has it now. Throws Problem 400
 * that points at every one that is nowhere.
 */
export function findNames(
  content: OrderContent,
  before: Entry | undefined,
  { accepted, ids }: Lookup,
): Names {
  const kept = before && keptNames(before);
  const nameFor = (kind: MenuKind, id: string): string | undefined =>
    kept?.get(`${kind}/${id}`) ?? itemName(accepted(kind, id));
  const names = namesOf(content, nameFor);
  if (names !== undefined) return names;
  const faults = new Faults();
  const guess = itemGuesses(ids);
  for (const { kind, id, path } of referencesOf(content)) {
    if (nameFor(kind, id) !== undefined) continue;
    const expected = `expected the id of a ${itemLabels[kind]} on the menu`;
    faults.add(path, () => `${expected}, got ${inWords(id)}${guess(kind, id)}`);
  }
  throw faults.toProblem();
}

/**
 * Throws Problem 409 "shop-closed" with the shop's notice, or "sold-out" that points at every
 * reference to what is sold out.
 */
export function requireInStock(content: OrderContent, { accepted }: Lookup): void {
  const entry = accepted(shopName, shopName);
  if (entry === undefined) throw new Error("the store has a shop from the start");
  const { isOpen, notice, soldOut } = shopOf(entry);
  if (!isOpen) {
    throw new Problem("shop-closed", `the shop is closed: ${notice || "no orders for now"}`);
  }
  if (Object.values(soldOut).every((ids) => ids.length === 0)) return;
  const faults = new Faults();
  const names = new Set<string>();
  for (const { kind, id, path } of referencesOf(content)) {
    if (!soldOut[kind].includes(id)) continue;
    const name = itemName(accepted(kind, id)) ?? id;
    names.add(name);
    const expected = `expected a ${itemLabels[kind]} that is not sold out`;
    faults.add(path, () => `${expected}, got ${name}`);
  }
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
