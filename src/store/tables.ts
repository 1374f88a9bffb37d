/** The tables of all kinds, filled from a file. */

import { didYouMean, inWords, Invalid, isObject } from "../problems/faults.ts";
import type { Change } from "./history.ts";
import type { Entry } from "./line.ts";
import { type Identified, makeRow, type Row, Table } from "./rows.ts";
import type { ReadContext, StoredKind } from "./stored-kind.ts";

interface KindTable {
  readonly kind: StoredKind;
  readonly table: Table;
}

/** A table for each kind. `load` and `replay` throw Invalid for what this version does not know. */
export class Tables implements ReadContext {
  readonly kinds: readonly StoredKind[];
  /** For the resources of a document without times. */
  readonly now: string = new Date().toISOString();
  readonly #tables: ReadonlyMap<string, KindTable>;

  /** Makes an empty table for each kind; a singleton's table has its one row. */
  constructor(kinds: readonly StoredKind[]) {
    this.kinds = kinds;
    this.#tables = new Map(kinds.map((kind) => [kind.name, { kind, table: new Table() }]));
    for (const { kind, table } of this.#tables.values()) {
      if (kind.singleton !== undefined) table.put(makeRow(0, kind.singleton));
    }
  }

  /** Throws Error for a kind that the store does not hold. */
  of<T extends Identified, K>({ name }: StoredKind<T, K>): Table<T, K> {
    const table = this.#tables.get(name)?.table;
    if (table === undefined) throw new Error(`the store has no kind ${name}`);
    // Only this kind makes rows of the table: its `read`, and writes of this kind.
    return table as Table<Identified, unknown> as Table<T, K>;
  }

  /** The number of all rows. */
  get length(): number {
    return this.kinds.reduce((sum, kind) => sum + this.of(kind).length, 0);
  }

  get<T extends Identified, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined {
    return this.of(kind).get(id);
  }

  /**
   * Adds a resource that was read at place `seq`, which must be above that of the last one of its
   * kind. Without a `seq` it takes the next place. `kept`: unless its members are among `data`.
   */
  load(kindName: string, seq: number | undefined, data: unknown, kept?: unknown): void {
    const { kind, table } = this.#named(kindName);
    const content = kind.read(withKept(data, kept), this);
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
   * Applies a change that was read. `bytes`: the length of its line. A person may delete the line
   * before, so an update of a missing resource creates it, and a create of an existing one updates
   * it.
   */
  replay({ seq, event, data, kept }: Entry, bytes: number): Change {
    const [kindName = "", action] = event.split(".");
    const { kind, table } = this.#named(kindName);
    if (action === "deleted") {
      const id = deletedId(data);
      const deleted = table.get(id);
      table.apply(seq, id, undefined);
      return { seq, kind, action, id, row: undefined, deleted, bytes };
    }
    if (action !== "created" && action !== "updated") {
      throw Invalid.at([], `expected created, updated or deleted, got ${event}`);
    }
    const content = kind.read(withKept(data, kept), this);
    const { id } = content.value;
    // A singleton has seq 0 until its first change.
    const row = makeRow(table.get(id)?.seq || seq, content);
    table.apply(seq, id, row);
    return { seq, kind, action, id, row, deleted: undefined, bytes };
  }

  #named(name: string): KindTable {
    const found = this.#tables.get(name);
    if (found !== undefined) return found;
    const names = this.kinds.map((kind) => kind.name);
    throw Invalid.at([], `no kind has the name "${name}"${didYouMean(name, names)}`);
  }
}

/** Adds the members of `kept` to `data`, which was parsed for this line alone. */
function withKept(data: unknown, kept: unknown): unknown {
  return isObject(data) && isObject(kept) ? Object.assign(data, kept) : data;
}

function deletedId(data: unknown): string {
  const id = isObject(data) ? data["id"] : undefined;
  if (typeof id === "string") return id;
  const expected = "a string, the id of the deleted resource";
  throw Invalid.at(["id"], `expected ${expected}, got ${inWords(id)}`);
}
