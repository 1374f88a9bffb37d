/**
 * A document with everything in it, a backup or a menu, as the resources of a new store.
 *
 *     {"toppings": […], "pizzasizes": […], "beverages": […], "orders": […]}
 *
 * Any of the lists may be missing; "shop" may stand beside them, else it is what a new shop is;
 * what Forno wrote has more members (documents/document.ts). Behind it may stand what a follower
 * was sent since, a record of the journal a line (store/journal-file.ts), up to any byte of one.
 *
 * Each resource must pass the guard of its kind. A reference must be to an item of the document,
 * unless the order brings its names along: that item may have been deleted since.
 */

import { isSubject, subjectRule } from "../auth/claims.ts";
import { DocumentError, documentFormat } from "../documents/document.ts";
import {
  type CopiedLine,
  type Part,
  probe,
  readParts,
  readPartsAndLines,
} from "../documents/parts.ts";
import { Faults, inWords } from "../problems/faults.ts";
import { didYouMean } from "../problems/nearest.ts";
import { Problem } from "../problems/problem.ts";
import type { Content, NewResource, RemovedResource } from "../store/content.ts";
import { decodeRecord, type JournalRecord, markEvent } from "../store/journal-file.ts";
import type { Draft } from "../store/store.ts";
import { check, idField, isObject, nameField, type Path } from "./fields.ts";
import type { Kind } from "./kind.ts";
import { defaultStatus, type OrderContent } from "./model.ts";
import { referencesOf, storedOrder } from "./orders.ts";
import { parseShop, requireItems, shopDraft, shopName } from "./shop.ts";
import { keptText, namesText, orderDraft } from "./stored-order.ts";

const headMembers = ["forno", "seq", "lastChange", "takenAt", "crc"];
/** Far more than any store has written, and room to go on from. */
const mostRecords = 1e14;

/**
 * Reads lazily, in the order of the document, and knows what it read when all was asked for. Throws
 * DocumentError: when there is no such file, else where the document is wrong.
 */
export class DocumentReader implements Content, OrderSource {
  readonly now: string = new Date().toISOString();
  /** The last record that is in it; undefined of a document that no store wrote. */
  lastSeq: number | undefined;
  /** The last moment that it tells of, as far as it says: RFC 3339, UTC. */
  asOf = "";
  /** Bytes at the end of a follower's copy that are no whole record. */
  bytesLeftOut = 0;
  readonly #file: string;
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #found = new Set<string>();
  /** The names of the menu's items, as JSON, by kind and id. */
  readonly #names = new Map<string, string>();
  #hasAllNames = false;

  constructor(file: string, kinds: readonly Kind[]) {
    probe(file);
    this.#file = file;
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
  }

  /** What could have been in the document and was not. */
  get missing(): string[] {
    return [shopName, ...this.#kinds.keys()].filter((name) => !this.#found.has(name));
  }

  *[Symbol.iterator](): Generator<NewResource | RemovedResource> {
    const seen = new Set<string>();
    let of = "";
    let shop: Part | undefined;
    for (const part of readPartsAndLines(this.#file)) {
      if (part === "end") {
        // When all that may be sold out is known.
        if (shop !== undefined) yield this.#shop(shop);
        continue;
      }
      if ("bytes" in part) {
        yield* this.#recorded(part);
        continue;
      }
      this.#found.add(part.member);
      if (part.member === shopName) shop = part;
      const kind = this.#kindOf(part);
      if (kind === undefined) continue;
      const resource = this.#resource(part, kind);
      if (of !== kind.name) seen.clear();
      of = kind.name;
      if (seen.has(resource.id)) throw this.#error(part, `the id "${resource.id}" appears twice`);
      seen.add(resource.id);
      yield resource;
    }
  }

  /** Items that come after the order are looked for when the first of them is. */
  nameOf(kind: string, id: string): string | undefined {
    const name = this.#names.get(`${kind}/${id}`);
    if (name !== undefined || this.#hasAllNames) return name;
    this.#hasAllNames = true;
    for (const { member, value } of readParts(this.#file)) {
      this.#keepName(member, value);
    }
    return this.nameOf(kind, id);
  }

  /** Undefined for an empty list, and for what a backup says of itself. */
  #kindOf(part: Part): Kind | undefined {
    const { member, index, value } = part;
    const kind = this.#kinds.get(member);
    if (kind !== undefined) {
      if (index !== undefined) return kind;
      if (Array.isArray(value)) return undefined;
      throw this.#error(part, `expected an array, got ${inWords(value)}`);
    }
    if (headMembers.includes(member)) this.#takeHead(part);
    else if (member !== shopName) {
      const guess = didYouMean(member, [...this.#kinds.keys(), shopName]);
      throw this.#error(part, `there is no such member${guess}`);
    }
    return undefined;
  }

  #takeHead(part: Part): void {
    const { member, value } = part;
    if (member === "forno" && value !== documentFormat) {
      const expected = `expected a backup of format ${documentFormat}`;
      throw this.#error(part, `${expected}, got ${inWords(value)}`);
    }
    if (member === "takenAt") this.#reach(value);
    if (member !== "seq") return;
    if (!isNumber(value)) throw this.#error(part, `expected a whole number, got ${inWords(value)}`);
    this.lastSeq = value;
  }

  /** Times of this spelling are compared as texts. */
  #reach(time: unknown): void {
    if (typeof time === "string" && time > this.asOf) this.asOf = time;
  }

  *#recorded({ bytes, line, isWhole }: CopiedLine): Generator<NewResource | RemovedResource> {
    const place = { member: "record", index: undefined, line };
    if (this.lastSeq === undefined) throw this.#error(place, "expected the end of the document");
    if (!isWhole) {
      this.bytesLeftOut = bytes.length;
      return;
    }
    const record = decodeRecord(bytes);
    if (record === undefined) {
      throw this.#error(place, "the line is not a record as it was sent: the copy is damaged here");
    }
    if (record.seq !== this.lastSeq + 1) {
      const expected = `expected record ${this.lastSeq + 1}, got ${record.seq}`;
      throw this.#error(place, `${expected}: lines are missing, or out of order`);
    }
    this.lastSeq = record.seq;
    const resource = this.#fromRecord(record, line);
    if (resource !== undefined) yield resource;
  }

  /** Undefined for a mark. */
  #fromRecord(
    { event, data }: JournalRecord,
    line: number,
  ): NewResource | RemovedResource | undefined {
    const [kindName = "", action] = event.split(".");
    // The record's checksum holds: it is JSON, and of this form.
    const value = JSON.parse(data) as { readonly id: string; at?: unknown; updatedAt?: unknown };
    if (event === markEvent) this.#reach(value.at);
    if (kindName === "store") return undefined;
    const part = { member: kindName, index: undefined, value, line };
    if (kindName === shopName) return this.#shop(part);
    const kind = this.#kinds.get(kindName);
    if (kind === undefined) throw this.#error(part, "expected a kind that this version knows");
    if (action === "deleted") {
      this.#names.delete(`${kindName}/${value.id}`);
      return { kind: kindName, id: value.id, body: undefined };
    }
    this.#reach(value.updatedAt);
    return this.#resource(part, kind);
  }

  #resource(part: Part, kind: Kind): NewResource {
    return this.#read(part, (sent) =>
      kind.placedBy === undefined ? this.#item(sent, kind) : this.#order(sent),
    );
  }

  #shop(part: Part): NewResource {
    if (part.index !== undefined) throw this.#error(part, "expected an object, got an array");
    return this.#read(part, ({ value }) => {
      const shop = parseShop(isObject(value) ? withoutId(value) : value);
      requireItems(shop, (kind, id) => this.#names.has(`${kind}/${id}`));
      return { kind: shopName, id: shopName, ...shopDraft(shop) };
    });
  }

  /** What a Problem says becomes an error in the document. */
  #read(part: Part, read: (sent: Part) => NewResource): NewResource {
    const { content, seq } = withoutOurs(part.value);
    try {
      const resource = read({ ...part, value: content });
      return isNumber(seq) ? { ...resource, seq } : resource;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const [first, ...others] = error.extensions.errors ?? [];
      const place = first !== undefined && "pointer" in first ? `${first.pointer}: ` : "";
      const more = others.length > 0 ? ` (and ${others.length} more)` : "";
      throw this.#error(part, `${place}${first?.detail ?? error.message}${more}`);
    }
  }

  /** Throws Problem. */
  #order({ member, value }: Part): NewResource {
    const faults = new Faults();
    const order = readOrder(value, this, faults);
    if (order === undefined) throw faults.toProblem();
    return { kind: member, ...order };
  }

  /** Throws Problem. */
  #item({ member, value }: Part, kind: Kind): NewResource {
    const proposal = kind.parse(value, { caller: undefined, pathId: undefined });
    const { id } = proposal;
    if (id === undefined) {
      const faults = new Faults();
      faults.addUnexpected(["id"], idField.expected, undefined);
      throw faults.toProblem();
    }
    const lookup = { accepted: () => undefined, ids: () => [] };
    const decision = proposal.decide(id, undefined, lookup, this.now);
    if (typeof decision === "string") throw new Error("a new item was decided not to be stored");
    this.#keepName(member, value);
    return { kind: member, id, ...decision };
  }

  #keepName(kind: string, value: unknown): void {
    if (!isObject(value)) return;
    const { id, name } = value;
    if (typeof id !== "string" || typeof name !== "string") return;
    this.#names.set(`${kind}/${id}`, JSON.stringify(name));
  }

  #error({ member, index, line }: Omit<Part, "value">, detail: string): DocumentError {
    const place = index === undefined ? inWords(member) : `${member}[${index}]`;
    return new DocumentError(this.#file, line, `${place}: ${detail}`);
  }
}

/** A resource as it was sent, and its place; both may stand in the line of a document. */
function withoutOurs(value: unknown): { readonly content: unknown; readonly seq: unknown } {
  if (!isObject(value)) return { content: value, seq: undefined };
  const { seq, crc: _, ...content } = value;
  return { content, seq };
}

function isNumber(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostRecords;
}

/** In the journal a shop has one. */
function withoutId({ id: _, ...shop }: Readonly<Record<string, unknown>>): object {
  return shop;
}

/** Where an order without times, or without names, has them from. */
export interface OrderSource {
  /** For orders without times: RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /** The name of an item in the document, as JSON. */
  nameOf(kind: string, id: string): string | undefined;
}

/**
 * An order as a client sends it, and beside that, where they are known, its times, who placed it
 * and the names of what was ordered. Undefined with faults.
 */
export function readOrder(
  value: unknown,
  source: OrderSource,
  faults: Faults,
): (Draft & { readonly id: string }) | undefined {
  const { placedBy, names: sentNames, ...content } = membersOf(value);
  const { placedAt = source.now, updatedAt = placedAt } = content;
  const sent: unknown = isObject(value) ? content : value;
  if (!check(storedOrder, sent, [], faults)) return undefined;
  const order = { ...sent, status: sent.status ?? defaultStatus };
  const names =
    sentNames === undefined
      ? menuNames(order, source, faults)
      : readNames(sentNames, order, faults);
  const areTimes =
    isTime(placedAt, ["placedAt"], faults) && isTime(updatedAt, ["updatedAt"], faults);
  if (!areTimes || !isPlacer(placedBy, faults) || names === undefined || !faults.isEmpty) {
    return undefined;
  }
  const kept = keptText(placedBy, names);
  return { id: sent.id, ...orderDraft(sent.id, order, { placedAt, updatedAt }, kept) };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function menuNames(order: OrderContent, source: OrderSource, faults: Faults): string | undefined {
  const names = namesText(order, (kind, id) => source.nameOf(kind, id));
  if (names !== undefined) return names;
  for (const { kind, id, path } of referencesOf(order)) {
    if (source.nameOf(kind, id) !== undefined) continue;
    faults.addUnexpected(path, `the id of one of the document's ${kind}`, id);
  }
  return undefined;
}

function readNames(value: unknown, order: OrderContent, faults: Faults): string | undefined {
  const members = membersOf(value);
  if (Object.keys(members).length !== 3) {
    faults.addUnexpected(["names"], "pizzaSize, toppings and beverages", value);
    return undefined;
  }
  const { pizzaSize, toppings, beverages } = members;
  const areGood =
    check(nameField, pizzaSize, ["names", "pizzaSize"], faults) &&
    areNames(toppings, order.toppings.length, ["names", "toppings"], faults) &&
    areNames(beverages, order.beverages.length, ["names", "beverages"], faults);
  return areGood ? JSON.stringify({ pizzaSize, toppings, beverages }) : undefined;
}

function areNames(
  value: unknown,
  count: number,
  path: Path,
  faults: Faults,
): value is readonly string[] {
  if (Array.isArray(value) && value.length === count) {
    return value.every((name, index) => check(nameField, name, [...path, index], faults));
  }
  faults.addUnexpected(path, `an array of ${count}, a name for each reference`, value);
  return false;
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Spelled as Forno spells times, because they are compared as texts. */
function isTime(value: unknown, path: Path, faults: Faults): value is string {
  if (typeof value === "string" && timePattern.test(value)) {
    const milliseconds = Date.parse(value);
    // The 30th of February is parsed as the 1st or 2nd of March.
    if (!Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === value) return true;
  }
  faults.addUnexpected(path, 'a time such as "2026-01-31T18:00:00.000Z"', value);
  return false;
}

/** As a token's `sub`. */
function isPlacer(value: unknown, faults: Faults): value is string | undefined {
  if (value === undefined) return true;
  if (isSubject(value)) return true;
  faults.addUnexpected(["placedBy"], subjectRule, value);
  return false;
}
