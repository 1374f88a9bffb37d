/** The routes of a collection: list, create, read, replace, patch and delete. */

import type { Rule } from "../auth/access.ts";
import type { Caller } from "../auth/callers.ts";
import type { Request } from "../http/request.ts";
import type { Response } from "../http/response.ts";
import type { Route } from "../http/router.ts";
import type { Kind } from "../resources/kind.ts";
import type { Row } from "../store/row.ts";
import type { Store } from "../store/store.ts";
import { Lists, type ListSource } from "./lists.ts";
import { read } from "./resource.ts";
import { create, remove, updateRoutes } from "./writes.ts";

/** The part that depends on the settings or on the caller. */
export interface CollectionOptions<T, K> {
  /** Who may read. Default: anyone. */
  readonly readers?: Rule;
  /** Who may create. Default: staff. */
  readonly creators?: Rule;
  /** For the Vary field of all responses. */
  readonly vary?: string | undefined;
  /** The rows that a list chooses from. Default: all of them. */
  sourceFor?(request: Request): ListSource<T, K>;
  /** False hides a resource. Default: true. */
  mayRead?(row: Row<T, K>, caller: Caller): boolean;
  /** Default: `create` in writes.ts. */
  create?(request: Request): Promise<Response>;
}

export function collectionRoutes<T extends object, K, B extends { readonly id: string }>(
  kind: Kind<T, K, B>,
  store: Store,
  options: CollectionOptions<T, K> = {},
): readonly Route[] {
  const { readers = "anyone", creators = "staff", vary } = options;
  const lists = new Lists(kind, store);
  const path = `/api/${kind.name}`;
  const item = `${path}/:id`;
  const routes: readonly Route[] = [
    {
      method: "GET",
      path,
      rule: readers,
      query: lists.parameters,
      handle: (request) => lists.response(request, options.sourceFor?.(request)),
    },
    {
      method: "POST",
      path,
      rule: creators,
      handle: options.create ?? ((request) => create(kind, request, store)),
    },
    {
      method: "GET",
      path: item,
      rule: readers,
      handle: (request) => read(kind, request.param, request, store, options.mayRead),
    },
    ...updateRoutes(kind, item, store),
    {
      method: "DELETE",
      path: item,
      rule: "staff",
      handle: (request) => remove(kind, request, store),
    },
  ];
  return vary === undefined ? routes : routes.map((route) => ({ ...route, vary }));
}
