/**
 * The resources of one kind in memory: typed values, found by id, in the order of their creation.
 *
 * They stand in blocks of some hundred rows. A moment is the list of blocks as it is: a write
 * copies the block it changes and the list, so that readers of many moments share nearly all.
 */

/** What every resource has. */
export interface Identified {
  readonly id: string;
}

/** What is stored of a resource, apart from its place. */
export interface Content<T extends Identified = Identified, K = unknown> {
  /** What the API answers. */
  readonly value: T;
  /** For the store alone: who placed an order, the names of what was ordered. */
  readonly kept: K;
}

/** A stored resource. Only `tag` ever changes: an update makes a new row with the same `seq`. */
export interface Row<T extends Identified = Identified, K = unknown> extends Content<T, K> {
  /** The number of the record that created it: the order of lists, good forever. */
  readonly seq: number;
  /** The entity tag of the value as JSON, made when first needed. */
  tag?: string | undefined;
}

/** A row with this place. */
export function makeRow<T extends Identified, K>(seq: number, content: Content<T, K>): Row<T, K> {
  return { seq, value: content.value, kept: content.kept, tag: undefined };
}

/** A row, or one whose value goes without its id. */
type KeptRow = Pick<Row, "seq" | "kept"> & { readonly value: object };

/** The JSON of a row as the store keeps it: the value, its place, and what is kept beside it. */
export function rowText({ value, seq, kept }: KeptRow): string {
  return JSON.stringify({ ...value, seq, ...(kept as object | undefined) });
}

/** Copying one takes less than a microsecond, and so does copying the list at a million rows. */
const blockLength = 512;

/** Never empty. */
interface Block<R> {
  readonly rows: R[];
  /** The number of the moment it was made after: older moments cannot hold it. */
  readonly age: number;
}

/** The rows of one moment, oldest first: later changes do not show in them. */
export class Rows<R extends { readonly seq: number } = Row> implements Iterable<R> {
  readonly length: number;
  readonly #blocks: readonly Block<R>[];

  constructor(blocks: readonly Block<R>[], length: number) {
    this.#blocks = blocks;
    this.length = length;
  }

  [Symbol.iterator](): Generator<R, void> {
    return this.after(-1);
  }

  /** All rows, some hundred at a time: the fastest way to read many. */
  *blocks(): Generator<readonly R[], void> {
    for (const { rows } of this.#blocks) yield rows;
  }

  /** Those whose seq is above this one, oldest first. */
  *after(seq: number): Generator<R, void> {
    const start = firstIndex(this.#blocks, ({ rows }) => lastSeqOf(rows) > seq);
    for (let at = start; at < this.#blocks.length; at += 1) {
      const rows = this.#blocks[at]?.rows ?? [];
      const first = at === start ? firstIndex(rows, (row) => row.seq > seq) : 0;
      for (let index = first; index < rows.length; index += 1) yield rows[index] as R;
    }
  }

  /** Those whose seq is below this one, newest first. */
  *before(seq: number): Generator<R, void> {
    const end = firstIndex(this.#blocks, ({ rows }) => lastSeqOf(rows) >= seq);
    for (let at = Math.min(end, this.#blocks.length - 1); at >= 0; at -= 1) {
      const rows = this.#blocks[at]?.rows ?? [];
      const last = at === end ? firstIndex(rows, (row) => row.seq >= seq) : rows.length;
      for (let index = last - 1; index >= 0; index -= 1) yield rows[index] as R;
    }
  }
}

/** The rows of a kind as they are now, by id and in order. */
export class Table<T extends Identified = Identified, K = unknown> {
  /** The number of the record that last changed the table: no two states have the same one. */
  version = 0;
  readonly #byId = new Map<string, Row<T, K>>();
  #blocks: Block<Row<T, K>>[] = [];
  /** How many moments were taken; the blocks made since may be changed in place. */
  #age = 0;
  #moment: Rows<Row<T, K>> | undefined;

  get length(): number {
    return this.#byId.size;
  }

  /** The seq of the newest row; 0 without rows. */
  get lastSeq(): number {
    return lastSeqOf(this.#blocks.at(-1)?.rows ?? []);
  }

  get(id: string): Row<T, K> | undefined {
    return this.#byId.get(id);
  }

  /** The rows as they are now. */
  rows(): Rows<Row<T, K>> {
    if (this.#moment === undefined) {
      this.#moment = new Rows([...this.#blocks], this.length);
      this.#age += 1;
    }
    return this.#moment;
  }

  /** Applies record `seq`: the row a resource now is, or undefined once it is removed. */
  apply(seq: number, id: string, row: Row<T, K> | undefined): void {
    if (row === undefined) this.delete(id);
    else this.put(row);
    this.version = seq;
  }

  put(row: Row<T, K>): void {
    const { id } = row.value;
    const before = this.#byId.get(id);
    if (before !== undefined && before.seq !== row.seq) this.delete(id);
    this.#byId.set(id, row);
    this.#moment = undefined;
    const at = this.#blockOf(row.seq);
    const rows = this.#ownRows(at);
    const index = firstIndex(rows, ({ seq }) => seq >= row.seq);
    rows.splice(index, rows[index]?.seq === row.seq ? 1 : 0, row);
    if (rows.length <= blockLength) return;
    // A full block is closed where it was appended to, else halved.
    const rest = rows.splice(index === blockLength ? blockLength : blockLength / 2);
    this.#blocks.splice(at + 1, 0, { rows: rest, age: this.#age });
  }

  delete(id: string): void {
    const row = this.#byId.get(id);
    if (row === undefined) return;
    this.#byId.delete(id);
    this.#moment = undefined;
    const at = this.#blockOf(row.seq);
    const rows = this.#ownRows(at);
    rows.splice(firstIndex(rows, ({ seq }) => seq >= row.seq), 1);
    if (rows.length === 0) this.#blocks.splice(at, 1);
  }

  /** The position of the block that a row with this seq is in, or belongs in. */
  #blockOf(seq: number): number {
    if (seq > this.lastSeq) return Math.max(0, this.#blocks.length - 1);
    const at = firstIndex(this.#blocks, ({ rows }) => lastSeqOf(rows) >= seq);
    return Math.max(0, Math.min(at, this.#blocks.length - 1));
  }

  /** The rows of a block, which no moment holds. */
  #ownRows(at: number): Row<T, K>[] {
    const block = this.#blocks[at];
    if (block?.age === this.#age) return block.rows;
    const rows = block === undefined ? [] : [...block.rows];
    this.#blocks[at] = { rows, age: this.#age };
    return rows;
  }
}

/** The first position whose item passes, where none passes before one that does not. */
export function firstIndex<T>(items: readonly T[], passes: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // Between the bounds there is an item.
    if (passes(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function lastSeqOf(rows: readonly { readonly seq: number }[]): number {
  return rows.at(-1)?.seq ?? 0;
}
