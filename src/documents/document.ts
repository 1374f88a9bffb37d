/**
 * A document with everything in it, a backup or a menu, as the resources of a new store.
 *
 *     {"toppings": […], "pizzasizes": […], "beverages": […], "orders": […]}
 *
 * Any of the lists may be missing; "shop" may stand beside them, else it is what a new shop is. A
 * backup has "forno" and "takenAt" besides (backup.ts). Each resource must pass the guard of its
 * kind. A reference must be to an item of the document, unless the order brings its names along:
 * that item may have been deleted since.
 */

import { Problem } from "../problems/problem.ts";
import type { NewResource } from "../store/whole-journal.ts";
import { Faults, inWords } from "../problems/faults.ts";
import { idField, isObject, ownMember } from "../pizzeria/fields.ts";
import { didYouMean } from "../problems/nearest.ts";
import { backupFormat } from "../handlers/backup.ts";
import { DocumentError } from "./document-error.ts";
import { type OrderSource, readOrder } from "./order-reader.ts";
import { type Part, probe, readParts } from "./parts.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { parseShop, requireItems, shopDraft, shopName } from "../pizzeria/shop.ts";

const otherMembers = ["forno", "takenAt", shopName];

/**
 * Reads lazily, in the order of the document. Throws DocumentError: at once when there is no such
 * file, else where the document is wrong.
 */
export function readDocument(file: string, kinds: readonly Kind[]): Iterable<NewResource> {
  probe(file);
  return new ResourceReader(file, kinds).resources();
}

class ResourceReader implements OrderSource {
  readonly now: string = new Date().toISOString();
  readonly #file: string;
  readonly #kinds: ReadonlyMap<string, Kind>;
  /** The names of the menu's items, by kind and id. */
  readonly #names = new Map<string, string>();
  #hasAllNames = false;

  constructor(file: string, kinds: readonly Kind[]) {
    this.#file = file;
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
  }

  *resources(): Generator<NewResource> {
    const seen = new Set<string>();
    let of = "";
    let shop: Part | undefined;
    for (const part of readParts(this.#file)) {
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
    // Last, when all that may be sold out is known.
    if (shop !== undefined) yield this.#shop(shop);
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

  /** Undefined for an empty list, the shop, and what a backup says of itself. */
  #kindOf(part: Part): Kind | undefined {
    const { member, index, value } = part;
    const kind = this.#kinds.get(member);
    if (kind !== undefined) {
      if (index !== undefined) return kind;
      if (Array.isArray(value)) return undefined;
      throw this.#error(part, `expected an array, got ${inWords(value)}`);
    }
    if (!otherMembers.includes(member)) {
      const guess = didYouMean(member, [...this.#kinds.keys(), shopName]);
      throw this.#error(part, `there is no such member${guess}`);
    }
    if (member !== "forno" || value === backupFormat) return undefined;
    throw this.#error(part, `expected a backup of format ${backupFormat}, got ${inWords(value)}`);
  }

  #resource(part: Part, kind: Kind): NewResource {
    return this.#read(part, () =>
      kind.placed === undefined ? this.#item(part, kind) : this.#order(part),
    );
  }

  #shop(part: Part): NewResource {
    if (part.index !== undefined) throw this.#error(part, "expected an object, got an array");
    return this.#read(part, () => {
      const shop = parseShop(part.value);
      requireItems(shop, (kind, id) => this.#names.has(`${kind}/${id}`));
      return { kind: shopName, id: shopName, action: "updated", ...shopDraft(shop) };
    });
  }

  /** What a Problem says becomes an error in the document. */
  #read(part: Part, read: () => NewResource): NewResource {
    try {
      return read();
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
    const candidate = kind.parse(value, { caller: undefined, pathId: undefined });
    const { id } = candidate;
    if (id === undefined) {
      const faults = new Faults();
      faults.addUnexpected(["id"], idField.expected, undefined);
      throw faults.toProblem();
    }
    const surroundings = { accepted: () => undefined, ids: () => [], now: this.now };
    const decision = candidate.decide(id, undefined, surroundings);
    if (typeof decision === "string") throw new Error("a new item was decided not to be stored");
    this.#keepName(member, value);
    return { kind: member, id, ...decision };
  }

  #keepName(kind: string, value: unknown): void {
    if (!isObject(value)) return;
    const id = ownMember(value, "id");
    const name = ownMember(value, "name");
    if (typeof id === "string" && typeof name === "string") this.#names.set(`${kind}/${id}`, name);
  }

  #error({ member, index, line }: Part, detail: string): DocumentError {
    const place = index === undefined ? inWords(member) : `${member}[${index}]`;
    return new DocumentError(this.#file, line, `${place}: ${detail}`);
  }
}
