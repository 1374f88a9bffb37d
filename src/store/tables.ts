/** The tables of all kinds, and snapshots of all of them. */

import type { Lookup, StoredKind } from "./stored-kind.ts";
import { type Identified, makeRow, type Row, type Rows, Table } from "./rows.ts";

/** All durable rows at one moment: the resources of a file. */
export interface Snapshot {
  /** It includes every change up to this one. */
  readonly seq: number;
  readonly lists: readonly { readonly kind: StoredKind; readonly rows: Rows }[];
}

export interface KindTable {
  readonly kind: StoredKind;
  readonly table: Table;
}

/** A table for each kind. */
export class Tables implements Lookup {
  readonly kinds: readonly StoredKind[];
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
    const table = this.named(name)?.table;
    if (table === undefined) throw new Error(`the store has no kind ${name}`);
    // Only this kind makes rows of the table: its `read`, and writes of this kind.
    return table as Table<Identified, unknown> as Table<T, K>;
  }

  /** Finds a kind and its table by the name in an event or a document. */
  named(name: string): KindTable | undefined {
    return this.#tables.get(name);
  }

  get<T extends Identified, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined {
    return this.of(kind).get(id);
  }

  /** A snapshot of all tables. `seq`: the last change in them. */
  snapshot(seq: number): Snapshot {
    return {
      seq,
      lists: this.kinds.map((kind) => ({ kind, rows: this.of(kind).rows() })),
    };
  }
}
