/**
 * The routes of orders. Customers place them, staff change them, and ORDER_READS says who reads
 * them. resources/order.ts and order-status.ts have their rules.
 */

import { audienceOf, mayReadOrdersOf } from "../auth/access.ts";
import type { Caller } from "../auth/callers.ts";
import { mostBytes } from "../http/body.ts";
import { refuseFor } from "../http/rate-limit.ts";
import type { Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/router.ts";
import { maxOrders } from "../resources/limits.ts";
import {
  groupKey,
  isCustomersOrderBody,
  type Order,
  type OrderKept,
  orders,
  placedByKey,
} from "../resources/order.ts";
import { requireOrderable } from "../resources/shop.ts";
import type { Row } from "../store/row.ts";
import { collectionRoutes } from "./collection.ts";
import type { Services } from "./services.ts";
import { filterParameter } from "./list-parameters.ts";
import type { ListSource } from "./lists.ts";
import { WaitingOrders } from "./waiting-orders.ts";
import { create } from "./writes.ts";

const group = filterParameter("group", "id");

export function orderRoutes({ store, settings, guestLimit }: Services): readonly Route[] {
  const { orderReads } = settings;
  const waiting = new WaitingOrders(store);

  function mayRead(row: Row<Order, OrderKept>, caller: Caller): boolean {
    return mayReadOrdersOf(audienceOf(caller, orderReads), row.kept.placedBy);
  }

  /** The orders that the caller may read, or those of a group if it may read all. */
  function sourceFor({ caller, query }: Request): ListSource<Order, OrderKept> {
    const audience = audienceOf(caller, orderReads);
    if (audience === "nobody") return { ofSub: "", rows: () => [] };
    if (audience !== "everybody") {
      const { sub } = audience;
      return { ofSub: sub, rows: () => store.rowsWith(orders, placedByKey(sub)) };
    }
    const [id, ...others] = new Set(query.all(group));
    if (id === undefined || others.length > 0) {
      return { ofSub: undefined, rows: () => store.rows(orders) };
    }
    return { ofSub: undefined, rows: () => store.rowsWith(orders, groupKey(String(id))) };
  }

  const byAnyone = { mayRead, several: { max: maxOrders, maxBytes: mostBytes, locationOf } };

  /** Rejects with Problem 415, 413, 400, 409 or 429. */
  function place(request: Request): Promise<Response> {
    if (request.caller?.role === "customer") return placeForCustomer(request);
    return create(orders, request, store, byAnyone);
  }

  /** A customer's orders count as one for the client, unless they are not stored. */
  async function placeForCustomer(request: Request): Promise<Response> {
    const { client } = request;
    let isCounted = false;
    try {
      return await create(orders, request, store, {
        ...byAnyone,
        isBody: isCustomersOrderBody,
        admit(values, at) {
          requireOrderable(values, at, store.accepted);
          waiting.admit(values, client);
          // Last, because a retry must learn that its order exists, however many there were.
          if (guestLimit !== null) refuseFor(guestLimit.take(client));
          isCounted = true;
        },
      });
    } catch (error) {
      if (isCounted) guestLimit?.giveBack(client);
      throw error;
    }
  }

  const arePublic = orderReads === "public";
  return collectionRoutes(orders, store, {
    readers: arePublic ? "anyone" : "any role",
    creators: "customer",
    // If reads depend on the caller, all responses at the path vary with the token.
    vary: arePublic ? undefined : "Authorization",
    mayRead,
    sourceFor,
    create: place,
  });
}

/** The list of orders that have one group. */
function locationOf([first, ...others]: readonly Order[]): string | undefined {
  const id = first?.group;
  if (id === undefined || others.some((order) => order.group !== id)) return undefined;
  return `/api/${orders.name}?${group.name}=${encodeURIComponent(id)}`;
}
