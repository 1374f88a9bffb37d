/**
 * A document with everything in it, a backup or a menu, as the resources of a new store.
 *
 *     {"toppings": […], "pizzasizes": […], "beverages": […], "orders": […]}
 *
 * Any of the lists may be missing; "shop" may stand beside them, else it is what a new shop is;
 * what Forno wrote has more members (store/document.ts). Behind it may stand what a follower
 * was sent since, a record of the journal a line (store/journal-file.ts), up to any byte of one.
 *
 * Each resource must pass the guard of its kind. A reference must be to an item of the document,
 * unless the order brings its names along: that item may have been deleted since.
 */

import { isSubject, subjectRule } from "../auth/claims.ts";
import { DocumentError, documentFormat } from "../store/document.ts";
import { type CopiedLine, type Part, PartReader } from "../store/parts.ts";
import { didYouMean, Faults, inWords, quoted } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import type { Content, NewResource, RemovedResource } from "../store/content.ts";
import { decodeRecord, type JournalRecord, markEvent } from "../store/journal-file.ts";
import { check, idField, isObject, type Path } from "./field.ts";
import type { Kind } from "./kind.ts";
import { defaultStatus, type OrderContent } from "./model.ts";
import { referencesOf, storedOrder } from "./order.ts";
import { parseShop, requireItems, shopDraft, shopName } from "./shop.ts";
import { keptText, namesField, namesText, orderDraft } from "./stored-order.ts";

const headMembers = ["forno", "seq", "lastChange", "takenAt", "crc"];
/** Far more than any store has written, and room to go on from. */
const mostRecords = 1e14;

/**
 * Reads lazily, in the order of the document, and knows what it read when all was asked for. Throws
 * DocumentError: when there is no such file, else where the document is wrong.
 */
export class DocumentReader implements Content {
  /** The last record that is in it; undefined of a document that no store wrote. */
  lastSeq: number | undefined;
  /** The last moment that it tells of, as far as it says: RFC 3339, UTC. */
  asOf = "";
  /** Bytes at the end of a follower's copy that are no whole record. */
  bytesLeftOut = 0;
  readonly #file: string;
  readonly #kinds: ReadonlyMap<string, Kind>;
  /** Of orders that do not say when they were placed. */
  readonly #now: string = new Date().toISOString();
  readonly #found = new Set<string>();
  /** The names of the menu's items, as JSON, by kind and id. */
  readonly #names = new Map<string, string>();
  #hasAllNames = false;

  constructor(file: string, kinds: readonly Kind[]) {
    new PartReader(file).close();
    this.#file = file;
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
  }

  /** What could have been in the document and was not. */
  get missing(): string[] {
    return [shopName, ...this.#kinds.keys()].filter((name) => !this.#found.has(name));
  }

  *[Symbol.iterator](): Generator<NewResource | RemovedResource> {
    const reader = new PartReader(this.#file);
    try {
      yield* this.#resources(reader.parts());
      for (const line of reader.lines()) yield* this.#recorded(line);
    } finally {
      reader.close();
    }
  }

  *#resources(parts: Iterable<Part>): Generator<NewResource> {
    const seen = new Set<string>();
    let of: Kind | undefined;
    let shop: Part | undefined;
    for (const part of parts) {
      this.#found.add(part.member);
      if (part.member === shopName) shop = part;
      const kind = this.#kindOf(part);
      if (kind === undefined) continue;
      const resource = this.#resource(part, kind);
      if (of !== kind) seen.clear();
      of = kind;
      if (seen.has(resource.id)) throw this.#error(part, `the id "${resource.id}" appears twice`);
      seen.add(resource.id);
      yield resource;
    }
    // Now all that may be sold out is known.
    if (shop !== undefined) yield this.#shop(shop);
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
    yield* this.#fromRecord(record, line);
  }

  /** Nothing for what is the store's own. */
  *#fromRecord(
    { event, data }: JournalRecord,
    line: number,
  ): Generator<NewResource | RemovedResource> {
    const [member = "", action] = event.split(".");
    // The record's checksum holds: it is JSON, and of this form.
    const value = JSON.parse(data) as { readonly id: string; at?: unknown; updatedAt?: unknown };
    if (event === markEvent) this.#reach(value.at);
    if (member === "store") return;
    const part = { member, index: undefined, value, line };
    const kind = this.#kinds.get(member);
    if (member === shopName) yield this.#shop(part);
    else if (kind === undefined) {
      throw this.#error(part, "expected a kind that this version knows");
    } else if (action === "deleted") {
      this.#names.delete(`${member}/${value.id}`);
      yield { kind: member, id: value.id, body: undefined };
    } else {
      this.#reach(value.updatedAt);
      yield this.#resource(part, kind);
    }
  }

  #resource(part: Part, kind: Kind): NewResource {
    return this.#read(part, (value) =>
      kind.placedBy === undefined ? this.#item(value, kind) : this.#order(value),
    );
  }

  #shop(part: Part): NewResource {
    if (part.index !== undefined) throw this.#error(part, "expected an object, got an array");
    return this.#read(part, (value) => {
      const shop = parseShop(isObject(value) ? withoutId(value) : value);
      requireItems(shop, (kind, id) => this.#names.has(`${kind}/${id}`));
      return { id: shopName, ...shopDraft(shop) };
    });
  }

  /** What a Problem says becomes an error in the document. */
  #read(part: Part, read: (value: unknown) => Omit<NewResource, "kind">): NewResource {
    const { content, seq } = withoutOurs(part.value);
    try {
      const resource = { kind: part.member, ...read(content) };
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
  #item(value: unknown, kind: Kind): Omit<NewResource, "kind"> {
    const proposal = kind.parse(value, { caller: undefined, pathId: undefined });
    const { id } = proposal;
    if (id === undefined) {
      const faults = new Faults();
      faults.addUnexpected(["id"], idField.expected, undefined);
      throw faults.toProblem();
    }
    const lookup = { accepted: () => undefined, ids: () => [] };
    const decision = proposal.decide(id, undefined, lookup, this.#now);
    if (typeof decision === "string") throw new Error("a new item was decided not to be stored");
    this.#keepName(kind.name, value);
    return { id, ...decision };
  }

  /**
   * An order as a client sends it, and beside that, where they are known, its times, who placed it
   * and the names of what was ordered. Throws Problem.
   */
  #order(value: unknown): Omit<NewResource, "kind"> {
    const faults = new Faults();
    const { placedBy, names: sentNames, ...content } = isObject(value) ? value : {};
    const { placedAt = this.#now, updatedAt = placedAt } = content;
    const sent: unknown = isObject(value) ? content : value;
    if (!check(storedOrder, sent, [], faults)) throw faults.toProblem();
    const order = { ...sent, status: sent.status ?? defaultStatus };
    const names =
      sentNames === undefined
        ? this.#menuNames(order, faults)
        : readNames(sentNames, order, faults);
    const isGood =
      isTime(placedAt, ["placedAt"], faults) &&
      isTime(updatedAt, ["updatedAt"], faults) &&
      isPlacer(placedBy, faults);
    if (!isGood || names === undefined) throw faults.toProblem();
    const kept = keptText(placedBy, names);
    return { id: sent.id, ...orderDraft(sent.id, order, { placedAt, updatedAt }, kept) };
  }

  /** As JSON; undefined with faults. */
  #menuNames(order: OrderContent, faults: Faults): string | undefined {
    const names = namesText(order, (kind, id) => this.#nameOf(kind, id));
    if (names !== undefined) return names;
    for (const { kind, id, path } of referencesOf(order)) {
      if (this.#nameOf(kind, id) !== undefined) continue;
      faults.addUnexpected(path, `the id of one of the document's ${kind}`, id);
    }
    return undefined;
  }

  /** Items that come after the order are looked for when the first of them is. */
  #nameOf(kind: string, id: string): string | undefined {
    const name = this.#names.get(`${kind}/${id}`);
    if (name !== undefined || this.#hasAllNames) return name;
    this.#hasAllNames = true;
    const reader = new PartReader(this.#file);
    try {
      for (const { member, value } of reader.parts()) this.#keepName(member, value);
    } finally {
      reader.close();
    }
    return this.#nameOf(kind, id);
  }

  #keepName(kind: string, value: unknown): void {
    if (!isObject(value)) return;
    const { id, name } = value;
    if (typeof id !== "string" || typeof name !== "string") return;
    this.#names.set(`${kind}/${id}`, JSON.stringify(name));
  }

  #error({ member, index, line }: Omit<Part, "value">, detail: string): DocumentError {
    const place = index === undefined ? quoted(member) : `${member}[${index}]`;
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

/** As JSON; undefined with faults. */
function readNames(value: unknown, order: OrderContent, faults: Faults): string | undefined {
  if (!check(namesField, value, ["names"], faults)) return undefined;
  for (const list of ["toppings", "beverages"] as const) {
    const count = order[list].length;
    if (value[list].length === count) continue;
    const expected = `an array of ${count}, a name for each reference`;
    faults.addUnexpected(["names", list], expected, value[list]);
  }
  const { pizzaSize, toppings, beverages } = value;
  return faults.isEmpty ? JSON.stringify({ pizzaSize, toppings, beverages }) : undefined;
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
