/**
 * Rows in the order of their seq, in blocks, and views: the rows as they are at one moment. A view
 * is taken at no cost, and holds the blocks as they are; what is written later goes into copies of
 * the block that it falls in and of the list of blocks. So whoever reads one moment shares it, and
 * readers of many moments share nearly all.
 */

export interface Row {
  readonly seq: number;
}

/** Text by which rows mostly rise as their seq does, such as a time: ranges of it are found. */
export type SortKey<T> = (row: T) => string;

/** The first position whose row's seq is not below `seq`. */
export function position(rows: readonly Row[], seq: number): number {
  return firstIndex(rows, (row) => row.seq >= seq);
}

/** The first position whose item passes, where none passes before one that does not. */
function firstIndex<T>(items: readonly T[], passes: (item: T) => boolean): number {
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

/** The first rows, so many at most. */
export function take<T>(rows: Iterable<T>, most: number): T[] {
  const taken: T[] = [];
  for (const row of rows) if (taken.push(row) >= most) break;
  return taken;
}

/** Copying one takes a microsecond, and so does copying the list of them at a million rows. */
const blockLength = 1_024;

/** Never empty, but while it is made. */
class Block<T extends Row> {
  readonly rows: T[];
  /** The views taken before it was made cannot hold it. */
  readonly age: number;
  /** No row's sort key is below the one or above the other. */
  #lowKey = "";
  #highKey = "";

  /** `whole`: what the rows are some of, or all. */
  constructor(rows: T[], age: number, whole?: Block<T>) {
    this.rows = rows;
    this.age = age;
    if (whole === undefined) return;
    this.#lowKey = whole.#lowKey;
    this.#highKey = whole.#highKey;
  }

  get lastSeq(): number {
    return this.rows.at(-1)?.seq ?? 0;
  }

  /** Whether it is one row more. */
  put(row: T, key: string | undefined): boolean {
    const { rows } = this;
    const index = row.seq > this.lastSeq ? rows.length : position(rows, row.seq);
    const isNew = rows[index]?.seq !== row.seq;
    if (index === rows.length) rows.push(row);
    else if (isNew) rows.splice(index, 0, row);
    else rows[index] = row;
    if (key === undefined) return isNew;
    if (this.#lowKey === "" || key < this.#lowKey) this.#lowKey = key;
    if (key > this.#highKey) this.#highKey = key;
    return isNew;
  }

  /** Those whose key is at least `from` and below `to`; the block itself where that is all. */
  between(from: string, to: string, keyOf: SortKey<T>): Block<T> | undefined {
    if (this.#highKey < from || this.#lowKey >= to) return undefined;
    if (this.#lowKey >= from && this.#highKey < to) return this;
    const rows = this.rows.filter((row) => {
      const key = keyOf(row);
      return key >= from && key < to;
    });
    return rows.length === 0 ? undefined : new Block(rows, this.age, this);
  }
}

/** Rows of one moment: changes from now on do not show in them. */
export class View<T extends Row> implements Iterable<T> {
  readonly length: number;
  readonly #blocks: readonly Block<T>[];
  readonly #keyOf: SortKey<T> | undefined;

  constructor(blocks: readonly Block<T>[], length: number, keyOf: SortKey<T> | undefined) {
    this.#blocks = blocks;
    this.length = length;
    this.#keyOf = keyOf;
  }

  /** `rows`: in the order of their seq, and not to be changed. */
  static of<T extends Row>(rows: readonly T[], keyOf?: SortKey<T>): View<T> {
    const block = new Block<T>([], 0);
    for (const row of rows) block.put(row, keyOf?.(row));
    return new View(rows.length === 0 ? [] : [block], rows.length, keyOf);
  }

  /** Those whose seq is above this one, oldest first. */
  *after(seq: number): Generator<T, void> {
    const start = firstIndex(this.#blocks, ({ lastSeq }) => lastSeq > seq);
    for (let at = start; at < this.#blocks.length; at += 1) {
      const rows = this.#blocks[at]?.rows ?? [];
      const first = at === start ? position(rows, seq + 1) : 0;
      for (let index = first; index < rows.length; index += 1) yield rows[index] as T;
    }
  }

  /** Those whose seq is below this one, newest first. */
  *before(seq: number): Generator<T, void> {
    const start = firstIndex(this.#blocks, ({ lastSeq }) => lastSeq >= seq);
    for (let at = Math.min(start, this.#blocks.length - 1); at >= 0; at -= 1) {
      const rows = this.#blocks[at]?.rows ?? [];
      const end = at === start ? position(rows, seq) : rows.length;
      for (let index = end - 1; index >= 0; index -= 1) yield rows[index] as T;
    }
  }

  [Symbol.iterator](): Generator<T, void> {
    return this.after(-1);
  }

  /**
   * Those whose sort key is at least `from` and below `to`. Looks into those blocks alone that lie
   * across a bound: one row whose key is far from its neighbours' costs the reading of one block.
   */
  between(from: string, to: string): View<T> {
    const keyOf = this.#keyOf;
    if (keyOf === undefined) return this;
    const blocks = this.#blocks.flatMap((block) => block.between(from, to, keyOf) ?? []);
    return new View(blocks, blocks.reduce((sum, { rows }) => sum + rows.length, 0), keyOf);
  }
}

/** Rows that are put in and taken out anywhere. */
export class SortedRows<T extends Row> implements Iterable<T> {
  readonly #keyOf: SortKey<T> | undefined;
  #blocks: Block<T>[] = [];
  #length = 0;
  /** Raised by the first change after a view: blocks of a lower age may be in one. */
  #age = 0;
  /** The rows as they are; undefined once they have changed. */
  #view: View<T> | undefined;

  constructor(keyOf?: SortKey<T>) {
    this.#keyOf = keyOf;
  }

  get length(): number {
    return this.#length;
  }

  /** Of the last row; 0 where there is none. */
  get lastSeq(): number {
    return this.#blocks.at(-1)?.lastSeq ?? 0;
  }

  /** The rows as they are now. */
  view(): View<T> {
    this.#view ??= new View(this.#blocks, this.#length, this.#keyOf);
    return this.#view;
  }

  [Symbol.iterator](): Iterator<T, void> {
    return this.view()[Symbol.iterator]();
  }

  /** Puts the row in, or in the place of the one with its seq. `key`: its sort key. */
  put(row: T, key: string | undefined = this.#keyOf?.(row)): void {
    const at = this.#placeOf(row.seq);
    const block = this.#change(at);
    if (!block.put(row, key)) return;
    this.#length += 1;
    if (block.rows.length <= blockLength) return;
    const later = new Block(block.rows.splice(blockLength / 2), this.#age, block);
    this.#blocks.splice(at + 1, 0, later);
  }

  /** Nothing where there is none. */
  remove(seq: number): void {
    const at = this.#placeOf(seq);
    const found = this.#blocks[at]?.rows;
    if (found === undefined) return;
    const index = position(found, seq);
    if (found[index]?.seq !== seq) return;
    const { rows } = this.#change(at);
    rows.splice(index, 1);
    this.#length -= 1;
    if (rows.length === 0) this.#blocks.splice(at, 1);
  }

  /** The block that a row of this seq is or would be in; one more than there are, for a new one. */
  #placeOf(seq: number): number {
    const last = this.#blocks.length - 1;
    const newest = this.#blocks[last];
    if (newest === undefined) return 0;
    // Most rows are newer than all. Those before them are not left in blocks that are half empty.
    if (seq > newest.lastSeq) return newest.rows.length < blockLength ? last : last + 1;
    return firstIndex(this.#blocks, ({ lastSeq }) => lastSeq >= seq);
  }

  /** The block as one that no view holds; a new one where there is none. */
  #change(at: number): Block<T> {
    if (this.#view !== undefined) {
      this.#view = undefined;
      this.#age += 1;
      this.#blocks = this.#blocks.slice();
    }
    const block = this.#blocks[at];
    if (block?.age === this.#age) return block;
    const own = new Block(block?.rows.slice() ?? [], this.#age, block);
    this.#blocks[at] = own;
    return own;
  }
}
