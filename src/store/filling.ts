/** Puts resources and changes, as they are read from a file, into tables. */

import { didYouMean, inWords, Invalid, isObject } from "../problems/faults.ts";
import { type Change, lengthOf } from "./changes.ts";
import type { ReadContext } from "./stored-kind.ts";
import type { Entry } from "./line.ts";
import { makeRow, type Row } from "./rows.ts";
import type { KindTable, Tables } from "./tables.ts";

/** Fills the tables. Its methods throw Invalid for kinds and events that this version lacks. */
export class Filling {
  readonly tables: Tables;
  readonly #context: ReadContext;

  constructor(tables: Tables) {
    this.tables = tables;
    const now = new Date().toISOString();
    this.#context = { now, get: (kind, id) => tables.get(kind, id) };
  }

  /**
   * Adds a resource at place `seq`, which must be above that of the last one of its kind. Without a
   * `seq` it takes the next place. `members`: its own and the hidden ones.
   */
  put(kindName: string, seq: number | undefined, members: unknown): void {
    const { kind, table } = this.#named(kindName);
    const content = kind.read(members, this.#context);
    const { id } = content.value;
    const before = table.get(id);
    if (kind.singleton !== undefined) return table.put(makeRow(seq ?? 0, content));
    if (before !== undefined) throw Invalid.at([], `the id "${id}" appears twice`);
    const place = seq ?? table.lastSeq + 1;
    if (place <= table.lastSeq) {
      throw Invalid.at([], `expected a seq above ${table.lastSeq}, got ${place}`);
    }
    table.put(makeRow(place, content));
  }

  /**
   * Applies a change. `bytes`: the length of its line. A person may delete the line before, so an
   * update of a missing resource creates it, and a create of an existing one updates it.
   */
  apply({ seq, event, data, kept }: Entry, bytes: number): Change {
    const [kindName = "", action] = event.split(".");
    const { kind, table } = this.#named(kindName);
    if (action !== "created" && action !== "updated" && action !== "deleted") {
      throw Invalid.at([], `expected created, updated or deleted, got ${event}`);
    }
    let row: Row | undefined;
    let id: string;
    if (action === "deleted") id = deletedId(data);
    else {
      const content = kind.read(withHidden(data, kept), this.#context);
      id = content.value.id;
      // A singleton has seq 0 until its first change.
      row = makeRow(table.get(id)?.seq || seq, content);
    }
    const before = table.get(id);
    table.apply(seq, id, row);
    const deleted = row === undefined ? before : undefined;
    return { seq, kind, action, id, row, deleted, bytes: bytes + lengthOf(deleted) };
  }

  #named(name: string): KindTable {
    const found = this.tables.named(name);
    if (found !== undefined) return found;
    const names = this.tables.kinds.map((kind) => kind.name);
    throw Invalid.at([], `no kind has the name "${name}"${didYouMean(name, names)}`);
  }
}

/** Adds the members of `kept` to `data`, which was parsed for this line alone. */
export function withHidden(data: unknown, kept: unknown): unknown {
  return isObject(data) && isObject(kept) ? Object.assign(data, kept) : data;
}

function deletedId(data: unknown): string {
  const id = isObject(data) ? data["id"] : undefined;
  if (typeof id === "string") return id;
  const expected = "a string, the id of the deleted resource";
  throw Invalid.at(["id"], `expected ${expected}, got ${inWords(id)}`);
}

/** The faults of an Invalid in a line. Rethrows any other error. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Invalid)) throw error;
  const [first, ...others] = error.faults;
  const place = first === undefined || first.pointer === "#" ? "" : `${first.pointer}: `;
  const count = others.length > 0 ? ` (and ${others.length} more)` : "";
  return place + (first?.detail ?? "") + count;
}
