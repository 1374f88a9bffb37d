/** The tables of all kinds, filled from a file or from the content of a new store. */

import { inWords, Invalid, isObject } from "../problems/faults.ts";
import type { Change } from "./history.ts";
import type { Entry } from "./line.ts";
import { jsonOf, type Lookup, makeRow, type Row, type StoredKind, Table } from "./rows.ts";

/** A kind and its rows. */
export interface KindTable {
  readonly kind: StoredKind;
  readonly table: Table;
}

/** A table for each kind. `load` and `replay` throw Invalid for what this version does not know. */
export class Tables implements Lookup {
  /** In the order of the store's file. */
  readonly all: readonly KindTable[];
  readonly #byName: ReadonlyMap<string, KindTable>;

  constructor(kinds: readonly StoredKind[]) {
    this.all = kinds.map((kind) => ({ kind, table: new Table() }));
    this.#byName = new Map(this.all.map((one) => [one.kind.name, one]));
  }

  /** Throws Error for a kind that the store does not hold. */
  of<T, K>({ name }: StoredKind<T, K>): Table<T, K> {
    const table = this.#byName.get(name)?.table;
    if (table === undefined) throw new Error(`the store has no kind ${name}`);
    // Only this kind makes rows of the table: its `read`, and writes of this kind.
    return table as Table<unknown, unknown> as Table<T, K>;
  }

  /** The number of all rows. */
  get length(): number {
    return this.all.reduce((sum, { table }) => sum + table.rows.length, 0);
  }

  get<T, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined {
    return this.of(kind).get(id);
  }

  /**
   * Adds a resource that was read at place `seq`, which must be above that of the last one of its
   * kind.
   */
  load({ seq, event, data, kept }: Entry): void {
    const { kind, table } = this.#ofEvent(event);
    const content = kind.read(data, kept);
    const id = kind.idOf(content.value);
    if (table.get(id) !== undefined) throw Invalid.at([], `the id "${id}" appears twice`);
    if (seq <= table.lastSeq) {
      throw Invalid.at([], `expected a seq above ${table.lastSeq}, got ${seq}`);
    }
    table.put(makeRow(id, seq, content));
  }

  /**
   * Applies a change that was read. `length`: of its line. A person may delete the line
   * before, so an update of a missing resource creates it, and a create of an existing one updates
   * it.
   */
  replay({ seq, event, data, kept }: Entry, length: number): Change {
    const { kind, table } = this.#ofEvent(event);
    const action = event.slice(kind.name.length + 1);
    if (action === "deleted") {
      const id = deletedId(data);
      const deleted = table.get(id);
      table.apply(seq, id, undefined);
      const both = length + (deleted === undefined ? 0 : jsonOf(deleted).length);
      return { seq, kind, action, id, row: undefined, deleted, length: both };
    }
    if (action !== "created" && action !== "updated") {
      throw Invalid.at([], `expected created, updated or deleted, got ${event}`);
    }
    const content = kind.read(data, kept);
    const id = kind.idOf(content.value);
    const row = makeRow(id, table.get(id)?.seq ?? seq, content);
    table.apply(seq, id, row);
    return { seq, kind, action, id, row, deleted: undefined, length };
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
