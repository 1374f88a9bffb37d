/** The handlers of toppings, pizza sizes and beverages, which are equal but for their fields. */

import { isDeepStrictEqual } from "node:util";
import { conditional } from "../http/etag.ts";
import type { Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/router.ts";
import {
  beverages,
  type MenuItem,
  type MenuKind,
  pizzaSizes,
  toppings,
} from "../resources/menu.ts";
import { anyNumber, anyText, type Filters, flag } from "./list-parameters.ts";
import { Lists } from "./lists.ts";
import { requireFound, resourceResponse } from "./resource.ts";
import type { Services } from "./services.ts";
import { create, remove, updateRoutes, type Writable } from "./writes.ts";

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
  const items: Writable<T, undefined, T> = {
    kind,
    isBody: kind.isItem,
    defaults: {},
    kept: kind.optionalFields,
    isSame: (body, item) => isDeepStrictEqual(kind.inOrder(body), item),
    decide: (body) => ({ value: kind.inOrder(body), kept: undefined }),
  };

  /** Throws Problem 404. */
  function get({ param: id, headers }: Request): Response {
    const row = requireFound(kind, store.get(kind, id), id);
    return conditional(resourceResponse(200, row), headers);
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
    { method: "POST", path, rule: "staff", handle: (request) => create(items, request, store) },
    { method: "GET", path: item, rule: "anyone", handle: get },
    ...updateRoutes(items, item, store),
    {
      method: "DELETE",
      path: item,
      rule: "staff",
      handle: (request) => remove(kind, request, store),
    },
  ];
}
