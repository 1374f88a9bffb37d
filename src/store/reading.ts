/**
 * Reads store.ndjson into tables, and tells a torn end from damage. It changes no file.
 *
 * A crash can leave the last batch complete, cut short or with holes; everything before it is
 * complete. So everything from the first bad line on is the *torn end* of that batch. But if the
 * `after` of a later good line says that the bad line was once on disk, the file is *damaged*. So
 * is a bad line among the resources, which are synced before the file has its name.
 *
 * In a copy, these are skipped: an empty line; a line in which the copy broke off, if it goes on
 * behind it; a change that is there twice; `store.closed` before the end.
 */

import { History } from "./history.ts";
import type { OpenFile } from "./file-system.ts";
import {
  decodeLine,
  type Header,
  isClosing,
  isEntry,
  isHeader,
  isSealed,
  storeFormat,
  storeName,
} from "./line.ts";
import { Invalid, type JsonObject } from "../problems/faults.ts";
import { type Line, readLines } from "./line-reader.ts";
import { faultOf, newerHint, StoreError } from "./store-error.ts";
import type { Tables } from "./tables.ts";

/** A part of the file. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The file's content. Its rows are in the tables. */
export interface StoreRead {
  readonly header: Header;
  readonly history: History;
  /** The good lines but `store.closed`: several ranges if something between them was skipped. */
  readonly good: readonly Range[];
  /** Bytes of header and resources, without what was skipped. */
  readonly changesStart: number;
  /** True if the last line is `store.closed`, and nothing was skipped. */
  readonly isClosed: boolean;
  readonly torn: { readonly line: number; readonly bytes: number } | undefined;
}

/** Rejects with StoreError "damaged", or with the error of a read. */
export async function readStore(
  file: Pick<OpenFile, "read">,
  tables: Tables,
): Promise<StoreRead> {
  const reading = new StoreReading(tables);
  await readLines(file, (line) => reading.take(line));
  return reading.result();
}

/** A bad line: `bytes` is a copy. */
interface BadLine {
  readonly bytes: Buffer;
  readonly number: number;
  readonly fault: string;
}

class StoreReading {
  readonly #tables: Tables;
  #header: Header | undefined;
  #history = new History(0);
  #resources = 0;
  /** The first one begins with the file: what is skipped before the header makes a second. */
  readonly #good: Range[] = [{ start: 0, end: 0 }];
  #goodBytes = 0;
  #changesStart = 0;
  #isClosed = false;
  /** The first bad line after the good ones, and the number of lines since. */
  #bad: BadLine | undefined;
  #linesSinceBad = 0;
  /** The checksum of the last change. */
  #crc: unknown;
  #line = 0;
  #end = 0;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  take(line: Line): void {
    this.#line = line.number;
    this.#end = line.end;
    if (line.bytes.length === 0 && line.isWhole) return;
    const decoded = line.isWhole ? decodeLine(line.bytes) : "it is cut off, or too long";
    if (this.#header === undefined) this.#takeHeader(line, decoded);
    else if (this.#resources < this.#header.resources) this.#takeResource(line, decoded);
    else if (typeof decoded === "string") this.#takeBad(line, decoded);
    else if (this.#bad === undefined || this.#goesOn(line, decoded, this.#bad)) {
      this.#take(line, decoded);
    } else this.#requireTorn(this.#bad, decoded);
  }

  result(): StoreRead {
    const header = this.#header;
    if (header === undefined) throw damage(1, "the file is empty", backupRemedy);
    const missing = header.resources - this.#resources;
    if (missing > 0) {
      const got = `${this.#resources}, and the file ends here`;
      const fault = `expected ${header.resources} resources, as the header says, got ${got}`;
      throw damage(this.#line, fault, countRemedy);
    }
    const isWhole = this.#good.length === 1;
    const goodEnd = this.#good.at(-1)?.end ?? 0;
    return {
      header,
      history: this.#history,
      good: this.#good,
      changesStart: this.#changesStart,
      isClosed: this.#isClosed && this.#bad === undefined && isWhole,
      torn: this.#bad && { line: this.#bad.number, bytes: this.#end - goodEnd },
    };
  }

  #takeHeader(line: Line, decoded: JsonObject | string): void {
    if (typeof decoded === "string" || !isHeader(decoded)) {
      const fault = typeof decoded === "string" ? decoded : "it is another object";
      throw damage(1, `expected the header of a Forno store, but ${fault}`, headerRemedy);
    }
    if (decoded.forno !== storeFormat) {
      const expected = `expected format ${storeFormat}, got format ${decoded.forno}`;
      throw damage(1, expected, decoded.forno > storeFormat ? newerHint : headerRemedy);
    }
    this.#header = decoded;
    this.#history = new History(decoded.seq);
    this.#addGood(line);
    this.#changesStart = this.#goodBytes;
  }

  #takeResource(line: Line, decoded: JsonObject | string): void {
    if (typeof decoded === "string") throw damage(line.number, decoded, resourceRemedy);
    if (!isEntry(decoded) || decoded.after !== undefined) {
      const fault = `expected resource ${this.#resources + 1} of ${this.#header?.resources}`;
      throw damage(line.number, `${fault}, as the header says, got another line`, countRemedy);
    }
    const { seq, event, data, kept } = decoded;
    this.#fill(line, resourceRemedy, () => {
      const { last } = this.#history;
      if (seq > last) throw Invalid.at(["seq"], `expected at most ${last}, got ${seq}`);
      this.#tables.load(event.split(".")[0] ?? "", seq, data, kept);
    });
    this.#resources += 1;
    this.#addGood(line);
    this.#changesStart = this.#goodBytes;
  }

  #takeBad(line: Line, fault: string): void {
    if (this.#bad !== undefined) this.#linesSinceBad += 1;
    this.#bad ??= { bytes: Buffer.from(line.bytes), number: line.number, fault };
    this.#isClosed = false;
    // The broken byte may be the newline before a good line.
    const text = line.bytes;
    const at = Math.max(text.lastIndexOf('{"seq":'), text.lastIndexOf('{"after":'));
    const last = at > 0 && line.isWhole ? decodeLine(text.subarray(at)) : "";
    if (typeof last !== "string") this.#requireTorn(this.#bad, last);
  }

  /**
   * True if a copy broke off in the bad line, and goes on with this one: it has the next number, or
   * it repeats the bad line from its beginning. In a torn batch the bad line has the next number.
   */
  #goesOn({ bytes }: Line, { seq }: JsonObject, bad: BadLine): boolean {
    if (this.#linesSinceBad > 0) return false;
    return seq === this.#history.last + 1 || bytes.subarray(0, bad.bytes.length).equals(bad.bytes);
  }

  /** Throws unless the bad line can be the beginning of a torn end with this line in it. */
  #requireTorn({ number, fault }: BadLine, later: JsonObject): void {
    this.#linesSinceBad += 1;
    const { after } = later;
    if (typeof after !== "number" || after <= this.#history.last) return;
    throw damage(number, fault, changeRemedy);
  }

  #take(line: Line, members: JsonObject): void {
    this.#bad = undefined;
    if (isClosing(members)) {
      this.#isClosed = true;
      return;
    }
    this.#isClosed = false;
    if (!isEntry(members)) {
      throw damage(line.number, "expected a change, got another object", changeRemedy);
    }
    if (members.after === undefined) {
      const fault = `the header says ${this.#header?.resources} resources, and here is one more`;
      throw damage(line.number, fault, countRemedy);
    }
    const { last } = this.#history;
    const { crc } = members as JsonObject;
    // A copy broke off before the newline of this line, and its client asked for the line again.
    if (members.seq === last && crc !== undefined && crc === this.#crc) return;
    this.#crc = crc;
    if (members.seq <= last) {
      const fault = `expected a change with a number above ${last}, got ${members.seq}`;
      throw damage(line.number, fault, changeRemedy);
    }
    this.#fill(line, changeRemedy, () => {
      this.#history.add(this.#tables.replay(members, line.bytes.length));
    });
    this.#addGood(line);
  }

  /** `remedy`: for a line that a person has changed. */
  #fill({ number, bytes }: Line, remedy: string, fill: () => void): void {
    try {
      fill();
    } catch (error) {
      throw damage(number, faultOf(error), isSealed(bytes) ? newerHint : remedy);
    }
  }

  #addGood({ start, end }: Line): void {
    this.#goodBytes += end - start;
    const last = this.#good.at(-1);
    if (last?.end === start) this.#good[this.#good.length - 1] = { start: last.start, end };
    else this.#good.push({ start, end });
  }
}

function damage(line: number, fault: string, hint: string): StoreError {
  return new StoreError("damaged", fault, { file: storeName, line, hint });
}

const backup = "Nothing was changed. Put a backup in the place of this file";
const backupRemedy = `${backup}, or move the file away to begin a new shop`;
const headerRemedy =
  `${backup} (one of Forno 1 or 2 goes into MENU_FILE, with an empty DATA_DIR); or, if you ` +
  'changed this line, delete its "crc"; or move the file away to begin a new shop';
const resourceRemedy =
  `${backup}; or mend this line and delete its "crc"; or delete the line, lower "resources" in ` +
  'line 1 by one, and delete the "crc" of line 1';
const countRemedy =
  `${backup}; or, if you deleted or added a line, correct "resources" in line 1 and delete the ` +
  '"crc" of line 1';
const changeRemedy =
  `${backup}; or mend this line and delete its "crc"; or delete the line, which undoes this one ` +
  "change";
