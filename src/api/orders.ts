/**
 * The handlers of orders. Customers place them, staff change them, and ORDER_READS says who reads
 * them. resources/order.ts and order-status.ts have their rules.
 */

import { type Audience, audienceOf, mayReadOrdersOf } from "../auth/access.ts";
import type { Caller } from "../auth/callers.ts";
import { conditional } from "../http/etag.ts";
import type { QueryParameter } from "../http/query.ts";
import { refuseFor } from "../http/rate-limit.ts";
import type { Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/router.ts";
import {
  changedOrder,
  groupKey,
  hasSameContent,
  isCustomersOrderBody,
  isOrderBody,
  newOrder,
  type Order,
  type OrderBody,
  type OrderKept,
  orders,
  orderTexts,
  placedByKey,
} from "../resources/order.ts";
import { defaultStatus, orderStatuses } from "../resources/order-status.ts";
import { requireOrderable } from "../resources/shop.ts";
import type { Row } from "../store/tables.ts";
import { anyText, oneOfWords } from "./list-parameters.ts";
import { Lists, type ListSource } from "./lists.ts";
import { requireFound, resourceResponse } from "./resource.ts";
import type { Services } from "./services.ts";
import { create, remove, updateRoutes, type Writable } from "./writes.ts";

export function orderRoutes({ store, settings, guestPlaces }: Services): readonly Route[] {
  const { orderReads } = settings;
  const status = oneOfWords(orderStatuses);
  const texts = Object.fromEntries(orderTexts.map((name) => [name, anyText]));
  const filters = { id: anyText, status, ...texts };
  const groupParameter: QueryParameter<string> = { name: "group", ...anyText };
  const lists = new Lists(orders, filters, store, ({ placedAt }) => placedAt);

  function mayRead(row: Row<Order, OrderKept>, caller: Caller): boolean {
    return mayReadOrdersOf(audienceOf(caller, orderReads), row.kept.placedBy);
  }

  function list(request: Request): Promise<Response> {
    const audience = audienceOf(request.caller, orderReads);
    const groups = request.query.all(groupParameter);
    return lists.response(request, sourceFor(audience, groups));
  }

  /** The orders that an audience may read, or those of the groups if it may read all. */
  function sourceFor(audience: Audience, groups: readonly string[]): ListSource<Order, OrderKept> {
    if (audience === "nobody") return { reader: "", arrays: () => [] };
    if (audience !== "everybody") {
      const { sub } = audience;
      return { reader: sub, arrays: () => [store.rowsWith(orders, placedByKey(sub))] };
    }
    if (groups.length === 0) return { reader: undefined, arrays: () => [store.rows(orders)] };
    const keys = [...new Set(groups)].map(groupKey);
    return { reader: undefined, arrays: () => keys.map((key) => store.rowsWith(orders, key)) };
  }

  /** Throws Problem 404. */
  function get({ param: id, headers, caller }: Request): Response {
    const row = store.get(orders, id);
    const readable = row !== undefined && mayRead(row, caller) ? row : undefined;
    return conditional(resourceResponse(200, requireFound(orders, readable, id)), headers);
  }

  const staffOrders: Writable<Order, OrderKept, OrderBody> = {
    kind: orders,
    isBody: isOrderBody,
    defaults: { status: defaultStatus },
    kept: orderTexts,
    isSame: (body, order) => body.status === order.status && hasSameContent(body, order),
    // Not its status: the kitchen may have started the order before a retry arrives.
    isIdentical: hasSameContent,
    mayRead,
    decide: (body, { stored, caller, now, lookup }) =>
      stored === undefined
        ? newOrder(body, caller?.sub, now, lookup)
        : changedOrder(body, stored, now, lookup),
  };

  /** Rejects with Problem 415, 413, 400, 409 or 429. */
  function place(request: Request): Promise<Response> {
    return request.caller?.role === "customer"
      ? placeForCustomer(request)
      : create(staffOrders, request, store);
  }

  /** A customer's order takes a place of its client, and gives it back if it is not stored. */
  async function placeForCustomer(request: Request): Promise<Response> {
    const { client } = request;
    let hasPlace = false;
    const customerOrders: typeof staffOrders = {
      ...staffOrders,
      isBody: isCustomersOrderBody,
      decide(body, context) {
        const order = staffOrders.decide(body, context);
        requireOrderable(order.value, context.lookup);
        // Last, because a retry must learn that its order exists, however many there were.
        if (guestPlaces !== null) refuseFor(guestPlaces.take(client));
        hasPlace = true;
        return order;
      },
    };
    try {
      return await create(customerOrders, request, store);
    } catch (error) {
      if (hasPlace) guestPlaces?.giveBack(client);
      throw error;
    }
  }

  const path = "/api/orders";
  const item = `${path}/:id`;
  const isOpen = orderReads === "public";
  // If reads depend on the caller, all responses at the path vary with the token.
  const common = isOpen ? {} : { vary: "Authorization" };
  const readers = isOpen ? "anyone" : "any role";
  return [
    { ...common, method: "GET", path, rule: readers, query: lists.parameters, handle: list },
    { ...common, method: "POST", path, rule: "customer", handle: place },
    { ...common, method: "GET", path: item, rule: readers, handle: get },
    ...updateRoutes(staffOrders, item, store).map((route) => ({ ...common, ...route })),
    {
      ...common,
      method: "DELETE",
      path: item,
      rule: "staff",
      handle: (request) => remove(orders, request, store),
    },
  ];
}
