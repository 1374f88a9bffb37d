/**
 * The resources of one kind in memory, by id and in the order of their creation.
 *
 * An entry is the line of text that its snapshot holds, and stays that: it costs little more memory
 * than on disk, a snapshot is the lines as they are, and an answer is a slice of one.
 *
 *     {"id":"K7QX3M", …as the API answers it…,"seq":12, …what only the store keeps…}
 *     └──────────────── body ────────────────┘         └────────── kept ──────────┘
 *
 * seq is the number of the record that created the resource: the order of lists, good forever. It
 * is 0 in a standing resource that nobody has changed.
 */

import type { Moment, StandingIds } from "./document.ts";
import { type SortKey, SortedRows, View } from "./sorted-rows.ts";

const idPrefix = '{"id":"';
// No string in the JSON can hold this: its quotes would be escaped.
const boundary = ',"seq":';

/** One stored resource. Only `tag` changes: an update makes a new entry with the same `seq`. */
export class Entry {
  readonly id: string;
  readonly seq: number;
  /** The snapshot line. */
  readonly text: string;
  /** Where in `text` the body ends. */
  readonly #bodyEnd: number;
  /** A place for what a reader derives from the body and wants to keep: its entity tag. */
  tag: string | undefined = undefined;

  constructor(id: string, seq: number, text: string, bodyEnd: number) {
    this.id = id;
    this.seq = seq;
    this.text = text;
    this.#bodyEnd = bodyEnd;
  }

  /** The resource as JSON text. */
  get body(): string {
    return `${this.text.slice(0, this.#bodyEnd)}}`;
  }

  /** What only the store keeps, as drafted: JSON members without braces, `"placedBy":"anna"`. */
  get kept(): string {
    const start = this.#bodyEnd + boundary.length + `${this.seq}`.length;
    return this.text.slice(start + 1, -1);
  }
}

let parsed: { readonly entry: Entry; readonly body: unknown } | undefined;

/** The resource, which is not to be changed. Parsed once, though a write asks several times. */
export function parsedBody(entry: Entry): unknown {
  if (parsed?.entry !== entry) parsed = { entry, body: JSON.parse(entry.body) };
  return parsed.body;
}

/** `kept`: further members as JSON text, `"placedBy":"anna"`, or "". */
export function makeEntry(id: string, seq: number, body: string, kept: string): Entry {
  const end = body.length - 1;
  const text = `${body.slice(0, end)},"seq":${seq}${kept === "" ? "" : ","}${kept}}`;
  return new Entry(id, seq, text, end);
}

/** A snapshot line or a record's data back to an entry; undefined when it is neither. */
export function parseEntry(text: string): Entry | undefined {
  const idEnd = text.indexOf('"', idPrefix.length);
  const bodyEnd = text.indexOf(boundary, idEnd);
  const seq = Number.parseInt(text.slice(bodyEnd + boundary.length, bodyEnd + 24), 10);
  if (!text.startsWith(idPrefix) || bodyEnd === -1 || !(seq >= 0) || !text.endsWith("}")) {
    return undefined;
  }
  return new Entry(text.slice(idPrefix.length, idEnd), seq, text, bodyEnd);
}

/** The key an index files an entry under; undefined leaves it out. */
type IndexKey = (entry: Entry) => string | undefined;

/** The resource of a kind that always has exactly one: it is never created and never removed. */
export interface Standing {
  readonly id: string;
  /** What it is until it is first changed: JSON text, which begins with the id. */
  readonly body: string;
  /**
   * What it becomes when a resource of another kind is removed, in the same write; undefined: what
   * it was. Pure, because a replay asks it too: then a crash between the two records of that write
   * leaves what both of them would.
   */
  afterRemoval(stored: Entry, kind: string, id: string): string | undefined;
}

/** How rows are found, beside by id and by their order. */
export interface TableOptions {
  readonly standing?: Standing;
  readonly indexes?: Readonly<Record<string, IndexKey>>;
  /** By which ranges of rows are found: `View.between`. */
  readonly sortKey?: SortKey<Entry>;
}

/** The resources of one kind. */
export class Table {
  /** Oldest first. */
  readonly rows: SortedRows<Entry>;
  /** Sum of the lengths of all lines, in UTF-16 units: near enough to bytes on disk. */
  size = 0;
  /**
   * No two states of the table have the same version: it is the number of the
   * record that changed it last or, after a start, that of a later one.
   */
  version = 0;
  readonly standing: Standing | undefined;
  readonly #byId = new Map<string, Entry>();
  readonly #indexes: ReadonlyMap<string, Index>;
  readonly #sortKey: SortKey<Entry> | undefined;

  constructor({ indexes = {}, sortKey, standing }: TableOptions = {}) {
    this.rows = new SortedRows(sortKey);
    this.#sortKey = sortKey;
    this.standing = standing;
    this.#indexes = new Map(
      Object.entries(indexes).map(([name, keyOf]) => [name, { keyOf, rows: new Map() }]),
    );
    if (standing !== undefined) this.put(makeEntry(standing.id, 0, standing.body, ""));
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  /** The rows that an index has under a key, as they are now. */
  indexed(name: string, key: string): View<Entry> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`the table has no index ${name}`);
    return index.rows.get(key)?.view() ?? View.of<Entry>([]);
  }

  /** What record `seq` says of a resource: what it is now, or undefined, that it is no more. */
  apply(seq: number, id: string, entry: Entry | undefined): void {
    if (entry === undefined) this.delete(id);
    else this.put(entry);
    this.version = seq;
  }

  put(entry: Entry): void {
    let before = this.#byId.get(entry.id);
    if (before !== undefined && before.seq !== entry.seq) {
      this.delete(entry.id);
      before = undefined;
    }
    this.#byId.set(entry.id, entry);
    this.size += entry.text.length - (before?.text.length ?? 0);
    const sortKey = this.#sortKey?.(entry);
    this.rows.put(entry, sortKey);
    for (const index of this.#indexes.values()) this.#reindex(index, before, entry, sortKey);
  }

  delete(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    this.size -= entry.text.length;
    this.rows.remove(entry.seq);
    for (const index of this.#indexes.values()) this.#reindex(index, entry, undefined);
  }

  /** Both have the same seq, where there are two. */
  #reindex(
    { keyOf, rows }: Index,
    before: Entry | undefined,
    after: Entry | undefined,
    sortKey?: string,
  ): void {
    const oldKey = before && keyOf(before);
    const newKey = after && keyOf(after);
    const oldRows = oldKey === undefined || oldKey === newKey ? undefined : rows.get(oldKey);
    if (before !== undefined && oldKey !== undefined && oldRows !== undefined) {
      oldRows.remove(before.seq);
      if (oldRows.length === 0) rows.delete(oldKey);
    }
    if (after === undefined || newKey === undefined) return;
    let newRows = rows.get(newKey);
    if (newRows === undefined) rows.set(newKey, (newRows = new SortedRows(this.#sortKey)));
    newRows.put(after, sortKey);
  }
}

interface Index {
  readonly keyOf: IndexKey;
  readonly rows: Map<string, SortedRows<Entry>>;
}

/** What standing resources become when this one is removed, those of them that change. */
export function afterRemoval(
  tables: ReadonlyMap<string, Table>,
  stored: (kind: string, id: string) => Entry | undefined,
  { kind, id }: { readonly kind: string; readonly id: string },
): readonly { readonly kind: string; readonly before: Entry; readonly body: string }[] {
  return [...tables].flatMap(([name, { standing }]) => {
    const before = standing && stored(name, standing.id);
    const body = before && standing.afterRemoval(before, kind, id);
    return before === undefined || body === undefined ? [] : [{ kind: name, before, body }];
  });
}

/** Applies that; whether there is anything. */
export function applyRemoval(
  tables: ReadonlyMap<string, Table>,
  removal: { readonly seq: number; readonly kind: string; readonly id: string },
): boolean {
  const stored = (kind: string, id: string): Entry | undefined => tables.get(kind)?.get(id);
  const consequences = afterRemoval(tables, stored, removal);
  for (const { kind, before: { id, seq, kept }, body } of consequences) {
    tables.get(kind)?.apply(removal.seq, id, makeEntry(id, seq, body, kept));
  }
  return consequences.length > 0;
}

/** The ids of the standing resources, by kind. */
export function standingIds(tables: ReadonlyMap<string, Table>): StandingIds {
  const entries = [...tables].flatMap(([kind, { standing }]) =>
    standing === undefined ? [] : [[kind, standing.id] as const],
  );
  return new Map(entries);
}

/** The number of the last record that changed a table; after a start, of a later one. */
export function lastChangeOf(tables: ReadonlyMap<string, Table>): number {
  return Math.max(0, ...Array.from(tables.values(), ({ version }) => version));
}

/** The size of all tables. */
export function sizeOf(tables: ReadonlyMap<string, Table>): number {
  let size = 0;
  for (const table of tables.values()) size += table.size;
  return size;
}

/**
 * All that is in the tables now, to make a document of; changes from now on do not show in it.
 * `seq`: of the last record in them.
 */
export function momentOf(tables: ReadonlyMap<string, Table>, seq: number): Moment {
  return {
    seq,
    lastChange: lastChangeOf(tables),
    takenAt: new Date().toISOString(),
    rows: new Map([...tables].map(([name, { rows }]) => [name, rows.view()])),
    standing: standingIds(tables),
  };
}
