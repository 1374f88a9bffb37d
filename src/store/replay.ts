/**
 * The reading side of the journal: which records count, where the journal goes on, what is damage.
 *
 * Each journal begins with its header; the rest are records whose seq rises by one, over all files.
 * The document holds what they say up to its own seq: those are read over. Only behind a header may
 * the numbers leap, to the one after the document's: another store's content was put there.
 *
 * What a crash leaves. A batch that was being written may be there whole, in part, or with holes;
 * everything before it is there whole. So from the first line that is not a good record on, all is
 * the *torn end* of one unfinished batch, and is cut off, unless a later good record shows that
 * the broken one had reached the disk: by its `after`, or by standing after a broken header. Then
 * it is *damage*, and nothing is touched.
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
import type { Place } from "./lock.ts";
import { damageHint, newerHint, StoreError } from "./store-error.ts";

/** The place from which a journal is torn. */
interface TornEnd {
  readonly file: string;
  readonly line: number;
  readonly offset: number;
}

/** Where the journals end. */
export interface Replayed {
  /** After the last good record; a journal with a higher number has nothing in it. */
  readonly end: JournalEnd;
  readonly torn: TornEnd | undefined;
  /**
   * The journal in which the last batch begins, when no record says of that batch that it is on
   * disk: its fsync may have failed, and what is read of it stands in the kernel's memory alone.
   */
  readonly unsure: number | undefined;
}

/** Told of every record that the document does not hold, in order, with where it stands. */
type EachRecord = (record: JournalRecord, file: string, line: number) => void;

/**
 * Reads the journals of these numbers, oldest first, and calls `each` for every good record after
 * `documentSeq`. Throws StoreError "damaged".
 */
export async function replay(
  { folder, files }: Pick<Place, "folder" | "files">,
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
    const file = await files.open(join(folder, journalName(number)), "read");
    try {
      await readLines(file, (line) => reading.take(line));
    } finally {
      await file.close();
    }
  }
  return reading.result();
}

class Replay {
  readonly #documentSeq: number;
  readonly #each: EachRecord;
  /** The seq of the last good record; undefined until a first one has told where they begin. */
  #seq: number | undefined;
  #number = 0;
  /** The line after the last that was read. */
  #line = 1;
  #end: JournalEnd | undefined;
  /** The `after` that the records of the last batch share, and the journal of the first of them. */
  #after = -1;
  #unsure: number | undefined;
  /** Whether the last good line was a header. */
  #isBegun = false;
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
    this.#isBegun = line.number === 1;
    const marked = record.event === markEvent;
    this.#noteUnsure(line.number === 1, marked);
    const offset = line.offset + line.bytes.length + 1;
    this.#end = { number: this.#number, offset, seq: this.#seq ?? this.#documentSeq, marked };
  }

  /** Notes the first journal of which no record says yet that it is on disk. */
  #noteUnsure(isHeader: boolean, isMark: boolean): void {
    // A mark at the end of a journal is synced when the next one is first used.
    if (isHeader && this.#end?.marked === true) this.#unsure ??= this.#end.number;
    if (!isMark) this.#unsure ??= this.#number;
  }

  get #file(): string {
    return journalName(this.#number);
  }

  #tornAt({ number, offset }: Line): TornEnd {
    return { file: this.#file, line: number, offset };
  }

  /** Headers, and what the document holds, were on disk before they were needed. */
  result(): Replayed {
    const { file, line } = this.#torn ?? { file: this.#file, line: this.#line };
    if (this.#end === undefined) throw this.#damage(line, "expected a header", file);
    const { seq } = this.#end;
    if (seq >= this.#documentSeq || this.#isBegun) {
      const end = { ...this.#end, seq: Math.max(seq, this.#documentSeq) };
      return { end, torn: this.#torn, unsure: this.#unsure };
    }
    const expected = `records up to ${this.#documentSeq}, which the document holds`;
    throw this.#damage(line, `expected ${expected}, and they end at ${seq}`, file);
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
    // Another mark is a trial of whether there is room (store.ts), in a batch of other records.
    const vouches = record.event === markEvent && record.after === expected - 1;
    if (record.after !== this.#after || vouches) this.#unsure = undefined;
    this.#after = record.after;
    this.#seq = record.seq;
    if (record.seq > this.#documentSeq) this.#each(record, this.#file, line);
  }

  #expectedSeq({ seq }: JournalRecord): number {
    const next = this.#documentSeq + 1;
    if (this.#seq === undefined) return Math.min(seq, next);
    return this.#isBegun && seq === next ? Math.max(next, this.#seq + 1) : this.#seq + 1;
  }

  #lookForLater(record: JournalRecord | undefined, torn: TornEnd): void {
    if (record === undefined) return;
    const standsBehindHeader = torn.line === 1 && torn.file === this.#file;
    if (!standsBehindHeader && record.after <= Math.max(this.#seq ?? 0, this.#documentSeq)) return;
    throw this.#damage(torn.line, "the record is not what was written", torn.file);
  }

  #damage(line: number, detail: string, file: string = this.#file): StoreError {
    return new StoreError("damaged", detail, { file, line, hint: damageHint });
  }
}

/** The record at the end of a line that is not good: its newline may be what is broken. */
function lastIn({ bytes, complete }: Line): JournalRecord | undefined {
  const at = bytes.lastIndexOf('{"seq":');
  return complete && at > 0 ? decodeRecord(bytes.subarray(at)) : undefined;
}
