/**
 * Reads store.ndjson into tables, and tells a torn end from damage. It changes no file.
 *
 * A crash can leave the last batch complete, cut short or with holes; everything before it is
 * complete. So everything from the first bad line on is the *torn end* of that batch. But if the
 * `after` of a later good line says that the bad line was once on disk, the file is *damaged*. So
 * is a bad line among the resources, which are synced before the file has its name.
 *
 * A copy that was resumed by appending has more. Skipped are: empty lines; a line that is repeated,
 * whole or from its beginning, by the next good one; `store.closed` before the end.
 */

import { Invalid, type JsonObject } from "../problems/faults.ts";
import type { OpenFile } from "./file-system.ts";
import { History } from "./history.ts";
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
import { type Line, readLines } from "./line-reader.ts";
import { faultOf, newerHint, StoreError } from "./store-error.ts";
import type { Tables } from "./tables.ts";

/** The file's content. Its rows are in the tables. */
export interface StoreRead {
  readonly header: Header;
  readonly history: History;
  /** The offset after header and resources. */
  readonly changesStart: number;
  /** The offset after the last resource or change. */
  readonly end: number;
  /** True if the last line is `store.closed`. */
  readonly isClosed: boolean;
  /** True if something before the end was skipped. */
  readonly hasSkipped: boolean;
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
  #changesStart = 0;
  #end = 0;
  #isClosed = false;
  #hasSkipped = false;
  /** The first bad line after the good ones. */
  #bad: BadLine | undefined;
  /** The checksum of the last change. */
  #crc: unknown;
  /** The number of the last line, and the offset after it. */
  #line = 0;
  #fileEnd = 0;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  take(line: Line): void {
    const { bytes, number, end, isWhole } = line;
    this.#line = number;
    this.#fileEnd = end;
    if (bytes.length === 0 && isWhole) return;
    const decoded = isWhole ? decodeLine(bytes) : "it is cut off, or too long";
    try {
      if (this.#header === undefined) this.#takeHeader(line, decoded);
      else if (this.#resources < this.#header.resources) this.#takeResource(line, decoded);
      else if (typeof decoded === "string") this.#takeBad(line, decoded);
      else if (this.#bad === undefined || isBeginning(this.#bad.bytes, bytes)) {
        this.#takeChange(line, decoded);
      } else requireTorn(this.#bad, decoded, this.#history);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw damage(number, faultOf(error), isSealed(bytes) ? foreignRemedy : lineRemedy);
    }
  }

  result(): StoreRead {
    const header = this.#header;
    if (header === undefined) throw damage(1, "the file is empty");
    if (this.#resources < header.resources) {
      const got = `${this.#resources}, and the file ends here`;
      const fault = `expected ${header.resources} resources, as the header says, got ${got}`;
      throw damage(this.#line, fault);
    }
    return {
      header,
      history: this.#history,
      changesStart: this.#changesStart,
      end: this.#end,
      isClosed: this.#isClosed,
      hasSkipped: this.#hasSkipped,
      torn: this.#bad && { line: this.#bad.number, bytes: this.#fileEnd - this.#end },
    };
  }

  #takeHeader(line: Line, decoded: JsonObject | string): void {
    if (typeof decoded === "string" || !isHeader(decoded)) {
      const fault = typeof decoded === "string" ? decoded : "it is another object";
      throw damage(1, `expected the header of a Forno store, but ${fault}`);
    }
    if (decoded.forno !== storeFormat) {
      const expected = `expected format ${storeFormat}, got format ${decoded.forno}`;
      throw damage(1, expected, decoded.forno > storeFormat ? newerHint : headerRemedy);
    }
    this.#header = decoded;
    this.#history = new History(decoded.seq);
    this.#goOnAfter(line);
    this.#changesStart = line.end;
  }

  #takeResource(line: Line, decoded: JsonObject | string): void {
    if (typeof decoded === "string") throw damage(line.number, decoded);
    if (!isEntry(decoded) || decoded.after !== undefined) {
      const fault = `expected resource ${this.#resources + 1} of ${this.#header?.resources}`;
      throw damage(line.number, `${fault}, as the header says, got another line`);
    }
    const { seq, event, data, kept } = decoded;
    const { last } = this.#history;
    if (seq > last) throw Invalid.at(["seq"], `expected at most ${last}, got ${seq}`);
    this.#tables.load(event.split(".")[0] ?? "", seq, data, kept);
    this.#resources += 1;
    this.#goOnAfter(line);
    this.#changesStart = line.end;
  }

  #takeBad({ bytes, number, isWhole }: Line, fault: string): void {
    this.#bad ??= { bytes: Buffer.from(bytes), number, fault };
    this.#isClosed = false;
    // The broken byte may be the newline before a good line.
    const at = Math.max(bytes.lastIndexOf('{"seq":'), bytes.lastIndexOf('{"after":'));
    const last = at > 0 && isWhole ? decodeLine(bytes.subarray(at)) : "";
    if (typeof last !== "string") requireTorn(this.#bad, last, this.#history);
  }

  #takeChange(line: Line, members: JsonObject): void {
    this.#bad = undefined;
    this.#isClosed = isClosing(members);
    if (this.#isClosed) return;
    if (!isEntry(members)) {
      throw damage(line.number, "expected a change, got another object");
    }
    if (members.after === undefined) {
      const fault = `the header says ${this.#header?.resources} resources, and here is one more`;
      throw damage(line.number, fault);
    }
    const { last } = this.#history;
    const { seq } = members;
    const { crc } = members as JsonObject;
    if (seq === last && crc !== undefined && crc === this.#crc) return;
    if (seq <= last) {
      const fault = `expected a change with a number above ${last}, got ${seq}`;
      throw damage(line.number, fault);
    }
    this.#crc = crc;
    this.#history.add(this.#tables.replay(members, line.bytes.length));
    this.#goOnAfter(line);
  }

  #goOnAfter({ start, end }: Line): void {
    if (start !== this.#end) this.#hasSkipped = true;
    this.#end = end;
  }
}

/** True if a copy broke off in the bad line, and goes on with this one. */
function isBeginning(bad: Buffer, line: Buffer): boolean {
  return line.subarray(0, bad.length).equals(bad);
}

/** Throws unless the bad line can be the beginning of a torn end with the later line in it. */
function requireTorn({ number, fault }: BadLine, later: JsonObject, { last }: History): void {
  const { after } = later;
  if (typeof after === "number" && after > last) throw damage(number, fault);
}

function damage(line: number, fault: string, hint?: string): StoreError {
  const remedy = line === 1 ? headerRemedy : lineRemedy;
  return new StoreError("damaged", fault, { file: storeName, line, hint: hint ?? remedy });
}

const backup = "Nothing was changed. Put a backup in the place of this file";
const headerRemedy =
  `${backup} (one of Forno 1 or 2 goes into MENU_FILE, with an empty DATA_DIR); or, if you ` +
  'changed this line, delete its "crc"; or move the file away to begin a new shop';
/** For a line that is whole: no one has edited it. */
const foreignRemedy =
  "Nothing was changed. Another version of Forno has written this line: start that version; or, " +
  "to go on with this one, mend the line (add a field that is missing, remove one that is " +
  'unknown) and delete its "crc"';
const lineRemedy =
  `${backup}; or mend this line and delete its "crc"; or delete the line, which undoes a change. ` +
  'If you delete or add a resource, correct "resources" in line 1 and delete the "crc" of line 1';
