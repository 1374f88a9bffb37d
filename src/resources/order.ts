/**
 * Orders: the fields, the bodies that clients may send, and the life cycle. A reference must exist
 * when it is added to an order. The order keeps the item's name as it was then.
 */

import { Faults } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import type { Lookup, ReadContext, StoredKind } from "../store/stored-kind.ts";
import type { Content, Identified, Row } from "../store/rows.ts";
import { beverages } from "./beverage.ts";
import {
  bounds,
  choiceField,
  type Field,
  areSame,
  idField,
  keptNameField,
  lastTime,
  listField,
  objectField,
  optional,
  parse,
  type Path,
  picker,
  type Reference,
  type ReferredKind,
  referenceField,
  type Sent,
  type Shape,
  subjectField,
  timeField,
} from "./field.ts";
import type { Kind, WriteContext } from "./kind.ts";
import { pizzaSizes } from "./pizza-size.ts";
import { shop, shopId, type SoldOut } from "./shop.ts";
import { toppings } from "./topping.ts";

/** An order in the API. Times: RFC 3339, UTC, milliseconds. */
export interface Order {
  readonly id: string;
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly beverages: readonly Reference[];
  readonly status: OrderStatus;
  readonly placedAt: string;
  readonly updatedAt: string;
  /** When it got its status. */
  readonly statusSince: string;
}

/** Data stored with an order but not shown. */
interface OrderKept {
  /** The subject of the token that it was placed with. */
  readonly placedBy?: string;
  readonly names: Names;
  /** The status before the last change of status, unless that was undone. */
  readonly before?: StatusTime;
}

interface StatusTime {
  readonly status: OrderStatus;
  readonly since: string;
}

/** The items' names when they were ordered, in the order of the references. */
interface Names {
  readonly pizzaSize: string;
  readonly toppings: readonly string[];
  readonly beverages: readonly string[];
}

export type OrderStatus = (typeof orderStatuses)[number];

/** In the order of the life cycle. */
export const orderStatuses = [
  "Pending",
  "Preparing",
  "Ready",
  "Out for Delivery",
  "Delivered",
  "Cancelled",
] as const;

/** The statuses in which a customer may place an order. */
const placingStatuses: readonly OrderStatus[] = ["Pending", "Preparing"];
const defaultStatus: OrderStatus = "Preparing";

const references = (kind: ReferredKind): Field<readonly Reference[]> =>
  listField(referenceField(kind, "; to have it twice, list it twice"), {
    items: `objects, each with the id of a ${kind.label}`,
    max: bounds.references,
  });

const statusField = choiceField(orderStatuses, "schemas/OrderStatus");

const fields: Shape<Order> = {
  id: idField,
  pizzaSize: referenceField(pizzaSizes),
  toppings: references(toppings),
  beverages: references(beverages),
  status: optional(statusField, "create", "file"),
  placedAt: timeField,
  updatedAt: timeField,
  statusSince: {
    ...timeField,
    schema: {
      ...timeField.schema,
      description:
        "When it got its status: RFC 3339, in UTC, with milliseconds. Going back to the status " +
        "before within 60 seconds restores the time that it had.",
    },
  },
};

const namesOfList = listField(keptNameField, { items: "strings" });
const namesFields: Shape<Names> = {
  pizzaSize: keptNameField,
  toppings: namesOfList,
  beverages: namesOfList,
};
const keptFields: Shape<OrderKept> = {
  names: optional(objectField<Names>(namesFields, "file"), "file"),
  // The `sub` of the token that it was placed with; missing if that had none.
  placedBy: optional(subjectField, "file"),
  before: optional(
    objectField<StatusTime>({ status: statusField, since: optional(timeField) }, "file"),
    "file",
  ),
};

type SentOrder = Sent<Omit<Order, "placedAt" | "updatedAt" | "statusSince">, "id" | "status">;

const bodies = {
  create: objectField<Order, SentOrder>(fields, "create"),
  update: objectField<Order, SentOrder>(fields, "update"),
  createByCustomer: objectField<Order, SentOrder>(
    {
      ...fields,
      status: optional(choiceField(placingStatuses, undefined, " from a customer"), "create"),
    },
    "create",
  ),
};
type OrderLine = Omit<SentOrder, "id"> & { readonly id: string } & Partial<Order & OrderKept>;

const line = objectField<Order & OrderKept, OrderLine>({ ...fields, ...keptFields }, "file");
const pick = picker(fields);
const pickNames = picker(namesFields);

export const orders: Kind<Order, OrderKept, SentOrder> = {
  name: "orders",
  label: "order",
  schemaName: "Order",
  description: "What customers ordered, and how far it is.",
  fields,
  body(input, caller) {
    if (input === "update") return bodies.update;
    return caller?.role === "customer" ? bodies.createByCustomer : bodies.create;
  },
  next: (id, sent, stored, context) =>
    stored === undefined ? placed(id, sent, context) : changed(sent, stored, context),
  read,
  refersTo: (stored, kind, id) => namesById(stored).has(`${kind.name}/${id}`),
  placedBy: ({ kept }) => kept.placedBy,
  withNames,
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

/** A new order. Throws Problem 409 if it cannot be ordered now. */
function placed(id: string, sent: SentOrder, context: WriteContext): Content<Order, OrderKept> {
  const { now, caller } = context;
  const status = sent.status ?? defaultStatus;
  const times = { placedAt: now, updatedAt: now, statusSince: now };
  const value = pick(sent, { id, status, ...times });
  const names = namesOf(value, undefined, context);
  // Staff may order while the shop is closed, and sold-out items too.
  if (caller?.role === "customer") requireInStock(value, names, context);
  return { value, kept: keptOf(names, caller?.sub) };
}

/** A changed order. Throws Problem 409 by the life cycle. */
function changed(
  sent: SentOrder,
  stored: Row<Order, OrderKept>,
  context: WriteContext,
): Content<Order, OrderKept> {
  const { id, placedAt, updatedAt: last } = stored.value;
  const updatedAt = laterThan(last, context.now);
  const status = sent.status ?? defaultStatus;
  const { statusSince, before } = statusTimes(stored, status, updatedAt);
  const value = pick(sent, { id, status, placedAt, updatedAt, statusSince });
  const hasSameItems = areSame(fields, value, stored.value, "status");
  if (hasSameItems && status === stored.value.status) return stored;
  // An item keeps the name it had when it was ordered.
  const names = hasSameItems ? stored.kept.names : namesOf(value, stored, context);
  requireLifeCycle(stored.value, value, hasSameItems);
  return { value, kept: keptOf(names, stored.kept.placedBy, before) };
}

/** Going back to the status before within this time is the undo of a wrong tap. */
const undoMs = 60_000;

/** When an order got its `status`, and the status before that. An undo leaves nothing to undo. */
function statusTimes(
  { value, kept: { before } }: Row<Order, OrderKept>,
  status: OrderStatus,
  updatedAt: string,
): { readonly statusSince: string; readonly before?: StatusTime | undefined } {
  const { status: was, statusSince: since } = value;
  if (status === was) return { statusSince: since, before };
  const isUndo =
    before?.status === status && Date.parse(updatedAt) - Date.parse(since) <= undoMs;
  if (isUndo) return { statusSince: before.since };
  return { statusSince: updatedAt, before: { status: was, since } };
}

/**
 * Reads an order from a file. Its status, times and names may be missing. With names, it may
 * refer to items that were deleted since.
 */
function read(members: unknown, context: ReadContext): Content<Order, OrderKept> {
  const found = parse(line, members);
  const { status = defaultStatus, placedAt = context.now, updatedAt = placedAt } = found;
  // Orders of earlier versions have no statusSince. To save memory, equal times share one string,
  // and an undo that would come too late is dropped.
  const isLastChange = found.statusSince === undefined || found.statusSince === updatedAt;
  const statusSince = isLastChange ? updatedAt : found.statusSince;
  const isUndoOver = Date.parse(context.now) - Date.parse(statusSince) > undoMs;
  const before = isUndoOver ? undefined : found.before;
  const value = pick(found, { status, placedAt, updatedAt, statusSince });
  if (found.names !== undefined) {
    const names = requireNamesFor(value, pickNames(found.names));
    return { value, kept: keptOf(names, found.placedBy, before) };
  }
  parse(line, members, (kind, itemId) => context.get(kind, itemId) !== undefined);
  return { value, kept: keptOf(namesOf(value, undefined, context), found.placedBy, before) };
}

function keptOf(names: Names, placedBy?: string, before?: StatusTime): OrderKept {
  // Not by spreading, whose objects take more memory: there may be a million orders.
  if (placedBy === undefined) return before === undefined ? { names } : { names, before };
  return before === undefined ? { placedBy, names } : { placedBy, names, before };
}

/** The time, or a millisecond after `last` if the clock was set back: updatedAt must rise. */
function laterThan(last: string, now: string): string {
  if (now > last) return now;
  return new Date(Math.min(Date.parse(last) + 1, lastTime)).toISOString();
}

/** True if the order is finished. Its items can no longer change. */
function isClosed(status: OrderStatus): boolean {
  return status === "Delivered" || status === "Cancelled";
}

/**
 * The statuses that may follow. Staff correct wrong taps, so every change is allowed except
 * directly between Delivered and Cancelled.
 */
function nextStatuses(status: OrderStatus): readonly OrderStatus[] {
  return orderStatuses.filter((next) => next !== status && !(isClosed(status) && isClosed(next)));
}

/** Throws Problem 409. */
function requireLifeCycle({ status }: Order, next: Order, hasSameItems: boolean): void {
  const allowed = nextStatuses(status);
  if (next.status !== status && !allowed.includes(next.status)) {
    throw new Problem(
      "status-not-allowed",
      `the order is ${status} and cannot become ${next.status}; open it again first: ` +
        `allowed are ${allowed.join(", ")}`,
      { allowed },
    );
  }
  if (isClosed(status) && !hasSameItems) {
    throw new Problem(
      "order-closed",
      `the order is ${status}: only its status can be changed; open it again first by changing ` +
        "its status alone",
    );
  }
}

/** A menu item. */
interface Item extends Identified {
  readonly name: string;
}

/** A reference of an order: its item, the item's name at the time, and the path for faults. */
interface Referred {
  readonly kind: StoredKind<Item> & { readonly label: string };
  readonly soldOut: keyof SoldOut;
  readonly id: string;
  readonly name: string;
  readonly path: Path;
}

const lists = [["toppings", toppings], ["beverages", beverages]] as const;

function* referencesOf({ pizzaSize, ...order }: Order, names: Names): Generator<Referred> {
  const { id } = pizzaSize;
  const path = ["pizzaSize", "id"];
  yield { kind: pizzaSizes, soldOut: "pizzasizes", id, name: names.pizzaSize, path };
  for (const [list, kind] of lists) {
    for (const [index, { id }] of order[list].entries()) {
      yield { kind, soldOut: list, id, name: names[list][index] ?? "", path: [list, index, "id"] };
    }
  }
}

/**
 * The names of all references, which are valid: the stored name if the order had the item before,
 * else the menu's current name.
 */
function namesOf(
  order: Order,
  stored: Row<Order, OrderKept> | undefined,
  lookup: Lookup,
): Names {
  const known = stored && namesById(stored);
  const nameOf = (kind: StoredKind<Item>, { id }: Reference): string =>
    known?.get(`${kind.name}/${id}`) ?? lookup.get(kind, id)?.value.name ?? "";
  return {
    pizzaSize: nameOf(pizzaSizes, order.pizzaSize),
    toppings: order.toppings.map((one) => nameOf(toppings, one)),
    beverages: order.beverages.map((one) => nameOf(beverages, one)),
  };
}

/** Returns the names. Throws Invalid if there is not exactly one for each reference. */
function requireNamesFor(order: Order, names: Names): Names {
  const faults = new Faults();
  for (const [list] of lists) {
    const count = order[list].length;
    if (names[list].length === count) continue;
    const expected = `an array of ${count} strings, a name for each reference`;
    faults.addUnexpected(["names", list], expected, names[list]);
  }
  faults.requireNone();
  return names;
}

/** The names of an order's items, by kind and id. */
function namesById({ value, kept: { names } }: Row<Order, OrderKept>): Map<string, string> {
  const references = Array.from(referencesOf(value, names));
  return new Map(references.map(({ kind, id, name }) => [`${kind.name}/${id}`, name]));
}

/** The order with a name in each reference. */
function withNames({ value, kept: { names } }: Row<Order, OrderKept>): object {
  const named = (references: readonly Reference[], of: readonly string[]): object[] =>
    references.map(({ id }, index) => ({ id, name: of[index] ?? "" }));
  return {
    ...value,
    pizzaSize: { id: value.pizzaSize.id, name: names.pizzaSize },
    toppings: named(value.toppings, names.toppings),
    beverages: named(value.beverages, names.beverages),
  };
}

/**
 * Throws Problem 409 "shop-closed" with the shop's notice, or "sold-out" with every sold-out
 * reference.
 */
function requireInStock(order: Order, names: Names, { get }: WriteContext): void {
  const row = get(shop, shopId);
  if (row === undefined) throw new Error("the store has a shop from the start");
  const { isOpen, notice, soldOut } = row.value;
  if (!isOpen) {
    throw new Problem("shop-closed", `the shop is closed: ${notice || "no orders for now"}`);
  }
  const faults = new Faults();
  const soldOutNames = new Set<string>();
  for (const { kind, soldOut: list, id, name, path } of referencesOf(order, names)) {
    if (!soldOut[list].includes(id)) continue;
    soldOutNames.add(name);
    faults.add(path, () => `expected a ${kind.label} that is not sold out, got ${name}`);
  }
  if (faults.isEmpty) return;
  const detail = `sold out: ${[...soldOutNames].join(", ")}; order without`;
  throw new Problem("sold-out", detail, { errors: faults.list });
}
