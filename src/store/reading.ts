/**
 * Reads store.ndjson into tables, and tells a torn end from damage. It changes no file.
 *
 * A crash can leave the last batch complete, cut short or with holes; everything before it is
 * complete. So a bad line that lacks its newline, or has zeros up to the end of a sector, begins
 * the *torn end* of that batch. Any other bad line is *damage*. So is one of which the `after` of a
 * later good line says that it was once on disk, and one among the resources, which are synced
 * before the file has its name.
 *
 * A person may edit the file too. Then there are lines without a checksum, empty lines, lines that
 * are missing, and a last line without its newline. All of these are read.
 */

import { Invalid, type JsonObject } from "../problems/faults.ts";
import type { OpenFile } from "./file-system.ts";
import { History } from "./history.ts";
import {
  decodeLine,
  editorFaults,
  type Header,
  isEntry,
  isHeader,
  isSealed,
  storeFormat,
  storeName,
} from "./line.ts";
import { type Line, readLines } from "./line-reader.ts";
import { faultOf, StoreError } from "./store-error.ts";
import type { Tables } from "./tables.ts";

/** The file's content. Its rows are in the tables. */
export interface StoreRead {
  readonly history: History;
  /** Resources and changes. */
  readonly lines: number;
  /** The offset after the last of them. */
  readonly end: number;
  /** The CRC-32 of the whole file, the torn end included. */
  readonly crc: number;
  /** True if a person has edited it. */
  readonly isEdited: boolean;
  readonly torn: { readonly line: number; readonly bytes: number } | undefined;
}

/** Rejects with StoreError "damaged", or with the error of a read. */
export async function readStore(
  file: Pick<OpenFile, "read">,
  tables: Tables,
): Promise<StoreRead> {
  const reading = new StoreReading(tables);
  const crc = await readLines(file, (line) => reading.take(line));
  return { ...reading.result(), crc };
}

/** Longer than any batch, so no crash leaves more. */
const maxTornBytes = 67_108_864;

class StoreReading {
  readonly #tables: Tables;
  #header: Header | undefined;
  #history = new History(0);
  /** Resources and changes. */
  #count = 0;
  #end = 0;
  #isEdited = false;
  /** The first bad line among the changes. */
  #bad: { readonly number: number; readonly fault: string } | undefined;
  /** The number of the last line, and the offset after it. */
  #line = 0;
  #fileEnd = 0;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  take(line: Line): void {
    const { bytes, number, end, hasNewline, isTooLong } = line;
    const start = this.#fileEnd;
    this.#line = number;
    this.#fileEnd = end;
    if (bytes.length === 0) {
      this.#isEdited ||= this.#bad === undefined;
      return;
    }
    const decoded = isTooLong ? "it is longer than 4 MiB" : decodeLine(bytes);
    try {
      if (this.#header === undefined) this.#takeHeader(decoded);
      else if (this.#count < this.#header.resources) this.#takeResource(decoded, this.#header);
      else if (this.#bad !== undefined || typeof decoded === "string") {
        return this.#takeTorn(line, start, decoded);
      } else this.#takeChange(decoded, bytes.length);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw this.#damage(faultOf(error), isSealed(bytes) ? foreignRemedy : lineRemedy);
    }
    this.#end = end;
    this.#isEdited ||= !hasNewline || !isSealed(bytes);
  }

  result(): Omit<StoreRead, "crc"> {
    const header = this.#header;
    if (header === undefined) throw damage(1, "the file is empty", headerRemedy);
    if (this.#count < header.resources) {
      const got = `${this.#count}, and the file ends here`;
      throw this.#damage(`expected ${header.resources} resources, as the header says, got ${got}`);
    }
    const bytes = this.#fileEnd - this.#end;
    if (bytes > maxTornBytes) {
      const fault = `${bytes} bytes from here on are not what Forno writes`;
      throw damage(this.#bad?.number ?? this.#line, fault, lineRemedy);
    }
    return {
      history: this.#history,
      lines: this.#count,
      end: this.#end,
      isEdited: this.#isEdited,
      torn: this.#bad && { line: this.#bad.number, bytes },
    };
  }

  #takeHeader(decoded: JsonObject | string): void {
    if (typeof decoded === "string" || !isHeader(decoded)) {
      const fault = typeof decoded === "string" ? decoded : "it is another object";
      throw this.#damage(`expected the header of a Forno store, but ${fault}`, headerRemedy);
    }
    const { forno, seq } = decoded;
    if (forno !== storeFormat) {
      const fault = `expected format ${storeFormat}, got format ${forno}`;
      throw this.#damage(fault, formatRemedy);
    }
    this.#header = decoded;
    this.#history = new History(seq);
  }

  #takeResource(decoded: JsonObject | string, { resources }: Header): void {
    if (typeof decoded === "string") throw this.#damage(decoded);
    if (!isEntry(decoded) || decoded.after !== undefined) {
      const expected = `expected resource ${this.#count + 1} of ${resources}`;
      throw this.#damage(`${expected}, as the header says, got another line`);
    }
    const { seq } = decoded;
    const { last } = this.#history;
    if (seq > last) throw Invalid.at(["seq"], `expected at most ${last}, got ${seq}`);
    this.#tables.load(decoded);
    this.#count += 1;
  }

  #takeChange(decoded: JsonObject, bytes: number): void {
    if (!isEntry(decoded)) throw this.#damage("expected a change, got another object");
    if (decoded.after === undefined) {
      const fault = `the header says ${this.#header?.resources} resources, and here is one more`;
      throw this.#damage(fault);
    }
    const { seq, after } = decoded;
    const { last } = this.#history;
    if (seq <= last) {
      throw this.#damage(`expected a change with a number above ${last}, got ${seq}`);
    }
    // Numbers jump only at a start, whose first batch comes after the last line before it. Any
    // other gap is a line that a person has deleted.
    this.#isEdited ||= seq !== last + 1 && after !== last;
    this.#history.add(this.#tables.replay(decoded, bytes));
    this.#count += 1;
  }

  /** The first bad line, or any line after it. Throws if the bad line was once on disk. */
  #takeTorn(line: Line, start: number, decoded: JsonObject | string): void {
    if (typeof decoded === "string") {
      if (this.#bad === undefined && !isTorn(line, start)) throw this.#damage(decoded);
      this.#bad ??= { number: line.number, fault: decoded };
    } else if (this.#bad !== undefined && isEntry(decoded)) {
      const { number, fault } = this.#bad;
      if ((decoded.after ?? 0) > this.#history.last) throw damage(number, fault, lineRemedy);
    }
  }

  /** The error of the last line. */
  #damage(fault: string, hint: string = lineRemedy): StoreError {
    return damage(this.#line, fault, hint);
  }
}

/** A disk writes whole sectors of this length. */
const sectorBytes = 512;

/**
 * True if a crash can have left this bad line: it lacks its newline, or zeros reach to the end of a
 * sector, which was not written. (One zero alone may be a space with a flipped bit.)
 */
function isTorn({ bytes, hasNewline }: Line, start: number): boolean {
  let end = sectorBytes - (start % sectorBytes);
  for (; end <= bytes.length; end += sectorBytes) {
    if (bytes[end - 1] === 0 && (bytes[end - 2] ?? 0) === 0) return true;
  }
  return !hasNewline;
}

function damage(line: number, fault: string, hint: string): StoreError {
  const isEditors = editorFaults.some((text) => fault.endsWith(text));
  const options = { file: storeName, line, hint: isEditors ? editorRemedy : hint };
  return new StoreError("damaged", fault, options);
}

const editorRemedy =
  "Nothing was changed. Save the file in UTF-8 without a byte order mark, and with the line ends " +
  "of Unix (LF)";
const formatRemedy =
  "Nothing was changed. Another version of Forno has written it: start that version";
const backup = "Nothing was changed. Put a backup in the place of this file";
const headerRemedy =
  `${backup}; or, if you changed this line, delete its "crc"; or move the file away to begin a ` +
  "new shop";
/** For a line whose checksum is right, so nobody has edited it. */
const foreignRemedy =
  "Nothing was changed. Another version of Forno has written this line: start that version; or, " +
  "to go on with this one, repair the line (add a missing field, remove an unknown one) and " +
  'delete its "crc"';
const lineRemedy =
  `${backup}; or repair this line and delete its "crc"; or delete the line, which undoes a ` +
  "change. " +
  'If you delete or add a resource, correct "resources" in line 1 and delete the "crc" of line 1';
