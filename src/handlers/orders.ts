/**
 * What orders have beyond the menu's kinds: references that must exist when they are introduced, a
 * life cycle, times, who placed them, and the names of what was ordered, kept as they were.
 */

import {
  defaultStatus,
  isClosed,
  nextStatuses,
  type Order,
  type OrderContent,
  type OrderStatus,
  placingStatuses,
  type Reference,
} from "../model.ts";
import { Problem } from "../problem.ts";
import type { Decision } from "../store/store.ts";
import type { Entry } from "../store/table.ts";
import { Faults, inWords } from "../validation/faults.ts";
import type { Path } from "../validation/fields.ts";
import { isOrder } from "../validation/order.ts";
import { parseBody } from "../validation/shape.ts";
import type { Candidate, Kind, Sender, Surroundings } from "./kind.ts";
import {
  keptOf,
  keptText,
  type Names,
  orderDraft,
  orderOf,
  placedBy,
  textMember,
  withNames,
} from "./order-draft.ts";

/** What customers ordered. */
export const orders: Kind = {
  name: "orders",
  label: "order",
  schemaName: "Order",
  description: "What customers ordered, and how far it is.",
  shape: isOrder.shape,
  indexes: { status: (entry) => textMember(entry.text, '"status":"') },
  placed: { by: placedBy, withNames },
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
    fault: { pizzaSize: "grande", status: "Done" },
  },
};

/** As `orders`, with an index of who placed them: it is only worth its memory when it is asked. */
export const ordersByPlacer: Kind = {
  ...orders,
  indexes: { ...orders.indexes, placedBy },
};

const optionalInCreate: readonly ("id" | "status")[] = ["id", "status"];
const optionalInUpdate: readonly ("id" | "status")[] = ["id"];

function parseOrder(body: unknown, sender: Sender): Candidate {
  const isCreate = sender.pathId === undefined;
  const optional = isCreate ? optionalInCreate : optionalInUpdate;
  const sent = parseBody(isOrder, body, sender.pathId, optional);
  // Member by member: the engine is slow with objects that it has not seen made.
  const { pizzaSize, toppings, beverages } = sent;
  const status = sent.status ?? defaultStatus;
  const contentOf = (id: string): OrderContent => ({
    id,
    pizzaSize,
    toppings,
    beverages,
    status,
  });
  if (isCreate && sender.caller?.role === "customer") requirePlacing(status);
  return {
    id: sent.id ?? undefined,
    isSameAs: (stored) => isSameContent(contentOf(stored.id), orderOf(stored)),
    decide: (id, stored, surroundings) => decide(contentOf(id), stored, surroundings),
  };
}

function requirePlacing(status: OrderStatus): void {
  if (placingStatuses.includes(status)) return;
  const faults = new Faults();
  const allowed = placingStatuses.map((one) => `"${one}"`).join(" or ");
  faults.add(["status"], `expected ${allowed} from a customer, got ${inWords(status)}`);
  throw faults.toProblem();
}

function decide(
  content: OrderContent,
  entry: Entry | undefined,
  { accepted, caller, now }: Surroundings,
): Decision {
  if (entry === undefined) {
    const names = findNames(content, noNames, accepted);
    const times = { placedAt: now, updatedAt: now };
    return orderDraft(content, times, keptText({ placedBy: caller?.sub, names }));
  }
  const stored = orderOf(entry);
  // Names stay what they were when they were ordered.
  const kept = holdsTheSame(stored, content)
    ? entry.keptMembers
    : keptText({ ...keptOf(entry), names: findNames(content, keptNames(entry), accepted) });
  requireLifeCycle(stored, content);
  if (isSameContent(content, stored)) return "keep";
  return orderDraft(content, { placedAt: stored.placedAt, updatedAt: now }, kept);
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
    one.length === other.length && one.every((reference, index) => reference.id === other[index]?.id)
  );
}

/**
 * The name of every reference: as it was kept if the order held it before, else as the menu has it
 * now. Throws Problem 400 that points at each one that is nowhere.
 */
function findNames(
  content: OrderContent,
  before: KnownNames,
  accepted: Surroundings["accepted"],
): Names {
  const faults = new Faults();
  const find =
    (kind: string, label: string, known: ReadonlyMap<string, string>) =>
    ({ id }: Reference, ...path: Path): string => {
      const item = known.has(id) ? undefined : accepted(kind, id);
      const name = known.get(id) ?? (item && nameOf(item));
      if (name === undefined) {
        const expected = `expected the id of a ${label} on the menu`;
        faults.add([...path, "id"], `${expected}, got ${inWords(id)}`);
      }
      return name ?? "";
    };
  const size = find("pizzasizes", "pizza size", before.pizzaSize);
  const topping = find("toppings", "topping", before.toppings);
  const beverage = find("beverages", "beverage", before.beverages);
  const names = {
    pizzaSize: size(content.pizzaSize, "pizzaSize"),
    toppings: content.toppings.map((one, index) => topping(one, "toppings", index)),
    beverages: content.beverages.map((one, index) => beverage(one, "beverages", index)),
  };
  if (!faults.isEmpty) throw faults.toProblem();
  return names;
}

/** By id. */
interface KnownNames {
  readonly pizzaSize: ReadonlyMap<string, string>;
  readonly toppings: ReadonlyMap<string, string>;
  readonly beverages: ReadonlyMap<string, string>;
}

const noNames: KnownNames = { pizzaSize: new Map(), toppings: new Map(), beverages: new Map() };

/** Those of what an order holds. */
function keptNames(entry: Entry): KnownNames {
  const { pizzaSize, toppings, beverages } = orderOf(entry);
  const { names } = keptOf(entry);
  const byId = (references: readonly Reference[], of: readonly string[]) =>
    new Map(references.map(({ id }, index) => [id, of[index] ?? ""]));
  return {
    pizzaSize: byId([pizzaSize], [names.pizzaSize]),
    toppings: byId(toppings, names.toppings),
    beverages: byId(beverages, names.beverages),
  };
}

const itemNames = new WeakMap<Entry, string>();

/** The name of a menu item, parsed once. */
function nameOf(item: Entry): string {
  const known = itemNames.get(item);
  if (known !== undefined) return known;
  // Stored by this server, under the guard of its kind.
  const { name } = JSON.parse(item.body) as { name: string };
  itemNames.set(item, name);
  return name;
}
