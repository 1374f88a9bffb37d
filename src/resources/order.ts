/**
 * What orders have beyond the menu's kinds: references that must exist and be had when they are
 * introduced, a life cycle, times, who placed them, and the names of what was ordered, kept as the
 * menu had them then.
 */

import { isoTime, jsonString, lastTime } from "../log/json-text.ts";
import { Faults } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import type { Decision } from "../store/store.ts";
import type { Entry } from "../store/table.ts";
import {
  choiceField,
  type Field,
  idField,
  referenceField,
  referencesField,
  type Shape,
} from "./field.ts";
import type { Kind, Lookup, Proposal, Sender } from "./kind.ts";
import { itemLabels, itemName, type MenuKind, missingItems, type Referred } from "./menu.ts";
import {
  defaultStatus,
  isClosed,
  nextStatuses,
  type Order,
  type OrderContent,
  orderStatuses,
  placingStatuses,
  type Reference,
} from "./model.ts";
import { objectField, parseBody, type Sent } from "./shape.ts";
import { shopName, shopOf } from "./shop.ts";
import {
  keptOf,
  keptSchema,
  keptText,
  namesText,
  orderDraft,
  orderOf,
  placedBy,
  textMember,
  type Times,
  withNames,
} from "./stored-order.ts";

const shape: Shape<Omit<Order, keyof Times>> = {
  id: idField,
  pizzaSize: referenceField("pizza size"),
  toppings: referencesField("topping"),
  beverages: referencesField("beverage"),
  status: choiceField(orderStatuses, "schemas/OrderStatus"),
};
const placingStatus = choiceField(placingStatuses, undefined, " from a customer");
const times = ["placedAt", "updatedAt"];
const optional = { create: ["id", "status"], update: ["id"] } as const;
const ofCreate = { optional: optional.create, ignored: times };

const placedByStaff = objectField(shape, ofCreate);
const placedByCustomer = objectField({ ...shape, status: placingStatus }, ofCreate);
const update = objectField(shape, { optional: optional.update, ignored: times });

/** As a document holds it, apart from what is kept beside it. */
export const storedOrder: Field<Sent<Omit<Order, keyof Times>, "status">> = objectField(shape, {
  optional: ["status"],
  ignored: times,
});

/** What customers ordered. */
export const orders: Kind = {
  name: "orders",
  label: "order",
  schemaName: "Order",
  description: "What customers ordered, and how far it is.",
  shape,
  optional,
  times,
  kept: keptSchema,
  indexes: { status: (entry) => textMember(entry.text, '"status":"') },
  placedBy,
  withNames,
  sortKey: (entry) => textMember(entry.text, '"placedAt":"') ?? "",
  parse: parseOrder,
  examples: {
    create: {
      id: "tavolo-4",
      pizzaSize: { id: "grande" },
      toppings: [{ id: "funghi" }, { id: "mozzarella" }, { id: "mozzarella" }],
      beverages: [{ id: "chinotto" }],
      status: "Preparing",
    },
    patch: { status: "Ready" },
  },
};

/** As `orders`, with an index of who placed them: it is worth its memory only where it is used. */
export const ordersByPlacer: Kind = {
  ...orders,
  indexes: { ...orders.indexes, placedBy },
};

function parseOrder(body: unknown, sender: Sender): Proposal {
  const { caller, pathId } = sender;
  const isFromCustomer = caller?.role === "customer";
  const create = isFromCustomer ? placedByCustomer : placedByStaff;
  const sent = parseBody(pathId === undefined ? create : update, body, pathId);
  // Member by member: V8 is slow on objects whose making it has not seen.
  const { pizzaSize, toppings, beverages } = sent;
  const content = { pizzaSize, toppings, beverages, status: sent.status ?? defaultStatus };
  return {
    id: sent.id ?? undefined,
    isSameAs: (stored) => isSameContent(content, orderOf(stored)),
    decide(id, stored, lookup, now) {
      if (stored !== undefined) return updated(content, stored, lookup, now);
      const names = findNames(content, undefined, lookup);
      // Staff know better than the shop's document.
      if (isFromCustomer) requireInStock(content, lookup);
      const times = { placedAt: now, updatedAt: now };
      return orderDraft(id, content, times, keptText(caller?.sub, names));
    },
  };
}

function updated(content: OrderContent, entry: Entry, lookup: Lookup, now: string): Decision {
  const stored = orderOf(entry);
  // Names stay what they were when they were ordered.
  const kept = holdsTheSame(stored, content)
    ? entry.kept
    : keptText(placedBy(entry), findNames(content, entry, lookup));
  requireLifeCycle(stored, content);
  if (isSameContent(content, stored)) return "keep";
  const updatedAt = laterThan(stored.updatedAt, now);
  return orderDraft(entry.id, content, { placedAt: stored.placedAt, updatedAt }, kept);
}

/** The time, or just after the last one where the clock has been set back: clients compare them. */
function laterThan(last: string, now: string): string {
  return now > last ? now : isoTime(Math.min(Date.parse(last) + 1, lastTime));
}

/** Throws Problem 409. */
function requireLifeCycle(stored: Order, next: OrderContent): void {
  const { status } = stored;
  const allowed = nextStatuses(status);
  if (next.status !== status && !allowed.includes(next.status)) {
    throw new Problem(
      "status-not-allowed",
      `the order is ${status} and cannot become ${next.status}; open it again first: ` +
        `allowed are ${allowed.join(", ")}`,
      { allowed },
    );
  }
  if (isClosed(status) && !holdsTheSame(stored, next)) {
    throw new Problem(
      "order-closed",
      `the order is ${status}: its pizzaSize, toppings and beverages can no longer be changed; ` +
        "open it again first by changing only its status",
    );
  }
}

function isSameContent(one: OrderContent, other: OrderContent): boolean {
  return one.status === other.status && holdsTheSame(one, other);
}

function holdsTheSame(one: OrderContent, other: OrderContent): boolean {
  return (
    one.pizzaSize.id === other.pizzaSize.id &&
    areSame(one.toppings, other.toppings) &&
    areSame(one.beverages, other.beverages)
  );
}

function areSame(one: readonly Reference[], other: readonly Reference[]): boolean {
  return (
    one.length === other.length &&
    one.every((reference, index) => reference.id === other[index]?.id)
  );
}

/** Every reference with its place, which only faults need. */
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

/**
 * The names of all references, as JSON: each as it was kept if the order held it before, else as
 * the menu has it now. Throws Problem 400 that points at every one that is nowhere.
 */
function findNames(
  content: OrderContent,
  before: Entry | undefined,
  { accepted, ids }: Lookup,
): string {
  const kept = before && keptNames(before);
  const nameFor = (kind: MenuKind, id: string): string | undefined =>
    kept?.get(`${kind}/${id}`) ?? itemName(accepted(kind, id));
  const names = namesText(content, nameFor);
  if (names !== undefined) return names;
  const isItem = (kind: MenuKind, id: string): boolean => nameFor(kind, id) !== undefined;
  throw missingItems(referencesOf(content), isItem, ids).toProblem();
}

/**
 * Throws Problem 409 "shop-closed" with the shop's notice, or "sold-out" that points at every
 * reference to what is sold out.
 */
function requireInStock(content: OrderContent, { accepted }: Lookup): void {
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
    const name = JSON.parse(itemName(accepted(kind, id)) ?? jsonString(id)) as string;
    names.add(name);
    const expected = `expected a ${itemLabels[kind]} that is not sold out`;
    faults.add(path, () => `${expected}, got ${name}`);
  }
  if (faults.isEmpty) return;
  throw faults.toProblem("sold-out", `sold out: ${[...names].join(", ")}; order without`);
}

/** Those of what an order holds, as JSON, by kind and id. */
function keptNames(entry: Entry): ReadonlyMap<string, string> {
  const { pizzaSize, toppings, beverages } = orderOf(entry);
  const { names } = keptOf(entry);
  const byId = (kind: string, references: readonly Reference[], of: readonly string[]) =>
    references.map(({ id }, index) => [`${kind}/${id}`, jsonString(of[index] ?? "")] as const);
  return new Map([
    ...byId("pizzasizes", [pizzaSize], [names.pizzaSize]),
    ...byId("toppings", toppings, names.toppings),
    ...byId("beverages", beverages, names.beverages),
  ]);
}
