/**
 * Reads a backup, a followed copy or a menu into new tables, or throws.
 *
 * A file in Forno's own layout is read line by line (document-lines.ts). A followed copy has
 * records after the document, the last of which may be cut short. Files in any other layout, and
 * edited ones, are parsed as a whole.
 */

import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import { codeOf, messageOf } from "../log/system-error.ts";
import { didYouMean, inWords, isObject } from "../problems/faults.ts";
import { documentFormat } from "./document.ts";
import { DocumentError, faultOf } from "./document-error.ts";
import { DocumentLines, placeOf } from "./document-lines.ts";
import { diskFileSystem } from "./file-system.ts";
import { Filling, isSeq, member } from "./filling.ts";
import { decodeRecord, markEvent } from "./journal-file.ts";
import type { StoredKind } from "./kind.ts";
import { type Line, readLines } from "./line-reader.ts";
import { Tables } from "./tables.ts";

/** The content of a file. */
export interface Restored {
  readonly tables: Tables;
  /** The seq of the last record in the file; undefined if no store wrote it. */
  readonly lastSeq: number | undefined;
  /** The latest time in the file: RFC 3339, UTC; "" if there is none. */
  readonly asOf: string;
  /** The kinds that the file does not have. */
  readonly missing: readonly string[];
  /** Bytes of a record that was cut short at the end of a followed copy. */
  readonly bytesLeftOut: number;
}

/** For files that are parsed as a whole, which takes several times their size in memory. */
const textBytesLimit = 268_435_456;

/** Rejects with DocumentError if the file cannot be read or has an error. */
export async function readDocumentFile(
  path: string,
  kinds: readonly StoredKind[],
): Promise<Restored> {
  const lines = new LinesReading(path, kinds);
  let wrongLine: DocumentError;
  try {
    return await lines.read();
  } catch (error) {
    if (!(error instanceof DocumentError)) {
      const isPipe = codeOf(error) === "ESPIPE";
      const detail = isPipe ? "expected a regular file, got a pipe" : messageOf(error);
      throw new DocumentError(path, detail);
    }
    wrongLine = error;
  }
  try {
    return readText(path, kinds);
  } catch (error) {
    // For a damaged file in Forno's layout, the line-by-line error is the better message.
    const isForno = lines.hasHead && error instanceof DocumentError && error.isDamage;
    throw isForno ? withHint(path, wrongLine) : error;
  }
}

/** The same error, with a hint for the person who changed the file. */
function withHint(path: string, { line, detail, isDamage }: DocumentError): DocumentError {
  const hint = '; to use a document that you changed, delete its last member, "crc"';
  return new DocumentError(path, detail + (isDamage ? hint : ""), { line, isDamage });
}

/** Reads a document in Forno's layout and the records after it. */
class LinesReading {
  readonly #path: string;
  readonly #filling: Filling;
  readonly #lines: DocumentLines;
  #lastSeq = 0;
  #asOf = "";
  #bytesLeftOut = 0;
  /** The line of a record that was cut short. After an interruption the server sends it again. */
  #brokenLine: number | undefined;

  constructor(path: string, kinds: readonly StoredKind[]) {
    this.#path = path;
    this.#filling = new Filling(new Tables(kinds));
    this.#lines = new DocumentLines(path, (kind, members) => this.#filling.put(kind, members));
  }

  get hasHead(): boolean {
    return this.#lines.head !== undefined;
  }

  async read(): Promise<Restored> {
    await readLines(diskFileSystem, this.#path, (line) => this.#take(line));
    this.#lines.requireEnd();
    this.#requireUnbroken();
    return {
      tables: this.#filling.tables,
      lastSeq: this.#lastSeq,
      asOf: this.#asOf,
      missing: [],
      bytesLeftOut: this.#bytesLeftOut,
    };
  }

  #take(line: Line): void {
    if (!this.#lines.hasEnded) {
      this.#lines.take(line);
      this.#lastSeq = this.#lines.head?.seq ?? 0;
      this.#asOf = this.#lines.head?.takenAt ?? "";
    } else if (!line.complete) this.#bytesLeftOut = line.bytes.length;
    else if (line.bytes.length > 0) this.#takeRecord(line);
  }

  #takeRecord({ bytes, number }: Line): void {
    this.#lines.requireSealed();
    const record = decodeRecord(bytes);
    if (record === undefined) {
      this.#requireUnbroken();
      this.#brokenLine = number;
      return;
    }
    const expected = this.#lastSeq + 1;
    if (record.seq === expected) this.#brokenLine = undefined;
    this.#requireUnbroken();
    if (record.seq !== expected) {
      const detail = `expected record ${expected}, got ${record.seq}`;
      throw this.#wrongRecord(number, `${detail}: lines are missing, or out of order`);
    }
    this.#lastSeq = record.seq;
    const data: unknown = JSON.parse(record.data);
    this.#noteTime(member(data, record.event === markEvent ? "at" : "updatedAt"));
    if (record.event.startsWith("store.")) return;
    try {
      this.#filling.apply(record);
    } catch (error) {
      throw this.#wrongRecord(number, faultOf(error));
    }
  }

  /** Throws DocumentError for a cut record that was not sent again: the file is damaged. */
  #requireUnbroken(): void {
    if (this.#brokenLine === undefined) return;
    throw this.#wrongRecord(this.#brokenLine, "its checksum is wrong");
  }

  /** All times have the same format, so they compare as texts. */
  #noteTime(time: unknown): void {
    if (typeof time === "string" && time > this.#asOf) this.#asOf = time;
  }

  #wrongRecord(line: number, detail: string): DocumentError {
    return new DocumentError(this.#path, `the record: ${detail}`, { line });
  }
}

const headMembers = ["forno", "seq", "lastChange", "takenAt"];

/** Reads a document in any layout of JSON. Throws DocumentError. */
function readText(path: string, kinds: readonly StoredKind[]): Restored {
  const document = parseFile(path);
  if (!isObject(document)) {
    const expected = "expected an object with a list for each kind";
    throw new DocumentError(path, `${expected}, got ${inWords(document)}`, { isDamage: true });
  }
  const names = kinds.map(({ name }) => name);
  for (const name of Object.keys(document)) {
    if (names.includes(name) || headMembers.includes(name)) continue;
    const isDamage = name === "crc";
    const detail = isDamage ? sealedDetail : `no member has this name${didYouMean(name, names)}`;
    throw new DocumentError(path, `${placeOf(name, undefined)}: ${detail}`, { isDamage });
  }
  const { forno = documentFormat, seq, takenAt } = document;
  if (forno !== documentFormat) {
    const expected = `expected a backup of format ${documentFormat}`;
    throw new DocumentError(path, `"forno": ${expected}, got ${inWords(forno)}`);
  }
  if (seq !== undefined && !isSeq(seq)) {
    const expected = "expected a whole number";
    throw new DocumentError(path, `"seq": ${expected}, got ${inWords(seq)}`);
  }
  const filling = new Filling(new Tables(kinds));
  // The menu comes before the orders, which copy the names of its items.
  for (const kind of kinds) {
    if (Object.hasOwn(document, kind.name)) fill(path, filling, kind, document[kind.name]);
  }
  return {
    tables: filling.tables,
    lastSeq: seq,
    asOf: typeof takenAt === "string" ? takenAt : "",
    missing: kinds
      .filter(({ name, isHidden }) => isHidden !== true && !Object.hasOwn(document, name))
      .map(({ name }) => name),
    bytesLeftOut: 0,
  };
}

const sealedDetail =
  "the checksum does not match the document; to use a document that you changed, delete this " +
  "member";

/** `member`: the list of the kind, or its only resource. */
function fill(path: string, filling: Filling, kind: StoredKind, member: unknown): void {
  const put = (value: unknown, index?: number): void => {
    try {
      filling.put(kind.name, value);
    } catch (error) {
      throw new DocumentError(path, `${placeOf(kind.name, index)}: ${faultOf(error)}`);
    }
  };
  if (kind.singleton !== undefined) return put(member);
  if (!Array.isArray(member)) {
    const detail = `expected an array, got ${inWords(member)}`;
    throw new DocumentError(path, `${placeOf(kind.name, undefined)}: ${detail}`);
  }
  for (const [index, value] of member.entries()) put(value, index);
}

/** Throws DocumentError. */
function parseFile(path: string): unknown {
  const text = textOf(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = messageOf(error);
    const [, position] = / at position (\d+)/.exec(reason) ?? [];
    const line = position ? text.slice(0, Number(position)).split("\n").length : undefined;
    throw new DocumentError(path, `expected JSON: ${reason}`, { line, isDamage: true });
  }
}

/** Throws DocumentError. */
function textOf(path: string): string {
  try {
    const { size } = fs.statSync(path);
    if (size > textBytesLimit) {
      const limit = `${textBytesLimit / 1_048_576} MiB in a layout other than Forno's own`;
      throw new Error(`expected at most ${limit}, got ${Math.ceil(size / 1_048_576)} MiB`);
    }
    const bytes = fs.readFileSync(path);
    if (!isUtf8(bytes)) throw new Error("expected UTF-8, got other bytes");
    return bytes.toString().replace(/^\ufeff/, "");
  } catch (error) {
    throw new DocumentError(path, messageOf(error), { isDamage: true });
  }
}
