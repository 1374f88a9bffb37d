/**
 * The operations of every kind of resource: list, get, create, replace, patch, remove. The
 * differences between the kinds are in resources/kind.ts.
 */

import { randomInt } from "node:crypto";
import { type Audience, audienceOf, mayReadOrdersOf, type OrderReads, type Rule } from "../auth/access.ts";
import type { Caller } from "../auth/callers.ts";
import { patchType } from "../http/body.ts";
import { conditional, requireMatch, strongTag } from "../http/etag.ts";
import { type HeaderList, jsonResponse, noCache, type Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/route.ts";
import { idField, isPossibleId } from "../resources/field.ts";
import {
  jsonWithNames,
  type Kind,
  parseBody,
  type SentBody,
  type WriteContext,
} from "../resources/kind.ts";
import { shop, shopId, withoutDeleted } from "../resources/shop.ts";
import { mergePatch } from "../resources/merge-patch.ts";
import { Faults } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { dataOf, jsonOf } from "../store/stored-kind.ts";
import type { Row } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import { embed, itemParameters, listParameters } from "./list-query.ts";
import { Lists } from "./list.ts";
import { type ResourceOperations, resourceOperations } from "./crud-description.ts";
import type { Services } from "./services.ts";

/** The rows of the route table for a kind. */
export function resourceRoutes(kind: Kind, services: Services): readonly Route[] {
  const { orderReads } = services.settings;
  const resource = new Resource(kind, services);
  const operations = resourceOperations(kind, orderReads);
  const listPath = `/api/${kind.name}`;
  const isSingleton = kind.singleton !== undefined;
  const itemPath = isSingleton ? listPath : `${listPath}/:id`;
  const isOrder = kind.placedBy !== undefined;
  const readRule: Rule = isOrder && orderReads !== "public" ? "any role" : "anyone";
  const route = (
    method: string,
    path: string,
    rule: Rule,
    name: keyof ResourceOperations,
  ): Route => ({
    method,
    path,
    rule,
    handle: (request) => resource[name](request),
    operation: operations[name],
    ...(path !== listPath && { requireItem: (request: Request) => resource.requireItem(request) }),
    // The response depends on the caller.
    ...(readRule !== "anyone" && { vary: "Authorization" }),
  });
  const createRule = isOrder ? "customer" : "staff";
  const ofItem = [
    { ...route("GET", itemPath, readRule, "get"), query: itemParameters(kind) },
    route("PUT", itemPath, "staff", "replace"),
    route("PATCH", itemPath, "staff", "patch"),
  ];
  // A singleton has no list and no ids.
  if (isSingleton) return ofItem;
  return [
    { ...route("GET", listPath, readRule, "list"), query: listParameters(kind) },
    { ...route("POST", listPath, createRule, "create"), hasGuestLimit: isOrder },
    ...ofItem,
    route("DELETE", itemPath, "staff", "remove"),
  ];
}

/** Removes deleted items from the shop's sold-out lists. */
export async function tidyShop(store: Store): Promise<void> {
  await store.write(shop, shopId, (row) => {
    if (row === undefined) throw new Error("the store has a shop from the start");
    return withoutDeleted(row, store.accepted);
  });
}

const acceptPatch = ["Accept-Patch", patchType];

/** Crockford's base32: no I, L, O, U, which are misheard or misread. */
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The handlers of one kind. */
class Resource {
  readonly #kind: Kind;
  readonly #store: Store;
  readonly #orderReads: OrderReads;
  readonly #lists: Lists;

  constructor(kind: Kind, { store, settings }: Services) {
    this.#kind = kind;
    this.#store = store;
    this.#orderReads = settings.orderReads;
    this.#lists = new Lists(kind, store);
  }

  /** GET /api/{kind}. */
  list(request: Request): Response {
    return this.#lists.response(request, this.#audienceOf(request.caller));
  }

  /** Throws Problem 404 unless the caller may see the item that the path names. */
  requireItem(request: Request): void {
    this.#find(request);
  }

  /** GET /api/{kind}/{id}. Throws Problem 404. */
  get(request: Request): Response {
    const { query, headers } = request;
    const row = this.#find(request);
    if (query.get(embed) !== true) return conditional(this.#response(200, row, noCache), headers);
    const json = jsonWithNames(this.#kind, row);
    return conditional(jsonResponse(200, json, ["ETag", strongTag(json), ...noCache]), headers);
  }

  /** POST /api/{kind}. Rejects with Problem 415, 413, 400 or 409. */
  async create(request: Request): Promise<Response> {
    request.requireJson();
    const body = await request.json();
    const context = this.#contextOf(request.caller);
    const missing = new Faults();
    const sent = parseBody(this.#kind, body, undefined, context, missing);
    const id = sent.id ?? this.#freeId();
    const row = await this.#store.write(this.#kind, id, (stored) => {
      if (stored !== undefined) throw this.#idTaken(id, sent, stored, context);
      missing.requireNone();
      return this.#kind.next(id, sent, stored, context);
    });
    return this.#written(201, row, ["Location", `/api/${this.#kind.name}/${id}`]);
  }

  /** PUT /api/{kind}/{id}. Rejects with Problem 404, 415, 413, 412, 400 or 409. */
  replace(request: Request): Promise<Response> {
    return this.#update(request, (_, body) => body);
  }

  /** PATCH /api/{kind}/{id}: RFC 7396. Rejects as PUT does, with the merged result as its body. */
  patch(request: Request): Promise<Response> {
    return this.#update(request, mergePatch);
  }

  /** DELETE /api/{kind}/{id}. Rejects with Problem 404 or 412. */
  async remove(request: Request): Promise<Response> {
    const { param, headers, caller } = request;
    // A 404 must not wait for the disk, or turn into a 503 because the disk is full.
    this.#find(request);
    let isRemoved = false;
    const removed = this.#store.write(this.#kind, param, (stored) => {
      const row = this.#requireFound(stored, param, caller);
      requireMatch(() => this.#tagOf(row), headers);
      isRemoved = true;
      return "remove";
    });
    // In the same batch, so that no read comes between. If it fails alone, the next start does it.
    const isItem = this.#kind.placedBy === undefined;
    const tidied = isRemoved && isItem ? tidyShop(this.#store).catch(() => {}) : undefined;
    await removed;
    await tidied;
    return { status: 204, headers: noCache };
  }

  /** `wholeOf`: returns the whole resource that the body asks for. */
  async #update(
    request: Request,
    wholeOf: (data: object, body: unknown) => unknown,
  ): Promise<Response> {
    const { caller, headers } = request;
    const id = this.#idOf(request);
    const durable = this.#find(request);
    request.requireJson();
    requireMatch(() => this.#tagOf(durable), headers);
    const body = await request.json();
    const context = this.#contextOf(caller);
    // The row that the write decides on. If it was removed, any row will do.
    const accepted = context.get(this.#kind, id) ?? durable;
    const missing = new Faults();
    // A wrong body is refused before the write, which may wait for the disk or fail.
    const whole = wholeOf(dataOf(this.#kind, accepted), body);
    const sent = parseBody(this.#kind, whole, accepted, context, missing);
    const row = await this.#store.write(this.#kind, id, (stored) => {
      // Checked again, because another write may have come first during the await.
      const found = this.#requireFound(stored, id, caller);
      requireMatch(() => this.#tagOf(found), headers);
      missing.requireNone();
      return this.#kind.next(id, sent, found, context);
    });
    return this.#written(200, row, acceptPatch);
  }

  #idOf({ param }: Request): string {
    return this.#kind.singleton?.value.id ?? param;
  }

  /** The durable row. Throws Problem 404. */
  #find(request: Request): Row {
    const id = this.#idOf(request);
    return this.#requireFound(this.#store.get(this.#kind, id), id, request.caller);
  }

  #requireFound(row: Row | undefined, id: string, caller: Caller): Row {
    if (row !== undefined && this.#mayRead(row, caller)) return row;
    const { label, name } = this.#kind;
    throw new Problem(
      "not-found",
      isPossibleId(id)
        ? `no ${label} has the id "${id}" (see GET /api/${name})`
        : `no ${label} can have such an id: expected ${idField.expected}`,
    );
  }

  /** Anyone reads the menu. */
  #audienceOf(caller: Caller): Audience {
    if (this.#kind.placedBy === undefined) return "everybody";
    return audienceOf(caller, this.#orderReads);
  }

  #mayRead(row: Row, caller: Caller): boolean {
    const audience = this.#audienceOf(caller);
    return audience === "everybody" || mayReadOrdersOf(audience, this.#kind.placedBy?.(row));
  }

  #idTaken(id: string, sent: SentBody, stored: Row, context: WriteContext): Problem {
    const { label, name } = this.#kind;
    const detail = `the ${label} "${id}" exists already`;
    if (!this.#mayRead(stored, context.caller)) {
      return new Problem("id-taken", `${detail}; choose another`, { identical: false });
    }
    const identical = this.#isIdentical(id, sent, stored, context);
    return new Problem(
      "id-taken",
      identical ? `${detail}, and it is what was sent` : `${detail}; choose another, or update it`,
      { identical, headers: { Location: `/api/${name}/${id}` } },
    );
  }

  /** True if an update with this body would change nothing. */
  #isIdentical(id: string, sent: SentBody, stored: Row, context: WriteContext): boolean {
    try {
      return this.#kind.next(id, sent, stored, context) === stored;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  #contextOf(caller: Caller): WriteContext {
    const now = new Date().toISOString();
    return { caller, now, get: this.#store.accepted.get };
  }

  /** Six characters that people can read aloud: a billion possibilities. */
  #freeId(): string {
    for (;;) {
      const number = randomInt(letters.length ** 6);
      const letterAt = (place: number): string => letters.charAt((number >> (5 * place)) % 32);
      const id = [0, 1, 2, 3, 4, 5].map(letterAt).join("");
      if (this.#store.accepted.get(this.#kind, id) === undefined) return id;
    }
  }

  #written(status: number, row: Row | undefined, headers: HeaderList): Response {
    if (row === undefined) throw new Error("a write that stores something resolved to nothing");
    return this.#response(status, row, [...noCache, ...headers]);
  }

  #response(status: number, row: Row, headers: HeaderList): Response {
    row.json ??= jsonOf(this.#kind, row);
    return jsonResponse(status, row.json, ["ETag", this.#tagOf(row), ...headers]);
  }

  /** It stays the same across restarts. */
  #tagOf(row: Row): string {
    row.tag ??= strongTag(jsonOf(this.#kind, row));
    return row.tag;
  }
}
