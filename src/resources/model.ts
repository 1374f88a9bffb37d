/**
 * The bounds of all fields, what an order is, and its life cycle. What is true of a pizzeria,
 * whatever carries it: this file knows no HTTP and no disk, and imports nothing.
 */

/** Bounds of every field. The guards and the OpenAPI description both read them here. */
export const bounds = {
  /** Its `{1,128}` is `idLength`. */
  idPattern: "^(?!\\.{1,2}$)[A-Za-z0-9\\-._~:@+,]{1,128}$",
  idLength: 128,
  /** Code points, not UTF-16 units. */
  nameLength: 200,
  noticeLength: 500,
  diameterInInches: 1000,
  sizeOptions: 50,
  /** The most toppings, and the most beverages, in one order. */
  references: 50,
} as const;

export interface Reference {
  readonly id: string;
}

/** All that a client may change of an order. */
export interface OrderContent {
  readonly pizzaSize: Reference;
  readonly toppings: readonly Reference[];
  readonly beverages: readonly Reference[];
  readonly status: OrderStatus;
}

export interface Order extends OrderContent {
  readonly id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly placedAt: string;
  readonly updatedAt: string;
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
export const placingStatuses: readonly OrderStatus[] = ["Pending", "Preparing"];

/** What an order is created as when it does not say. */
export const defaultStatus: OrderStatus = "Preparing";

/** An order in one of these is over: what it holds can no longer be changed. */
export function isClosed(status: OrderStatus): boolean {
  return status === "Delivered" || status === "Cancelled";
}

/**
 * The statuses that may follow, in the order of the life cycle. Staff correct mis-taps, so nearly
 * every move is allowed; only a delivered order was not cancelled, nor a cancelled one delivered.
 */
export function nextStatuses(status: OrderStatus): readonly OrderStatus[] {
  return orderStatuses.filter((next) => next !== status && !(isClosed(status) && isClosed(next)));
}
