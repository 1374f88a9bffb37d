/** A journal that is written at once, with all it holds: a new store's menu, a restored backup. */

import { Buffer } from "node:buffer";
import { headerBytes, markRecord } from "./journal-file.ts";
import { encodeRecord, recordCapacity } from "./record.ts";
import type { Draft } from "./store.ts";
import { makeEntry } from "./table.ts";

/** A resource of a new store. */
export interface NewResource extends Draft {
  readonly kind: string;
  readonly id: string;
  /** Of a standing one, which is there before anything is stored. */
  readonly action?: "updated";
}

/** Bytes in one piece; several times what the largest resource takes. */
const pieceBytes = 1_048_576;

/** The bytes of journal `number`, whose first record comes after record `last`. */
export function* wholeJournal(
  number: number,
  last: number,
  content: Iterable<NewResource>,
): Generator<Buffer> {
  yield headerBytes(number, true);
  const buffer = Buffer.allocUnsafeSlow(pieceBytes);
  let length = 0;
  let seq = last;
  for (const { kind, id, action = "created", body, kept } of content) {
    seq += 1;
    const data = makeEntry(id, seq, body, kept).text;
    const record = { seq, after: last, event: `${kind}.${action}`, data };
    if (length + recordCapacity(record) > pieceBytes) {
      yield buffer.subarray(0, length);
      length = 0;
    }
    length = encodeRecord(record, buffer, length);
  }
  if (length + recordCapacity(markRecord(seq, seq)) > pieceBytes) {
    yield buffer.subarray(0, length);
    length = 0;
  }
  length = encodeRecord(markRecord(seq + 1, seq), buffer, length);
  yield buffer.subarray(0, length);
}
