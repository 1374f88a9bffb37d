/** Makes the files of a new store, with what it begins with: a menu, a backup, a followed copy. */

import { join } from "node:path";
import { documentName, documentPieces } from "./document.ts";
import { publish, writeFully, writeTemporary } from "./file-system.ts";
import { journalName, markData, markEvent, recordBytes } from "./journal-file.ts";
import { createJournal, type JournalEnd } from "./journal.ts";
import type { Place } from "./lock.ts";
import type { Tables } from "./tables.ts";

/** What a new store begins with. */
export interface FirstContent {
  readonly tables: Tables;
  /** The last record of the store it comes from, if any. */
  readonly lastSeq: number | undefined;
}

/** So many records at the most may an old store have written behind its last backup. */
const leap = 1_000_000;

/**
 * Makes a store with this content, by the steps of snapshotting.ts: there is one when there is a
 * document. `end`: of the journals of an empty store that is there.
 */
export async function begin(
  { folder, files }: Place,
  content: FirstContent,
  end: Pick<JournalEnd, "number" | "seq"> = { number: 0, seq: 0 },
): Promise<void> {
  const { tables } = content;
  const seq = Math.max(end.seq + 1, numberBefore(content));
  tables.setVersion(seq);
  const number = end.number + 1;
  const { file, length } = await createJournal(files, join(folder, journalName(number)), number);
  try {
    await files.syncFolder(folder);
    const path = join(folder, documentName);
    await writeTemporary(files, path, documentPieces(tables.moment(seq)));
    await publish(files, path);
    await files.syncFolder(folder);
    // From now on a missing document is damage.
    const mark = { seq: seq + 1, after: seq, event: markEvent, data: markData() };
    await writeFully(file, recordBytes(mark), length);
  } finally {
    await file.close();
  }
}

/**
 * The number that the records of a store with this content come after. A client that resumes with
 * the id of an event of another store, at the same address before, must be told so: ids go on
 * rising from the store that the content comes from; those of any other store differ by the clock,
 * in milliseconds, of which 30 bits are taken because V8 keeps numbers of 31 bits in a word.
 */
function numberBefore({ tables, lastSeq }: FirstContent): number {
  const places = tables.kinds.map((kind) => tables.of(kind).lastSeq);
  const least = lastSeq === undefined ? 0 : lastSeq + leap;
  return Math.max(Date.now() % 2 ** 30, least, ...places);
}
