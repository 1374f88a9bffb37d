/** The tables of all kinds, and the moment that a document is made of. */

import type { Lookup, StoredKind } from "./kind.ts";
import { type Identified, makeRow, type Row, type Rows, Table } from "./rows.ts";

/** All that was durable at one moment. */
export interface Moment {
  /** Every record up to this one is in it. */
  readonly seq: number;
  /** The last of them that changed anything. */
  readonly lastChange: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly takenAt: string;
  readonly lists: readonly { readonly kind: StoredKind; readonly rows: Rows }[];
}

/** A table for each kind. */
export class Tables implements Lookup {
  readonly #tables: ReadonlyMap<string, { readonly kind: StoredKind; readonly table: Table }>;

  /** Each kind's table is empty, but for a singleton. */
  constructor(kinds: readonly StoredKind[]) {
    this.#tables = new Map(kinds.map((kind) => [kind.name, { kind, table: new Table() }]));
    for (const { kind, table } of this.#tables.values()) {
      if (kind.singleton !== undefined) table.put(makeRow(0, kind.singleton));
    }
  }

  /** Throws Error for a kind that the store does not hold. */
  of<T extends Identified, K>({ name }: StoredKind<T, K>): Table<T, K> {
    const table = this.named(name)?.table;
    if (table === undefined) throw new Error(`the store has no kind ${name}`);
    // The rows of a table are made by its kind alone: by `read`, and by writes of that kind.
    return table as Table<Identified, unknown> as Table<T, K>;
  }

  /** A kind by its name in a document or a record. */
  named(name: string): { readonly kind: StoredKind; readonly table: Table } | undefined {
    return this.#tables.get(name);
  }

  get<T extends Identified, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined {
    return this.of(kind).get(id);
  }

  get kinds(): StoredKind[] {
    return Array.from(this.#tables.values(), ({ kind }) => kind);
  }

  /** Whether nothing was ever written. */
  get isEmpty(): boolean {
    return this.kinds.every((kind) => this.of(kind).lastSeq === 0);
  }

  /** The number of the last record that changed a table. */
  get lastChange(): number {
    return Math.max(0, ...this.kinds.map((kind) => this.of(kind).version));
  }

  setVersion(seq: number): void {
    for (const kind of this.kinds) this.of(kind).version = seq;
  }

  /** All that is in the tables now. `seq`: of the last record in them. */
  moment(seq: number): Moment {
    return {
      seq,
      lastChange: this.lastChange,
      takenAt: new Date().toISOString(),
      lists: this.kinds.map((kind) => ({ kind, rows: this.of(kind).rows() })),
    };
  }
}
