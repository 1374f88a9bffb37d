/**
 * Puts the resources of a document and the records of a journal into tables. A start does it with
 * the store's own files, a restore with a backup.
 */

import { didYouMean, inWords, Invalid, isObject } from "../problems/faults.ts";
import type { Change } from "./changes.ts";
import type { JournalRecord } from "./journal-file.ts";
import type { Reading, StoredKind } from "./kind.ts";
import { makeRow, type Row, type Table } from "./rows.ts";
import type { KindTable, Tables } from "./tables.ts";

/** Far above the seq of any store, and far below the largest exact number. */
const mostRecords = 1e14;

/** Fills the tables. Its methods throw Invalid for kinds and events that this version lacks. */
export class Filling {
  readonly tables: Tables;
  readonly #reading: Reading;

  constructor(tables: Tables) {
    this.tables = tables;
    const now = new Date().toISOString();
    this.#reading = { now, get: (kind, id) => tables.get(kind, id) };
  }

  /** Takes a resource of a document. */
  put(kindName: string, members: unknown): void {
    const { kind, table } = this.#named(kindName);
    const content = kind.read(members, this.#reading);
    const { id } = content.value;
    const before = table.get(id);
    if (kind.singleton === undefined && before !== undefined) {
      throw Invalid.at([], `the id "${id}" appears twice`);
    }
    table.put(makeRow(seqOf(kind, table, before, members), content));
  }

  /** Takes a record of the journal. */
  apply({ seq, event, data }: JournalRecord): Change {
    const [kindName = "", action] = event.split(".");
    if (action !== "created" && action !== "updated" && action !== "deleted") {
      throw Invalid.at([], `expected created, updated or deleted, got ${event}`);
    }
    const { kind, table } = this.#named(kindName);
    const members: unknown = JSON.parse(data);
    const content = action === "deleted" ? undefined : kind.read(members, this.#reading);
    const id = content?.value.id ?? deletedId(members);
    const before = table.get(id);
    const row = content && makeRow(seqOf(kind, table, before, members), content);
    table.apply(seq, id, row);
    const deleted = row === undefined ? before : undefined;
    return { seq, kind: kindName, action, id, row, deleted };
  }

  #named(name: string): KindTable {
    const found = this.tables.named(name);
    if (found !== undefined) return found;
    const names = this.tables.kinds.map((kind) => kind.name);
    const guess = didYouMean(name, names);
    throw Invalid.at([], `no kind has this name${guess}`);
  }
}

/**
 * The seq of a new row. It replaces the row `before` at its place. If there is none, it goes to the
 * end of the list: with the seq in `members` if that is the highest, else with the next one.
 */
function seqOf(
  { singleton }: StoredKind,
  table: Table,
  before: Row | undefined,
  members: unknown,
): number {
  const seq = member(members, "seq");
  const wanted = isSeq(seq) ? seq : undefined;
  // A singleton has seq 0 until its first change.
  const first = singleton !== undefined ? (wanted ?? 1) : Math.max(table.lastSeq + 1, wanted ?? 0);
  return before?.seq || first;
}

/** True for a number that can be the seq of a record. */
export function isSeq(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostRecords;
}

function deletedId(members: unknown): string {
  const id = member(members, "id");
  if (typeof id === "string") return id;
  const expected = "a string, the id of the deleted resource";
  throw Invalid.at(["id"], `expected ${expected}, got ${inWords(id)}`);
}

/** The member of that name; undefined if the value is not an object or has no such member. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
