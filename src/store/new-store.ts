/** Makes the files of a new store and fills it from a menu, a backup or a followed copy. */

import { join } from "node:path";
import { documentName, documentPieces } from "./document.ts";
import { publish, writeFully, writeTemporary } from "./file-system.ts";
import { journalName, markData, markEvent, recordBytes } from "./journal-file.ts";
import { createJournal, type JournalEnd } from "./journal.ts";
import type { LockedFolder } from "./lock.ts";
import type { Tables } from "./tables.ts";

export interface FirstContent {
  readonly tables: Tables;
  /** The seq of the last record in the backup; undefined if no store wrote the content. */
  readonly lastSeq: number | undefined;
}

/** More records than the old store can have written after the backup was taken. */
const leap = 1_000_000;

/**
 * Makes a store with this content, by the steps of snapshotting.ts. The store exists once the
 * document does. `end`: the end of the journals, if the folder has an empty store.
 */
export async function makeStore(
  { folder, files }: LockedFolder,
  content: FirstContent,
  end: Pick<JournalEnd, "number" | "seq"> = { number: 0, seq: 0 },
): Promise<void> {
  const { tables } = content;
  const seq = Math.max(end.seq + 1, seqBefore(content));
  tables.setVersion(seq);
  const number = end.number + 1;
  const { file, length } = await createJournal(files, join(folder, journalName(number)), number);
  try {
    await files.syncFolder(folder);
    const path = join(folder, documentName);
    await writeTemporary(files, path, documentPieces(tables.moment(seq)));
    await publish(files, path);
    await files.syncFolder(folder);
    // With a record in the journal, a missing document counts as damage.
    const mark = { seq: seq + 1, after: seq, event: markEvent, data: markData() };
    await writeFully(file, recordBytes(mark), length);
  } finally {
    await file.close();
  }
}

/**
 * The seq before the new store's first record. A client may resume with an event id of an earlier
 * store at the same address, and must get a `reset`. So after a backup the seq continues well
 * above the old store's, and in any other store it begins at the clock's milliseconds. Only 30 bits
 * of the clock are used, because V8 stores integers up to 31 bits most compactly.
 */
function seqBefore({ tables, lastSeq }: FirstContent): number {
  const places = tables.kinds.map((kind) => tables.of(kind).lastSeq);
  const least = lastSeq === undefined ? 0 : lastSeq + leap;
  return Math.max(Date.now() % 2 ** 30, least, ...places);
}
