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
import { conditional, requireMatch, strongTag, type Tagged, tagOf } from "../http/etag.ts";
import {
  headLine,
  type HeadLines,
  jsonReply,
  jsonType,
  noCache,
  type Reply,
} from "../http/reply.ts";
import type { Request, Route } from "../http/route.ts";
import { isoTime } from "../log/json-text.ts";
import { isPossibleId, randomId } from "../resources/field.ts";
import { type Kind, type Lookup, lookupIn, type Proposal } from "../resources/kind.ts";
import { mergePatch } from "../resources/merge-patch.ts";
import { Problem } from "../problems/problem.ts";
import type { Store } from "../store/store.ts";
import { type Entry, parsedBody } from "../store/table.ts";
import { parseItemQuery } from "./list-query.ts";
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
    // The answer may differ from caller to caller.
    ...(readRule !== "anyone" && { vary: "Authorization" }),
  });
  return [
    row("GET", path, readRule, "list"),
    { ...row("POST", path, createRule, "create"), isForGuests: createRule === "customer" },
    row("GET", `${path}/:id`, readRule, "get"),
    row("PUT", `${path}/:id`, "staff", "replace"),
    row("PATCH", `${path}/:id`, "staff", "patch"),
    row("DELETE", `${path}/:id`, "staff", "remove"),
  ];
}

const acceptPatch = headLine("Accept-Patch", patchType);

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

  /** GET /api/{kind}. Throws Problem 400. */
  list(request: Request): Reply | Promise<Reply> {
    const table = this.#store.table(this.#kind.name);
    return this.#lists.reply(request, table, this.#audienceOf(request.caller));
  }

  /** GET /api/{kind}/{id}. Throws Problem 404 or 400. */
  get(request: Request): Reply {
    const { query, fields } = request;
    const entry = this.#find(request);
    const { withNames } = parseItemQuery(query, this.#kind);
    if (withNames && this.#kind.withNames !== undefined) {
      const json = this.#kind.withNames(entry);
      return conditional({ ...jsonReply(200, json, noCache), etag: strongTag(json) }, fields);
    }
    return conditional(itemReply(200, entry, noCache), fields);
  }

  /** POST /api/{kind}. Rejects with Problem 415, 413, 400 or 409. */
  async create(request: Request): Promise<Reply> {
    request.requireJson();
    const { caller } = request;
    const proposal = this.#kind.parse(await request.readJson(), { caller, pathId: undefined });
    const id = proposal.id ?? this.#freeId();
    const saved = await this.#store.write(this.#kind.name, id, (stored) => {
      if (stored !== undefined) throw this.#idTaken(proposal, stored, caller);
      return proposal.decide(id, stored, this.#lookup, this.#now());
    });
    return written(201, saved, headLine("Location", `/api/${this.#kind.name}/${id}`));
  }

  /** PUT /api/{kind}/{id}. Rejects with Problem 404, 415, 413, 412, 400 or 409. */
  async replace(request: Request): Promise<Reply> {
    const { caller, param: pathId } = request;
    const body = await this.#readUpdate(request);
    const proposal = this.#kind.parse(body, { caller, pathId });
    return this.#update(request, () => proposal);
  }

  /** PATCH /api/{kind}/{id}: RFC 7396. Rejects as PUT does, with the merged result as its body. */
  async patch(request: Request): Promise<Reply> {
    const { caller, param: pathId } = request;
    const patch = await this.#readUpdate(request);
    return this.#update(request, (stored) => {
      const merged = mergePatch(parsedBody(stored), patch);
      return this.#kind.parse(merged, { caller, pathId });
    });
  }

  /** DELETE /api/{kind}/{id}. Rejects with Problem 404 or 412. */
  async remove(request: Request): Promise<Reply> {
    const { param, fields, caller } = request;
    this.#find(request);
    await this.#store.write(this.#kind.name, param, (stored) => {
      requireMatch(this.#requireFound(stored, param, caller), fields);
      return "remove";
    });
    return { status: 204, head: noCache };
  }

  async #readUpdate(request: Request): Promise<unknown> {
    const found = this.#find(request);
    request.requireJson();
    requireMatch(found, request.fields);
    return request.readJson();
  }

  async #update(
    { param, caller, fields }: Request,
    proposalFor: (stored: Entry) => Proposal,
  ): Promise<Reply> {
    const saved = await this.#store.write(this.#kind.name, param, (stored) => {
      // Checked again where it is written: another request may have won during the await.
      const found = this.#requireFound(stored, param, caller);
      requireMatch(found, fields);
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

function written(status: number, saved: Entry | undefined, head: HeadLines): Reply {
  if (saved === undefined) throw new Error("a write that stores something resolved to nothing");
  return itemReply(status, saved, noCache + head);
}

function itemReply(status: number, entry: Entry, head: HeadLines): Tagged {
  // Cut out of the entry's text once.
  const { body } = entry;
  return { status, type: jsonType, head, etag: tagOf(entry, body), body: `${body}\n` };
}
