/**
 * Reads the journals: finds the valid records, the end to continue at, and damage.
 *
 * Each journal begins with a header. All other records have a seq that rises by one, across files.
 * The replay skips records that the document includes. The seq may jump only right after a header,
 * to the document's seq + 1: a restore put another store's content there.
 *
 * A crash can leave the last batch complete, cut short or with holes; everything before it is
 * complete. So everything from the first bad line on is the *torn end* of that batch and is cut
 * off. But if a later good record proves that the bad line was once on disk (by its `after`, or
 * because the bad line is a header), the journal is *damaged*, and no file is changed.
 */

import { join } from "node:path";
import { type Line, readLines } from "./line-reader.ts";
import {
  decodeRecord,
  headerData,
  headerEvent,
  journalName,
  type JournalRecord,
  markEvent,
} from "./journal-file.ts";
import type { JournalEnd } from "./journal.ts";
import type { LockedFolder } from "./lock.ts";
import { damageHint, newerHint, StoreError } from "./store-error.ts";

/** The beginning of a torn end. */
interface TornEnd {
  readonly file: string;
  readonly line: number;
  readonly offset: number;
}

export interface Replayed {
  /** Behind the last good record. A journal with a higher number holds no records. */
  readonly end: JournalEnd;
  readonly torn: TornEnd | undefined;
  /**
   * The journal in which the last batch begins, if no later record proves that the batch is on
   * disk. Its fsync may have failed, and its bytes may exist only in the kernel's memory.
   */
  readonly unsure: number | undefined;
}

/** Takes each record that the document does not include, in order, with its file and line. */
type EachRecord = (record: JournalRecord, file: string, line: number) => void;

/**
 * Reads the journals of these numbers, oldest first, and calls `each` for every good record after
 * `documentSeq`. Throws StoreError "damaged".
 */
export async function replay(
  { folder, files }: Pick<LockedFolder, "folder" | "files">,
  numbers: readonly number[],
  documentSeq: number,
  each: EachRecord,
): Promise<Replayed> {
  const gap = numbers.find((number, index) => number !== (numbers[0] ?? 0) + index);
  if (gap !== undefined) {
    const options = { file: journalName(gap - 1), hint: damageHint };
    throw new StoreError("damaged", "the file is missing", options);
  }
  const reading = new Replay(documentSeq, each);
  for (const number of numbers) {
    reading.begin(number);
    await readLines(files, join(folder, journalName(number)), (line) => reading.take(line));
  }
  return reading.result();
}

class Replay {
  readonly #documentSeq: number;
  readonly #each: EachRecord;
  /** The seq of the last good record; undefined before the first. */
  #seq: number | undefined;
  #number = 0;
  /** The number of the next line. */
  #line = 1;
  #end: JournalEnd | undefined;
  /** The `after` of the last batch's records. `#unsure`: see Replayed. */
  #after = -1;
  #unsure: number | undefined;
  /** True right after a header. */
  #isAfterHeader = false;
  #torn: TornEnd | undefined;

  constructor(documentSeq: number, each: EachRecord) {
    this.#documentSeq = documentSeq;
    this.#each = each;
  }

  begin(number: number): void {
    this.#number = number;
    this.#line = 1;
  }

  take(line: Line): void {
    this.#line = line.number + 1;
    const record = line.complete ? decodeRecord(line.bytes) : undefined;
    if (record === undefined) this.#torn ??= this.#tornAt(line);
    if (this.#torn !== undefined) return this.#lookForLater(record ?? lastIn(line), this.#torn);
    if (record === undefined) return;
    if (line.number === 1) this.#checkHeader(record);
    else this.#accept(record, line.number);
    this.#isAfterHeader = line.number === 1;
    const marked = record.event === markEvent;
    this.#noteUnsure(line.number === 1, marked);
    const offset = line.offset + line.bytes.length + 1;
    this.#end = { number: this.#number, offset, seq: this.#seq ?? this.#documentSeq, marked };
  }

  /** Remembers the first journal with a record that no later record vouches for. */
  #noteUnsure(isHeader: boolean, isMark: boolean): void {
    // A mark at the end of a journal may be unsynced until the next journal is used.
    if (isHeader && this.#end?.marked === true) this.#unsure ??= this.#end.number;
    if (!isMark) this.#unsure ??= this.#number;
  }

  get #file(): string {
    return journalName(this.#number);
  }

  #tornAt({ number, offset }: Line): TornEnd {
    return { file: this.#file, line: number, offset };
  }

  /** Throws if a header, or a record that the document includes, is missing: they were synced. */
  result(): Replayed {
    const { file, line } = this.#torn ?? { file: this.#file, line: this.#line };
    if (this.#end === undefined) throw this.#damage(line, "expected a header", file);
    const { seq } = this.#end;
    if (seq >= this.#documentSeq || this.#isAfterHeader) {
      const end = { ...this.#end, seq: Math.max(seq, this.#documentSeq) };
      return { end, torn: this.#torn, unsure: this.#unsure };
    }
    const expected = `expected records up to ${this.#documentSeq}, the document's seq`;
    throw this.#damage(line, `${expected}, but they end at ${seq}`, file);
  }

  #checkHeader({ event, data }: JournalRecord): void {
    const expected = headerData(this.#number);
    if (event === headerEvent && data === expected) return;
    const detail = `expected ${headerEvent} ${expected}, got ${event} ${data.slice(0, 80)}`;
    const isNewer = event === headerEvent && !data.startsWith('{"format":1,');
    const hint = isNewer ? newerHint : damageHint;
    throw new StoreError("damaged", detail, { file: this.#file, line: 1, hint });
  }

  #accept(record: JournalRecord, line: number): void {
    const expected = this.#expectedSeq(record);
    if (record.event === headerEvent || record.seq !== expected) {
      throw this.#damage(line, `expected record ${expected}, got record ${record.seq}`);
    }
    // A mark with a lower `after` only tests for free space (requireWritable in store.ts).
    const vouches = record.event === markEvent && record.after === expected - 1;
    if (record.after !== this.#after || vouches) this.#unsure = undefined;
    this.#after = record.after;
    this.#seq = record.seq;
    if (record.seq > this.#documentSeq) this.#each(record, this.#file, line);
  }

  #expectedSeq({ seq }: JournalRecord): number {
    const next = this.#documentSeq + 1;
    if (this.#seq === undefined) return Math.min(seq, next);
    return this.#isAfterHeader && seq === next ? Math.max(next, this.#seq + 1) : this.#seq + 1;
  }

  #lookForLater(record: JournalRecord | undefined, torn: TornEnd): void {
    if (record === undefined) return;
    const isAfterBadHeader = torn.line === 1 && torn.file === this.#file;
    if (!isAfterBadHeader && record.after <= Math.max(this.#seq ?? 0, this.#documentSeq)) return;
    throw this.#damage(torn.line, "the record is not what was written", torn.file);
  }

  #damage(line: number, detail: string, file: string = this.#file): StoreError {
    return new StoreError("damaged", detail, { file, line, hint: damageHint });
  }
}

/** The record at the end of a bad line, in case the newline before it is the broken byte. */
function lastIn({ bytes, complete }: Line): JournalRecord | undefined {
  const at = bytes.lastIndexOf('{"seq":');
  return complete && at > 0 ? decodeRecord(bytes.subarray(at)) : undefined;
}
