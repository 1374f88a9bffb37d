/**
 * Orders: the type, the guards, and the content that a write stores. An item must exist when it is
 * added to an order. The order keeps the name that the item had then.
 */

import type { Content, Row } from "../store/row.ts";
import {
  arrayOf,
  type Guard,
  isChosenTimeOrEmpty,
  isFlag,
  isId,
  isIdOrEmpty,
  isIgnored,
  isNameOrEmpty,
  isOneOf,
  isSub,
  isTime,
  type Members,
  objectOf,
  optional,
  parse,
  type Path,
} from "./check.ts";
import type { Kind, WriteContext } from "./kind.ts";
import { beverages, type MenuKind, pizzaSizes, toppings } from "./menu.ts";
import {
  defaultStatus,
  isWaiting,
  type OrderStatus,
  orderStatuses,
  requireLifeCycle,
  type StatusTime,
  statusTimes,
} from "./order-status.ts";
import {
  hasSameIds,
  type Identified,
  isReference,
  isReferenceTo,
  type Reference,
  referencesTo,
} from "./reference.ts";
import { laterThan, parseTime } from "./time.ts";

/** The texts of an order, in the order of its JSON. A client may leave out each; a PUT keeps it. */
export interface OrderTexts {
  /** The name under which the pizza was ordered: "Calzone". */
  readonly pizza?: string | undefined;
  /** A remark about this pizza: "no salt". */
  readonly note?: string | undefined;
  /** Who ordered: "Anna". */
  readonly name?: string | undefined;
  /** For whom it is brought: "Table 7". */
  readonly table?: string | undefined;
  /** An id that orders have in common which were placed together. */
  readonly group?: string | undefined;
}

/** An order. Its texts are never empty. Times: RFC 3339, UTC, milliseconds. */
export interface Order extends OrderTexts {
  readonly id: string;
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly beverages: readonly Reference[];
  readonly status: OrderStatus;
  /** The time for which it is wanted, if the client named one. */
  readonly wantedAt?: string | undefined;
  readonly placedAt: string;
  readonly updatedAt: string;
  /** When it got its status. */
  readonly statusSince: string;
}

/** Stored with an order, and not shown. */
export interface OrderKept {
  /** The `sub` of the token that it was placed with; undefined if that had none. */
  readonly placedBy?: string | undefined;
  /** True if a customer has placed it. */
  readonly isCustomers?: boolean | undefined;
  /** The status before the last change of status, unless that was undone. */
  readonly before?: StatusTime | undefined;
}

/** As a client sends it. Only the `id` of a reference counts, and an empty string is none. */
export interface OrderBody extends OrderTexts, Pick<Order, "id" | "status" | "wantedAt"> {
  readonly pizzaSize: Identified;
  readonly toppings: readonly Identified[];
  readonly beverages: readonly Identified[];
}

/** The guards of bodies and of stored lines. */
const textMembers: Members<OrderTexts> = {
  pizza: optional(isNameOrEmpty),
  note: optional(isNameOrEmpty),
  name: optional(isNameOrEmpty),
  table: optional(isNameOrEmpty),
  group: optional(isIdOrEmpty),
};

const orderTexts = Object.keys(textMembers) as readonly (keyof OrderTexts)[];

type Times = Record<"placedAt" | "updatedAt" | "statusSince", unknown>;

const bodyMembers: Members<OrderBody & Times> = {
  id: isId,
  pizzaSize: isReferenceTo(pizzaSizes),
  toppings: referencesTo(toppings),
  beverages: referencesTo(beverages),
  status: isOneOf(orderStatuses),
  ...textMembers,
  wantedAt: optional(isChosenTimeOrEmpty),
  placedAt: isIgnored,
  updatedAt: isIgnored,
  statusSince: isIgnored,
};

/** For a body from staff. */
const isOrderBody: Guard<OrderBody> = objectOf(bodyMembers);

/** For a new order from a customer. */
export const isCustomersOrderBody: Guard<OrderBody> = objectOf({
  ...bodyMembers,
  status: isOneOf(["Pending", "Preparing"] as const, " from a customer"),
});

/** For a line of the store. An order stays valid if the rules for bodies get tighter. */
const orderMembers: Members<Order> = {
  id: isId,
  pizzaSize: isReference,
  toppings: arrayOf(isReference, "references"),
  beverages: arrayOf(isReference, "references"),
  status: isOneOf(orderStatuses),
  ...textMembers,
  wantedAt: optional(isTime),
  placedAt: isTime,
  updatedAt: isTime,
  statusSince: isTime,
};
const isOrder: Guard<Order> = objectOf(orderMembers);
const orderNames = Object.keys(orderMembers) as readonly (keyof Order)[];
const isOrderKept: Guard<OrderKept> = objectOf<OrderKept>({
  placedBy: optional(isSub),
  isCustomers: optional(isFlag),
  before: optional(objectOf<StatusTime>({ status: isOneOf(orderStatuses), since: isTime })),
});

export const orders: Kind<Order, OrderKept, OrderBody> = {
  name: "orders",
  label: "order",
  isBody: isOrderBody,
  defaults: { status: defaultStatus },
  optional: [...orderTexts, "wantedAt"],
  filters: {
    id: "id",
    status: orderStatuses,
    ...Object.fromEntries(orderTexts.map((name) => [name, "text"] as const)),
    group: "id",
  },
  keysOf({ value: { group, status }, kept: { placedBy, isCustomers } }) {
    const keys: string[] = [];
    if (placedBy !== undefined) keys.push(placedByKey(placedBy));
    if (group !== undefined) keys.push(groupKey(group));
    if (isCustomers === true && isWaiting(status)) keys.push(waitingKey);
    return keys;
  },
  idOf: ({ id }) => id,
  timeOf: ({ placedAt, wantedAt }) => wantedAt ?? placedAt,
  read(data, kept) {
    return { value: orderOf(parse(isOrder, data)), kept: parse(isOrderKept, kept ?? {}) };
  },
  isSame: (body, order) => body.status === order.status && hasSameContent(body, order),
  // Not its status: the kitchen may have started the order before a retry arrives.
  isIdentical: hasSameContent,
  decide: (body, context) =>
    context.stored === undefined
      ? newOrder(body, context)
      : changedOrder(body, context.stored, context),
};

/** The key of the orders that this sub has placed. */
export function placedByKey(sub: string): string {
  return `placedBy ${sub}`;
}

/** The key of the orders of a group. */
export function groupKey(group: string): string {
  return `group ${group}`;
}

/** The key of customers' orders that wait for the kitchen. */
export const waitingKey = "waiting";

/** The order of these parts, with its members in the order of the JSON. Later parts count. */
function orderOf(...parts: readonly (OrderBody | Partial<Order>)[]): Order {
  // Not by spreading, which takes ten times as long.
  const order: Partial<Order> = Object.assign({}, ...parts);
  const whole: Partial<Record<keyof Order, unknown>> = {};
  // An empty text is none, and JSON leaves out what is undefined. With all members in each order
  // all orders have one shape, which takes the least time and memory.
  for (const name of orderNames) whole[name] = order[name] || undefined;
  if (order.wantedAt) whole.wantedAt = parseTime(order.wantedAt);
  return whole as unknown as Order;
}

/** True if the body has the same items, texts and time. Names and the status do not count. */
function hasSameContent(body: OrderBody, stored: Order): boolean {
  return (
    body.pizzaSize.id === stored.pizzaSize.id &&
    hasSameIds(body.toppings, stored.toppings) &&
    hasSameIds(body.beverages, stored.beverages) &&
    orderTexts.every((name) => (body[name] || undefined) === stored[name]) &&
    parseTime(body.wantedAt ?? "") === stored.wantedAt
  );
}

type Items = Pick<Order, "pizzaSize" | "toppings" | "beverages">;

/**
 * The items of a body with their names. An item of the stored order keeps its name, even if it has
 * been deleted since. Adds a fault for each item that does not exist.
 */
function namedItems(body: OrderBody, { stored, lookup, at, faults }: OrderContext): Items {
  const named = (
    kind: MenuKind,
    { id }: Identified,
    place: Path,
    before: readonly Reference[] = [],
  ): Reference => {
    const name =
      before.find((one) => one.id === id)?.name ?? lookup.get(kind, id)?.value.name;
    if (name !== undefined) return { id, name };
    faults.addUnexpected([...at, ...place, "id"], `the id of an existing ${kind.label}`, id);
    return { id, name: "" };
  };
  const order = stored?.value;
  return {
    pizzaSize: named(pizzaSizes, body.pizzaSize, ["pizzaSize"], order && [order.pizzaSize]),
    toppings: body.toppings.map((one, index) =>
      named(toppings, one, ["toppings", index], order?.toppings)),
    beverages: body.beverages.map((one, index) =>
      named(beverages, one, ["beverages", index], order?.beverages)),
  };
}

type OrderContext = WriteContext<Order, OrderKept>;

/** A new order. */
function newOrder(body: OrderBody, context: OrderContext): Content<Order, OrderKept> {
  const { caller, now } = context;
  const times = { placedAt: now, updatedAt: now, statusSince: now };
  const value = orderOf(body, namedItems(body, context), times);
  const isCustomers = caller?.role === "customer" || undefined;
  return { value, kept: { placedBy: caller?.sub, isCustomers } };
}

/** The changed order. Throws Invalid for items that do not exist, and Problem 409. */
function changedOrder(
  body: OrderBody,
  stored: Row<Order, OrderKept>,
  context: OrderContext,
): Content<Order, OrderKept> {
  const { now, faults } = context;
  const { value: order, kept } = stored;
  const { status } = body;
  const hasSame = hasSameContent(body, order);
  const { pizzaSize, toppings, beverages } = hasSame ? order : namedItems(body, context);
  faults.requireNone();
  requireLifeCycle(order.status, status, hasSame);
  const updatedAt = laterThan(order.updatedAt, now);
  const current = { status: order.status, since: order.statusSince };
  const { since, before } = statusTimes(current, kept.before, status, updatedAt);
  const times = { placedAt: order.placedAt, updatedAt, statusSince: since };
  const value = orderOf(body, { pizzaSize, toppings, beverages }, times);
  return { value, kept: { ...kept, before } };
}
