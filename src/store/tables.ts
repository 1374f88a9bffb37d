/**
 * The resources in memory: the table of a kind, and the tables of all kinds, filled from a file or
 * from the content of a new store.
 */

import { inWords, Invalid, isObject } from "../problems/faults.ts";
import type { Entry } from "./line.ts";
import {
  type Change,
  type Content,
  jsonOf,
  type Lookup,
  makeRow,
  type Row,
  type StoredKind,
} from "./row.ts";

/** Rows by seq. */
class Rows<T, K> {
  readonly list: Row<T, K>[] = [];

  /** Replaces the row with the same seq, or adds the row in its place. */
  put(row: Row<T, K>): void {
    const index = this.#indexOf(row.seq);
    if (this.list[index]?.seq === row.seq) this.list[index] = row;
    else this.list.splice(index, 0, row);
  }

  delete({ seq }: Row<T, K>): void {
    this.list.splice(this.#indexOf(seq), 1);
  }

  #indexOf(seq: number): number {
    // Most rows are new, and then the last.
    const last = this.list.at(-1);
    if (last === undefined || last.seq < seq) return this.list.length;
    return firstIndex(this.list, (row) => row.seq >= seq);
  }
}

/** The current rows of a kind. */
export class Table<T = unknown, K = unknown> {
  /** The seq of the change that last changed the table. No two states have the same version. */
  version = 0;
  readonly #byId = new Map<string, Row<T, K>>();
  readonly #rows = new Rows<T, K>();
  readonly #byKey = new Map<string, Rows<T, K>>();
  readonly #keysOf: (row: Row<T, K>) => readonly string[];

  /** `keysOf`: as in StoredKind. */
  constructor(keysOf: (row: Row<T, K>) => readonly string[] = () => []) {
    this.#keysOf = keysOf;
  }

  /** All rows, oldest first. The next write changes the array. */
  get rows(): readonly Row<T, K>[] {
    return this.#rows.list;
  }

  /** The rows with this key, oldest first. The next write changes the array. */
  rowsWith(key: string): readonly Row<T, K>[] {
    return this.#byKey.get(key)?.list ?? [];
  }

  /** The seq of the newest row; 0 if there is none. */
  get lastSeq(): number {
    return this.rows.at(-1)?.seq ?? 0;
  }

  get(id: string): Row<T, K> | undefined {
    return this.#byId.get(id);
  }

  /** Applies change `seq`: stores the row, or deletes the resource if `row` is undefined. */
  apply(seq: number, id: string, row: Row<T, K> | undefined): void {
    if (row === undefined) this.delete(id);
    else this.put(row);
    this.version = seq;
  }

  /** Replaces the row with its id if that has the same seq; any other row must be the newest. */
  put(row: Row<T, K>): void {
    const before = this.#byId.get(row.id);
    const keys = this.#keysOf(row);
    if (before?.seq === row.seq) this.#forget(before, keys);
    else this.delete(row.id);
    this.#byId.set(row.id, row);
    this.#rows.put(row);
    for (const key of keys) {
      const rows = this.#byKey.get(key) ?? new Rows();
      this.#byKey.set(key, rows);
      rows.put(row);
    }
  }

  delete(id: string): void {
    const row = this.#byId.get(id);
    if (row === undefined) return;
    this.#byId.delete(id);
    this.#rows.delete(row);
    this.#forget(row);
  }

  /** Takes the row out of the rows of its keys. `except`: keys that its new version has, too. */
  #forget(row: Row<T, K>, except: readonly string[] = []): void {
    for (const key of this.#keysOf(row)) {
      if (except.includes(key)) continue;
      const rows = this.#byKey.get(key);
      rows?.delete(row);
      if (rows?.list.length === 0) this.#byKey.delete(key);
    }
  }
}

/** A kind and its rows. */
export interface KindTable {
  readonly kind: StoredKind;
  readonly table: Table;
}

/**
 * A table for each kind. `add`, `load` and `replay` throw Invalid: for an id that appears twice, a
 * place that does not rise, and what this version does not know.
 */
export class Tables implements Lookup {
  /** In the order of the store's file. */
  readonly all: readonly KindTable[];
  readonly #byName: ReadonlyMap<string, KindTable>;

  constructor(kinds: readonly StoredKind[]) {
    this.all = kinds.map((kind) => ({ kind, table: new Table((row) => kind.keysOf?.(row) ?? []) }));
    this.#byName = new Map(this.all.map((one) => [one.kind.name, one]));
  }

  /** Throws Error for a kind that the store does not hold. */
  of<T, K>({ name }: StoredKind<T, K>): Table<T, K> {
    const table = this.#byName.get(name)?.table;
    if (table === undefined) throw new Error(`the store has no kind ${name}`);
    // Only this kind makes rows of the table: its `read`, and writes of this kind.
    return table as Table<unknown, unknown> as Table<T, K>;
  }

  rows<T, K>(kind: StoredKind<T, K>): readonly Row<T, K>[] {
    return this.of(kind).rows;
  }

  /** The number of all rows. */
  get length(): number {
    return this.all.reduce((sum, { table }) => sum + table.rows.length, 0);
  }

  get<T, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined {
    return this.of(kind).get(id);
  }

  /** Adds a resource of a new store, behind the last one of its kind. */
  add<T, K>(kind: StoredKind<T, K>, content: Content<T, K>): void {
    this.#add(kind, content, this.of(kind).lastSeq + 1);
  }

  /** Adds a resource that was read at place `seq`. */
  load({ seq, event, data, kept }: Entry): void {
    const { kind } = this.#ofEvent(event);
    this.#add(kind, kind.read(data, kept), seq);
  }

  #add<T, K>(kind: StoredKind<T, K>, content: Content<T, K>, seq: number): void {
    const table = this.of(kind);
    const id = kind.idOf(content.value);
    if (table.get(id) !== undefined) throw Invalid.at([], `the id "${id}" appears twice`);
    if (seq <= table.lastSeq) {
      throw Invalid.at([], `expected a seq above ${table.lastSeq}, got ${seq}`);
    }
    table.put(makeRow(id, seq, content));
  }

  /**
   * Checks a change that was read. The result applies it, then or later. `length`: of its line. A
   * person may have deleted the line before it, so an update creates a missing resource, and a
   * create updates an existing one.
   */
  replay({ seq, event, data, kept }: Entry, length: number): () => Change {
    const { kind, table } = this.#ofEvent(event);
    const action = event.slice(kind.name.length + 1);
    if (action === "deleted") {
      const id = deletedId(data);
      return () => {
        const deleted = table.get(id);
        table.apply(seq, id, undefined);
        const both = length + (deleted === undefined ? 0 : jsonOf(deleted).length);
        return { seq, kind, action, id, row: undefined, deleted, length: both };
      };
    }
    if (action !== "created" && action !== "updated") {
      throw Invalid.at([], `expected created, updated or deleted, got ${event}`);
    }
    const content = kind.read(data, kept);
    const id = kind.idOf(content.value);
    return () => {
      const row = makeRow(id, table.get(id)?.seq ?? seq, content);
      table.apply(seq, id, row);
      return { seq, kind, action, id, row, deleted: undefined, length };
    };
  }

  /** `event`: "toppings.created". */
  #ofEvent(event: string): KindTable {
    const [name = ""] = event.split(".", 1);
    const found = this.#byName.get(name);
    if (found !== undefined) return found;
    throw Invalid.at([], `no kind has the name "${name}"`);
  }
}

function deletedId(data: unknown): string {
  const id = isObject(data) ? data["id"] : undefined;
  if (typeof id === "string") return id;
  const expected = "a string, the id of the deleted resource";
  throw Invalid.at(["id"], `expected ${expected}, got ${inWords(id)}`);
}

/** The index of the first item that passes, by binary search; items that fail come first. */
export function firstIndex<T>(items: readonly T[], passes: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // `middle` is within the bounds.
    if (passes(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
