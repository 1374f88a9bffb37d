/** The handlers of toppings, pizza sizes and beverages, which are equal but for their fields. */

import { isDeepStrictEqual } from "node:util";
import { conditional, requireMatch } from "../http/etag.ts";
import type { Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/router.ts";
import { Faults, Invalid } from "../problems/faults.ts";
import { newId, parse } from "../resources/check.ts";
import {
  beverages,
  type MenuItem,
  type MenuKind,
  pizzaSizes,
  toppings,
} from "../resources/menu.ts";
import { anyNumber, anyText, type Filters, flag, Lists } from "./lists.ts";
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

export function menuRoutes(services: Services): readonly Route[] {
  const named = { id: anyText, name: anyText };
  return [
    ...itemRoutes(toppings, { ...named, isVegetarian: flag, isVegan: flag }, services),
    ...itemRoutes(pizzaSizes, { ...named, diameterInInches: anyNumber }, services),
    ...itemRoutes(beverages, { ...named, isCarbonated: flag }, services),
  ];
}

/** The routes of one kind. `filters`: how its scalar fields are written in a query. */
function itemRoutes<T extends MenuItem>(
  kind: MenuKind<T>,
  filters: Filters<T>,
  { store }: Services,
): readonly Route[] {
  const lists = new Lists(kind, filters, store);

  /** Throws Problem 404. */
  function get({ param: id, headers }: Request): Response {
    const row = requireFound(kind, store.get(kind, id), id);
    return conditional(resourceResponse(200, row), headers);
  }

  /** Rejects with Problem 415, 413, 400 or 409. */
  async function create(request: Request): Promise<Response> {
    request.requireJson();
    const body = await request.json();
    setMissing(body, "id", () => newId((id) => store.accepted.get(kind, id) !== undefined));
    const item = kind.inOrder(parse(kind.isItem, body));
    const row = await store.write(kind, item.id, (stored) => {
      if (stored === undefined) return { value: item, kept: undefined };
      throw idTaken(kind, item.id, isDeepStrictEqual(item, stored.value));
    });
    return created(kind, row);
  }

  /** Rejects with Problem 404, 415, 413, 412 or 400. */
  async function update(request: Request, wholeOf: WholeOf): Promise<Response> {
    const { param: id, headers } = request;
    const durable = requireFound(kind, store.get(kind, id), id);
    request.requireJson();
    requireMatch(() => tagOf(durable), headers);
    const body = await request.json();
    // The row that the write decides on. If it was removed, any row will do.
    const accepted = store.accepted.get(kind, id) ?? durable;
    const whole = wholeOf(accepted.value, body, ["description"]);
    setMissing(whole, "id", () => id);
    const faults = new Faults();
    const isGood = kind.isItem(whole, [], faults);
    if (!hasPathId(whole, id, faults) || !isGood) throw new Invalid(faults);
    const item = kind.inOrder(whole);
    const row = await store.write(kind, id, (stored) => {
      const found = requireFound(kind, stored, id);
      requireMatch(() => tagOf(found), headers);
      return isDeepStrictEqual(item, found.value) ? found : { value: item, kept: undefined };
    });
    return updated(row);
  }

  const path = `/api/${kind.name}`;
  const item = `${path}/:id`;
  return [
    {
      method: "GET",
      path,
      rule: "anyone",
      query: lists.parameters,
      handle: (request) => lists.response(request),
    },
    { method: "POST", path, rule: "staff", handle: create },
    { method: "GET", path: item, rule: "anyone", handle: get },
    { method: "PUT", path: item, rule: "staff", handle: (one) => update(one, replaced) },
    { method: "PATCH", path: item, rule: "staff", handle: (one) => update(one, mergePatch) },
    { method: "DELETE", path: item, rule: "staff", handle: (one) => remove(kind, one, store) },
  ];
}
