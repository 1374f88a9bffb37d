/**
 * The operations that every kind of resource has: list, get, create, replace, patch, remove.
 * What differs between kinds stands in kind.ts.
 */

import {
  type Audience,
  audienceOf,
  type Caller,
  includes,
  type OrderReads,
  type Rule,
} from "../auth/access.ts";
import { patchType } from "../http/body.ts";
import {
  conditional,
  requireMatch,
  strongTag,
  type Tagged,
  taggedJson,
  tagOf,
} from "../http/etag.ts";
import { type Answer, type HeaderList, noCache } from "../http/answer.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/route.ts";
import { isoTime } from "../log/json-text.ts";
import { isPossibleId, randomId } from "../resources/field.ts";
import { type Kind, type Lookup, lookupIn, type Proposal } from "../resources/kind.ts";
import { mergePatch } from "../resources/merge-patch.ts";
import { Problem } from "../problems/problem.ts";
import type { Store } from "../store/store.ts";
import { type Entry, parsedBody } from "../store/table.ts";
import { embed, itemParameters, listParameters } from "./list-query.ts";
import { Lists } from "./list.ts";
import { type ResourceOperations, resourceOperations } from "./crud-description.ts";

export interface ResourceOptions {
  readonly store: Store;
  /** Who reads orders. Menus are read by anyone. */
  readonly orderReads: OrderReads;
  readonly now: () => Date;
}

/** The rows of the route table for a kind. */
export function resourceRoutes(kind: Kind, options: ResourceOptions): readonly Route[] {
  const resource = new Resource(kind, options);
  const path = `/api/${kind.name}`;
  const readRule: Rule =
    kind.placedBy !== undefined && options.orderReads !== "public" ? "any role" : "anyone";
  const createRule: Rule = kind.placedBy === undefined ? "staff" : "customer";
  const operations = resourceOperations(kind, options.orderReads);
  const row = (
    method: string,
    rowPath: string,
    rule: Rule,
    name: keyof ResourceOperations,
  ): Route => ({
    method,
    path: rowPath,
    rule,
    handle: (request) => resource[name](request),
    operation: operations[name],
    ...(rowPath.endsWith("/:id") && { exists: (request: Request) => resource.requireOne(request) }),
    // The answer may differ from caller to caller.
    ...(readRule !== "anyone" && { vary: "Authorization" }),
  });
  return [
    { ...row("GET", path, readRule, "list"), query: listParameters(kind) },
    { ...row("POST", path, createRule, "create"), isForGuests: createRule === "customer" },
    { ...row("GET", `${path}/:id`, readRule, "get"), query: itemParameters(kind) },
    row("PUT", `${path}/:id`, "staff", "replace"),
    row("PATCH", `${path}/:id`, "staff", "patch"),
    row("DELETE", `${path}/:id`, "staff", "remove"),
  ];
}

const acceptPatch = ["Accept-Patch", patchType];

class Resource {
  readonly #kind: Kind;
  readonly #options: ResourceOptions;
  readonly #store: Store;
  readonly #lookup: Lookup;
  readonly #lists: Lists;

  constructor(kind: Kind, options: ResourceOptions) {
    this.#kind = kind;
    this.#options = options;
    this.#store = options.store;
    this.#lookup = lookupIn(options.store);
    this.#lists = new Lists(kind);
  }

  /** GET /api/{kind}. */
  list(request: Request): Answer | Promise<Answer> {
    const table = this.#store.table(this.#kind.name);
    return this.#lists.reply(request, table, this.#audienceOf(request.caller));
  }

  /** Throws Problem 404 unless the caller may see the item that the path names. */
  requireOne(request: Request): void {
    this.#find(request);
  }

  /** GET /api/{kind}/{id}. Throws Problem 404. */
  get(request: Request): Answer {
    const { query, headers } = request;
    const entry = this.#find(request);
    if (query.get(embed) === true && this.#kind.withNames !== undefined) {
      const json = this.#kind.withNames(entry);
      return conditional(taggedJson(200, json, strongTag(json), noCache), headers);
    }
    return conditional(itemAnswer(200, entry, noCache), headers);
  }

  /** POST /api/{kind}. Rejects with Problem 415, 413, 400 or 409. */
  async create(request: Request): Promise<Answer> {
    request.requireJson();
    const { caller } = request;
    const proposal = this.#kind.parse(await request.json(), { caller, pathId: undefined });
    const id = proposal.id ?? this.#freeId();
    const saved = await this.#store.write(this.#kind.name, id, (stored) => {
      if (stored !== undefined) throw this.#idTaken(proposal, stored, caller);
      return proposal.decide(id, stored, this.#lookup, this.#now());
    });
    return written(201, saved, ["Location", `/api/${this.#kind.name}/${id}`]);
  }

  /** PUT /api/{kind}/{id}. Rejects with Problem 404, 415, 413, 412, 400 or 409. */
  async replace(request: Request): Promise<Answer> {
    const { caller, param: pathId } = request;
    const body = await this.#readUpdate(request);
    const proposal = this.#kind.parse(body, { caller, pathId });
    return this.#update(request, () => proposal);
  }

  /** PATCH /api/{kind}/{id}: RFC 7396. Rejects as PUT does, with the merged result as its body. */
  async patch(request: Request): Promise<Answer> {
    const { caller, param: pathId } = request;
    const patch = await this.#readUpdate(request);
    return this.#update(request, (stored) => {
      const merged = mergePatch(parsedBody(stored), patch);
      return this.#kind.parse(merged, { caller, pathId });
    });
  }

  /** DELETE /api/{kind}/{id}. Rejects with Problem 404 or 412. */
  async remove(request: Request): Promise<Answer> {
    const { param, headers, caller } = request;
    this.#find(request);
    await this.#store.write(this.#kind.name, param, (stored) => {
      requireMatch(this.#requireFound(stored, param, caller), headers);
      return "remove";
    });
    return { status: 204, headers: noCache };
  }

  async #readUpdate(request: Request): Promise<unknown> {
    const found = this.#find(request);
    request.requireJson();
    requireMatch(found, request.headers);
    return request.json();
  }

  async #update(
    { param, caller, headers }: Request,
    proposalFor: (stored: Entry) => Proposal,
  ): Promise<Answer> {
    const saved = await this.#store.write(this.#kind.name, param, (stored) => {
      // Checked again where it is written: another request may have won during the await.
      const found = this.#requireFound(stored, param, caller);
      requireMatch(found, headers);
      return proposalFor(found).decide(param, found, this.#lookup, this.#now());
    });
    return written(200, saved, acceptPatch);
  }

  /** What reads show. Throws Problem 404. */
  #find({ param, caller }: Request): Entry {
    return this.#requireFound(this.#store.table(this.#kind.name).get(param), param, caller);
  }

  #requireFound(entry: Entry | undefined, id: string, caller: Caller): Entry {
    if (entry !== undefined && this.#mayRead(entry, caller)) return entry;
    const { label, name } = this.#kind;
    throw new Problem(
      "not-found",
      isPossibleId(id)
        ? `there is no ${label} with the id "${id}"; GET /api/${name} lists those there are`
        : `no ${label} can have such an id`,
    );
  }

  /** Whose items of this kind the caller may read: the menu is read by anyone. */
  #audienceOf(caller: Caller): Audience {
    if (this.#kind.placedBy === undefined) return "everybody";
    return audienceOf(caller, this.#options.orderReads);
  }

  #mayRead(entry: Entry, caller: Caller): boolean {
    const audience = this.#audienceOf(caller);
    return audience === "everybody" || includes(audience, this.#kind.placedBy?.(entry));
  }

  #idTaken(proposal: Proposal, stored: Entry, caller: Caller): Problem {
    const { label, name } = this.#kind;
    const detail = `the ${label} "${stored.id}" exists already`;
    if (!this.#mayRead(stored, caller)) {
      return new Problem("id-taken", `${detail}; choose another`, { identical: false });
    }
    const identical = proposal.isSameAs(stored);
    return new Problem(
      "id-taken",
      identical ? `${detail}, and it is what was sent` : `${detail}; choose another, or update it`,
      { identical, headers: { Location: `/api/${name}/${stored.id}` } },
    );
  }

  /** RFC 3339, UTC, milliseconds. */
  #now(): string {
    return isoTime(this.#options.now().getTime());
  }

  #freeId(): string {
    for (;;) {
      const id = randomId();
      if (this.#store.accepted(this.#kind.name, id) === undefined) return id;
    }
  }
}

function written(status: number, saved: Entry | undefined, headers: HeaderList): Answer {
  if (saved === undefined) throw new Error("a write that stores something resolved to nothing");
  return itemAnswer(status, saved, [...noCache, ...headers]);
}

function itemAnswer(status: number, entry: Entry, headers: HeaderList): Tagged {
  // Cut out of the entry's text once.
  const { body } = entry;
  return taggedJson(status, body, tagOf(entry, body), headers);
}
