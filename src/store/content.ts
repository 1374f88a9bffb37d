/** What a new store begins with: a menu, a backup, a follower's copy. */

import { join } from "node:path";
import { documentName, documentPieces } from "./document.ts";
import { publish, writeFully, writeTemporary } from "./file-system.ts";
import { journalName, markData, markEvent, recordBytes } from "./journal-file.ts";
import { createJournal, type JournalEnd } from "./journal.ts";
import type { Place } from "./lock.ts";
import type { Draft } from "./store.ts";
import { applyRemoval, makeEntry, momentOf, type Table } from "./table.ts";

/** A resource to be put into a new store, in the place of the one with its id if there is one. */
export interface NewResource extends Draft {
  readonly kind: string;
  readonly id: string;
  /** Its place in the order of the list that it comes from. */
  readonly seq?: number;
}

/** A resource that is no more. */
export interface RemovedResource {
  readonly kind: string;
  readonly id: string;
  readonly body: undefined;
}

/** Resources in the order of their lists; after them what became of them, if anything. */
export interface Content extends Iterable<NewResource | RemovedResource> {
  /** The last record of the store that it comes from, if any: known when all has been read. */
  readonly lastSeq?: number | undefined;
}

/** So many records at the most may an old store have written behind its last backup. */
const leap = 1_000_000;

/**
 * Makes a store, of these tables with the content in them, by the steps of snapshotting.ts: there
 * is one when there is a document. `end`: of the journals of an empty store that is there.
 */
export async function begin(
  { folder, files }: Place,
  tables: ReadonlyMap<string, Table>,
  content: Content,
  end: Pick<JournalEnd, "number" | "seq"> = { number: 0, seq: 0 },
): Promise<void> {
  fillTables(tables, content);
  const seq = Math.max(end.seq + 1, numberBefore(tables, content));
  for (const table of tables.values()) table.version = seq;
  const number = end.number + 1;
  const { file, length } = await createJournal(files, join(folder, journalName(number)), number);
  try {
    await files.syncFolder(folder);
    const path = join(folder, documentName);
    await writeTemporary(files, path, documentPieces(momentOf(tables, seq)));
    await publish(files, path);
    await files.syncFolder(folder);
    // From now on a missing document is damage.
    const mark = { seq: seq + 1, after: seq, event: markEvent, data: markData() };
    await writeFully(file, recordBytes(mark), length);
  } finally {
    await file.close();
  }
}

/** Puts everything into empty tables. */
export function fillTables(tables: ReadonlyMap<string, Table>, content: Content): void {
  for (const resource of content) {
    const table = tables.get(resource.kind);
    if (table === undefined) throw new Error(`the store has no kind ${resource.kind}`);
    if (resource.body !== undefined) fillIn(table, resource);
    else {
      table.delete(resource.id);
      applyRemoval(tables, { ...resource, seq: 0 });
    }
  }
}

/** Keeps the places of the old lists, so that old cursors lead there, as long as these rise. */
function fillIn(table: Table, { id, body, kept, seq: wanted = 0 }: NewResource): void {
  const last = table.rows.lastSeq;
  // That of a standing one that nobody has changed is 0.
  const seq = table.get(id)?.seq || Math.max(last + 1, wanted);
  table.put(makeEntry(id, seq, body, kept));
}

/**
 * The number that the records of a store with this content come after: such that a client that
 * resumes with the id of an event of another store, at the same address before, is told so. Of a
 * store that the content comes from, ids go on rising; of any other one the clock tells them apart,
 * in milliseconds, of which 30 bits are taken: V8 keeps numbers of 31 bits in a word.
 */
function numberBefore(tables: ReadonlyMap<string, Table>, { lastSeq }: Content): number {
  const places = Array.from(tables.values(), ({ rows }) => rows.lastSeq);
  const least = lastSeq === undefined ? 0 : lastSeq + leap;
  return Math.max(Date.now() % 2 ** 30, least, ...places);
}
