/**
 * What a folder's files hold.
 *
 * Every journal that is there is replayed, in order, upon the snapshots that are there. That gives
 * the same state wherever a crash fell between the steps in snapshotting.ts: a record says what is,
 * not what changes, and a resource's place in the order is its seq. A snapshot file is good if one
 * of the records `store.snapshot` in the journals describes it; one may be missing only while
 * journal 1, from which it can be rebuilt, is there. Nothing is changed here.
 */

import { join } from "node:path";
import { type Change, Changes } from "./changes.ts";
import type { FileSystem } from "./file-system.ts";
import type { JournalEnd } from "./journal.ts";
import { journalName, journalNumbers, snapshotEvent } from "./journal-file.ts";
import type { JournalRecord } from "./record.ts";
import { replay, requireNoGap, type TornEnd } from "./replay.ts";
import {
  checkSnapshot,
  describedChange,
  describedSnapshot,
  type FoundSnapshot,
  readSnapshot,
  snapshotName,
} from "./snapshot.ts";
import { StoreError } from "./store-error.ts";
import { afterRemoval, type Entry, makeEntry, parseEntry, type Table } from "./table.ts";

/** What the files of a folder hold, apart from the rows, which went into the tables. */
export interface Loaded {
  readonly changes: Changes;
  /** The numbers of the journals that count, oldest first. */
  readonly journals: readonly number[];
  readonly end: JournalEnd;
  readonly torn: TornEnd | undefined;
  readonly unsure: number | undefined;
  /** The seq up to which all changes are in the snapshots; undefined when some are missing. */
  readonly snapshotSeq: number | undefined;
}

/** Reads the files into the tables. Throws StoreError "damaged". */
export async function load(
  fileSystem: FileSystem,
  folder: string,
  names: readonly string[],
  tables: ReadonlyMap<string, Table>,
): Promise<Loaded> {
  const numbers = journalNumbers(names);
  requireNoGap(numbers);
  const found = new Map<string, FoundSnapshot>();
  for (const [kind, table] of tables) {
    const name = snapshotName(kind);
    if (!names.includes(name)) continue;
    found.set(kind, await readSnapshot(fileSystem, join(folder, name), table));
  }
  const loading = new Loading(tables);
  const journals = numbers.map((number) => ({ number, path: join(folder, journalName(number)) }));
  const { end, torn, unsure } = await replay(fileSystem, journals, (record, file, line) => {
    loading.apply(record, file, line);
  });
  loading.checkSnapshots(found, numbers[0] === 1);
  return {
    changes: loading.changes ?? new Changes(end.seq),
    journals: numbers.filter((number) => number <= end.number),
    end,
    torn,
    unsure,
    snapshotSeq: found.size < tables.size ? undefined : loading.firstSeq - 1,
  };
}

class Loading {
  changes: Changes | undefined;
  /** The first seq of the oldest journal. */
  firstSeq = 1;
  readonly #tables: ReadonlyMap<string, Table>;
  /** The data of the records that say what the snapshots are. */
  readonly #described: string[] = [];

  constructor(tables: ReadonlyMap<string, Table>) {
    this.#tables = tables;
  }

  apply(record: JournalRecord, file: string, line: number): void {
    this.changes ??= this.#beginChanges(record.seq);
    if (record.event.startsWith("store.")) {
      if (record.event === snapshotEvent) this.#snapshotDescribed(record.data);
      this.changes.last = record.seq;
      return;
    }
    const change = this.#changeOf(record);
    const table = change && this.#tables.get(change.kind);
    if (change === undefined || table === undefined) {
      throw new StoreError("damaged", `expected a record this version knows, got ${record.event}`, {
        file,
        line,
        hint: "The folder may have been written by a newer version of Forno.",
      });
    }
    table.apply(change.seq, change.id, change.entry);
    this.changes.add(change);
    // What follows from a removal may be lost in a torn end, and its event with it.
    if (isFromLater(change) || this.#applyConsequences(change)) this.changes.forgetAll();
  }

  /** Whether there are any. */
  #applyConsequences(change: Change): boolean {
    if (change.action !== "deleted") return false;
    const stored = (kind: string, id: string): Entry | undefined =>
      this.#tables.get(kind)?.get(id);
    const consequences = afterRemoval(this.#tables, stored, change);
    for (const { kind, before: { id, seq, kept }, body } of consequences) {
      this.#tables.get(kind)?.apply(change.seq, id, makeEntry(id, seq, body, kept));
    }
    return consequences.length > 0;
  }

  #snapshotDescribed(data: string): void {
    this.#described.push(data);
    // Only marks stand between the last change in the snapshots and this journal, so a reader who
    // has seen that change has missed nothing.
    this.changes?.reachBack(describedChange(data));
  }

  /** A snapshot may be missing while journal 1 is there, from which it can be rebuilt. */
  checkSnapshots(found: ReadonlyMap<string, FoundSnapshot>, fromTheFirst: boolean): void {
    for (const kind of this.#tables.keys()) {
      const expected = this.#described.map((data) => describedSnapshot(data, kind));
      if (fromTheFirst) expected.push("absent");
      checkSnapshot(snapshotName(kind), found.get(kind), expected);
    }
  }

  /** The snapshots hold all that was before the first record. */
  #beginChanges(firstSeq: number): Changes {
    this.firstSeq = firstSeq;
    for (const table of this.#tables.values()) table.version = firstSeq - 1;
    return new Changes(firstSeq - 1);
  }

  #changeOf({ seq, event, data }: JournalRecord): Change | undefined {
    const [kind = "", action = ""] = event.split(".");
    const entry = action === "deleted" ? undefined : parseEntry(data);
    const id = action === "deleted" ? deletedId(data) : entry?.id;
    if (!isAction(action) || id === undefined) return undefined;
    return { seq, kind, action, id, entry, before: this.#tables.get(kind)?.get(id) };
  }
}

/**
 * A deletion that newer snapshots hold already: what was deleted, and so who may be told of it, is
 * no longer known.
 */
function isFromLater({ seq, entry, before }: Change): boolean {
  return entry === undefined && (before === undefined || before.seq > seq);
}

function deletedId(data: string): string | undefined {
  const value: unknown = JSON.parse(data);
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
  return typeof id === "string" ? id : undefined;
}

function isAction(action: string): action is Change["action"] {
  return action === "created" || action === "updated" || action === "deleted";
}
