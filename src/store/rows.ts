/**
 * The resources in memory: what a kind is, a row for each resource, and the table of a kind, by id
 * and in the order of creation.
 */

/** A kind that the store holds. T: the resource in the API. K: what is stored and not shown. */
export interface StoredKind<T = unknown, K = unknown> {
  /** The beginning of its events: "toppings". */
  readonly name: string;
  /** True for a kind that clients never see: its changes are lines of the file, and no events. */
  readonly isHidden?: boolean;
  /** The id of a resource, unique within its kind. */
  idOf(value: T): string;
  /** Checks the `data` and `kept` of a line. Throws Invalid with every fault. */
  read(data: unknown, kept: unknown): Content<T, K>;
}

/** Finds resources. */
export interface Lookup {
  get<T, K>(kind: StoredKind<T, K>, id: string): Row<T, K> | undefined;
}

/** A resource without its place in the list. */
export interface Content<T = unknown, K = unknown> {
  /** The resource in the API. */
  readonly value: T;
  /** Stored, and not part of the resource: who placed an order. */
  readonly kept: K;
}

/**
 * A stored resource, immutable but for `json` and `tag`. An update makes a new row with the same
 * `seq`.
 */
export interface Row<T = unknown, K = unknown> extends Content<T, K> {
  readonly id: string;
  /** The seq of the change that created it. Lists are in this order; it never changes. */
  readonly seq: number;
  /** Its JSON, noted when it is written or first sent by itself, not in a list. */
  json?: string | undefined;
  /** The entity tag of that JSON. */
  tag?: string | undefined;
}

/** Makes a row of the content and its place. */
export function makeRow<T, K>(id: string, seq: number, { value, kept }: Content<T, K>): Row<T, K> {
  return { id, seq, value, kept, json: undefined, tag: undefined };
}

/** The JSON of a resource: the `data` of its line and of its event, and the body of a response. */
export function jsonOf(row: Row): string {
  return row.json ?? JSON.stringify(row.value);
}

/** The current rows of a kind. */
export class Table<T = unknown, K = unknown> {
  /** The seq of the change that last changed the table. No two states have the same version. */
  version = 0;
  readonly #byId = new Map<string, Row<T, K>>();
  /** By seq. */
  readonly #rows: Row<T, K>[] = [];
  /** The present rows, until the next write. */
  #copy: readonly Row<T, K>[] | undefined;

  /** All rows, oldest first. The next write changes the array. */
  get rows(): readonly Row<T, K>[] {
    return this.#rows;
  }

  /** All rows, oldest first, in an array that no write changes. It is shared until the next one. */
  copyOfRows(): readonly Row<T, K>[] {
    this.#copy ??= [...this.#rows];
    return this.#copy;
  }

  /** The seq of the newest row; 0 if there is none. */
  get lastSeq(): number {
    return this.#rows.at(-1)?.seq ?? 0;
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
    if (before?.seq === row.seq) this.#rows[this.#indexOf(row.seq)] = row;
    else {
      this.delete(row.id);
      this.#rows.push(row);
    }
    this.#byId.set(row.id, row);
    this.#copy = undefined;
  }

  delete(id: string): void {
    const row = this.#byId.get(id);
    if (row === undefined) return;
    this.#byId.delete(id);
    this.#copy = undefined;
    this.#rows.splice(this.#indexOf(row.seq), 1);
  }

  #indexOf(seq: number): number {
    return firstIndex(this.#rows, (row) => row.seq >= seq);
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
