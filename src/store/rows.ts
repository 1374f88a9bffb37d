/**
 * The resources of one kind in memory, by id and in the order of their creation.
 *
 * Rows are stored in blocks of up to 512. `rows()` returns an immutable view: a copy of the list of
 * blocks. A later write copies the one block that it changes, so views share nearly all memory.
 */

/** Every resource has an id. */
export interface Identified {
  readonly id: string;
}

/** A resource without its place in the list. */
export interface Content<T extends Identified = Identified, K = unknown> {
  /** The resource in the API. */
  readonly value: T;
  /** Stored, but not part of the resource: who placed an order, the names of its items. */
  readonly kept: K;
}

/**
 * A stored resource, immutable but for `json` and `tag`. An update makes a new row with the same
 * `seq`.
 */
export interface Row<T extends Identified = Identified, K = unknown> extends Content<T, K> {
  /** The seq of the change that created it. Lists are in this order; it never changes. */
  readonly seq: number;
  /** Its JSON, noted when it is written or first sent by itself, not in a list. */
  json?: string | undefined;
  /** The entity tag of that JSON. */
  tag?: string | undefined;
}

/** Makes a row of the content and its place. */
export function makeRow<T extends Identified, K>(seq: number, content: Content<T, K>): Row<T, K> {
  return { seq, value: content.value, kept: content.kept, json: undefined, tag: undefined };
}

/** At this length, copying a block is cheap, and so is copying the list of blocks. */
const blockLength = 512;

/** Never empty. */
interface Block<R> {
  readonly rows: R[];
  /** The table's age when the block was made. Views made at that age or before don't hold it. */
  readonly age: number;
}

/** An immutable view of a table's rows, oldest first. */
export class Rows<R extends { readonly seq: number } = Row> implements Iterable<R> {
  readonly length: number;
  readonly #blocks: readonly Block<R>[];

  constructor(blocks: readonly Block<R>[], length: number) {
    this.#blocks = blocks;
    this.length = length;
  }

  [Symbol.iterator](): Generator<R, void> {
    return this.rowsAfter(-1);
  }

  /** All rows, a block at a time: the fastest way to read many. */
  *blocks(newestFirst = false): Generator<readonly R[], void> {
    if (!newestFirst) for (const { rows } of this.#blocks) yield rows;
    else for (const { rows } of this.#blocks.toReversed()) yield rows.toReversed();
  }

  /** The rows with a higher seq, oldest first. */
  *rowsAfter(seq: number): Generator<R, void> {
    const start = firstIndex(this.#blocks, ({ rows }) => lastSeqOf(rows) > seq);
    for (const { rows } of this.#blocks.slice(start)) {
      for (const row of rows) if (row.seq > seq) yield row;
    }
  }

  /** The rows with a lower seq, newest first. */
  *rowsBefore(seq: number): Generator<R, void> {
    const end = firstIndex(this.#blocks, ({ rows }) => lastSeqOf(rows) >= seq);
    for (const { rows } of this.#blocks.slice(0, end + 1).reverse()) {
      for (const row of rows.toReversed()) if (row.seq < seq) yield row;
    }
  }
}

/** The current rows of a kind, by id and in order. */
export class Table<T extends Identified = Identified, K = unknown> {
  /** The seq of the change that last changed the table. No two states have the same version. */
  version = 0;
  readonly #byId = new Map<string, Row<T, K>>();
  readonly #blocks: Block<Row<T, K>>[] = [];
  /** The number of views made. A block of the current age is in no view and may be changed. */
  #age = 0;
  /** The view of the current rows, if one was made. */
  #view: Rows<Row<T, K>> | undefined;

  get length(): number {
    return this.#byId.size;
  }

  /** The seq of the newest row; 0 if there is none. */
  get lastSeq(): number {
    return lastSeqOf(this.#blocks.at(-1)?.rows ?? []);
  }

  get(id: string): Row<T, K> | undefined {
    return this.#byId.get(id);
  }

  /** A view of the current rows. */
  rows(): Rows<Row<T, K>> {
    if (this.#view === undefined) {
      this.#view = new Rows([...this.#blocks], this.length);
      this.#age += 1;
    }
    return this.#view;
  }

  /** Applies change `seq`: stores the row, or deletes the resource if `row` is undefined. */
  apply(seq: number, id: string, row: Row<T, K> | undefined): void {
    if (row === undefined) this.delete(id);
    else this.put(row);
    this.version = seq;
  }

  /** Replaces the row with its id if that has the same seq; any other row must be the newest. */
  put(row: Row<T, K>): void {
    const { id } = row.value;
    const before = this.#byId.get(id);
    if (before?.seq === row.seq) {
      const rows = this.#ownRows(this.#blockOf(row.seq));
      rows[indexOf(rows, row.seq)] = row;
    } else {
      if (before !== undefined) this.delete(id);
      if ((this.#blocks.at(-1)?.rows.length ?? blockLength) < blockLength) {
        this.#ownRows(this.#blocks.length - 1).push(row);
      } else this.#blocks.push({ rows: [row], age: this.#age });
    }
    this.#byId.set(id, row);
    this.#view = undefined;
  }

  delete(id: string): void {
    const row = this.#byId.get(id);
    if (row === undefined) return;
    this.#byId.delete(id);
    this.#view = undefined;
    const at = this.#blockOf(row.seq);
    const rows = this.#ownRows(at);
    rows.splice(indexOf(rows, row.seq), 1);
    if (rows.length === 0) this.#blocks.splice(at, 1);
  }

  /** The position of the block that the row with this seq is in. */
  #blockOf(seq: number): number {
    return firstIndex(this.#blocks, ({ rows }) => lastSeqOf(rows) >= seq);
  }

  /** The rows of a block for writing: a copy if a view holds the block. */
  #ownRows(at: number): Row<T, K>[] {
    // The caller has found the block.
    const block = this.#blocks[at] as Block<Row<T, K>>;
    if (block.age === this.#age) return block.rows;
    const rows = [...block.rows];
    this.#blocks[at] = { rows, age: this.#age };
    return rows;
  }
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

/** The index of the row with this seq. */
function indexOf(rows: readonly Row[], seq: number): number {
  return firstIndex(rows, (row) => row.seq >= seq);
}

function lastSeqOf(rows: readonly { readonly seq: number }[]): number {
  return rows.at(-1)?.seq ?? 0;
}
