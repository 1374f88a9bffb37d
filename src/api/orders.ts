/**
 * The handlers of orders. Customers place them, staff change them, and ORDER_READS says who reads
 * them. resources/order.ts has their rules.
 */

import { audienceOf, mayReadOrdersOf } from "../auth/access.ts";
import type { Caller } from "../auth/callers.ts";
import { conditional, requireMatch } from "../http/etag.ts";
import type { Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/router.ts";
import { Faults, Invalid } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { newId } from "../resources/check.ts";
import {
  addMissingItems,
  changedOrder,
  defaultStatus,
  hasSameContent,
  isCustomersOrderBody,
  isOrderBody,
  newOrder,
  type Order,
  type OrderBody,
  type OrderKept,
  orders,
  orderStatuses,
  orderTexts,
  requireOrderable,
} from "../resources/order.ts";
import type { Row } from "../store/tables.ts";
import { anyText, Lists, oneOfWords } from "./lists.ts";
import {
  created,
  hasPathId,
  idTaken,
  mergePatch,
  remove,
  replaced,
  requireFound,
  resourceResponse,
  setMissing,
  tagOf,
  updated,
  type WholeOf,
} from "./resource.ts";
import type { Services } from "./services.ts";

export function orderRoutes({ store, settings }: Services): readonly Route[] {
  const { orderReads } = settings;
  const status = oneOfWords(orderStatuses);
  const filters = { id: anyText, status, note: anyText, table: anyText, group: anyText };
  const lists = new Lists(orders, filters, store, ({ placedAt }) => placedAt);

  /** The row, if the caller may read it. */
  function readable(row: Row<Order, OrderKept> | undefined, caller: Caller): typeof row {
    const audience = audienceOf(caller, orderReads);
    return row !== undefined && mayReadOrdersOf(audience, row.kept.placedBy) ? row : undefined;
  }

  function list(request: Request): Response {
    const audience = audienceOf(request.caller, orderReads);
    if (audience === "everybody") return lists.response(request);
    const mayRead = ({ kept }: Row<Order, OrderKept>): boolean =>
      mayReadOrdersOf(audience, kept.placedBy);
    return lists.response(request, { key: JSON.stringify(audience), mayRead });
  }

  /** Throws Problem 404. */
  function get({ param: id, headers, caller }: Request): Response {
    const row = requireFound(orders, readable(store.get(orders, id), caller), id);
    return conditional(resourceResponse(200, row), headers);
  }

  /** Rejects with Problem 415, 413, 400 or 409. */
  async function create(request: Request): Promise<Response> {
    const { caller } = request;
    request.requireJson();
    const body = await request.json();
    setMissing(body, "id", () => newId((id) => store.accepted.get(orders, id) !== undefined));
    setMissing(body, "status", () => defaultStatus);
    const isCustomer = caller?.role === "customer";
    const fits = isCustomer ? isCustomersOrderBody : isOrderBody;
    const faults = new Faults();
    const isGood = fits(body, [], faults);
    addMissingItems(body, undefined, store.accepted, faults);
    if (!isGood) throw new Invalid(faults);
    const now = new Date().toISOString();
    const row = await store.write(orders, body.id, (stored) => {
      if (stored !== undefined) throw taken(body, stored, caller);
      // Not earlier: a retry must learn that its order exists, even if an item was deleted since.
      faults.requireNone();
      const order = newOrder(body, caller?.sub, now, store.accepted);
      if (isCustomer) requireOrderable(order.value, store.accepted);
      return order;
    });
    return created(orders, row);
  }

  /** Problem 409. It says nothing of an order that the caller may not read. */
  function taken(body: OrderBody, stored: Row<Order, OrderKept>, caller: Caller): Problem {
    if (readable(stored, caller) !== undefined) {
      return idTaken(orders, stored.id, hasSameContent(body, stored.value));
    }
    const detail = `the order "${stored.id}" exists already; choose another id`;
    return new Problem("id-taken", detail, { identical: false });
  }

  /** Rejects with Problem 404, 415, 413, 412, 400 or 409. */
  async function update(request: Request, wholeOf: WholeOf): Promise<Response> {
    const { param: id, headers } = request;
    const durable = requireFound(orders, store.get(orders, id), id);
    request.requireJson();
    requireMatch(() => tagOf(durable), headers);
    const body = await request.json();
    // The row that the write decides on. If it was removed, any row will do.
    const accepted = store.accepted.get(orders, id) ?? durable;
    const whole = wholeOf(accepted.value, body, orderTexts);
    setMissing(whole, "id", () => id);
    const faults = new Faults();
    const isGood = isOrderBody(whole, [], faults);
    const isSameId = hasPathId(whole, id, faults);
    addMissingItems(whole, accepted.value, store.accepted, faults);
    if (!isGood || !isSameId) throw new Invalid(faults);
    const now = new Date().toISOString();
    const row = await store.write(orders, id, (stored) => {
      const found = requireFound(orders, stored, id);
      requireMatch(() => tagOf(found), headers);
      faults.requireNone();
      return changedOrder(whole, found, now, store.accepted);
    });
    return updated(row);
  }

  const path = "/api/orders";
  const item = `${path}/:id`;
  const isOpen = orderReads === "public";
  // If reads depend on the caller, all responses at the path vary with the token.
  const common = isOpen ? {} : { vary: "Authorization" };
  const readers = isOpen ? "anyone" : "any role";
  return [
    { ...common, method: "GET", path, rule: readers, query: lists.parameters, handle: list },
    { ...common, method: "POST", path, rule: "customer", hasGuestLimit: true, handle: create },
    { ...common, method: "GET", path: item, rule: readers, handle: get },
    {
      ...common,
      method: "PUT",
      path: item,
      rule: "staff",
      handle: (request) => update(request, replaced),
    },
    {
      ...common,
      method: "PATCH",
      path: item,
      rule: "staff",
      handle: (request) => update(request, mergePatch),
    },
    {
      ...common,
      method: "DELETE",
      path: item,
      rule: "staff",
      handle: (request) => remove(orders, request, store),
    },
  ];
}
