/**
 * Reads store.ndjson into tables, and tells a torn end from damage. It changes no file.
 *
 * A crash can leave the last batch complete, cut short or with holes; everything before it is
 * complete. So a bad line that lacks its newline, or has zeros up to the end of a sector, begins
 * the *torn end* of that batch. Any other bad line is *damage*. So is one of which the `after` of a
 * later good line says that it was once on disk, and one among the resources, which are synced
 * before the file has its name.
 *
 * A write of several changes counts whole or not at all, so its lines are held until the last of
 * them is read. If the good part of the file ends before that, the torn end begins at the first of
 * them. A crash takes no line out of the middle: if a good line of another write stands behind
 * them, or an empty line, a person has deleted the last one, and the others count.
 *
 * A person may edit the file too. Then there are lines without a checksum, empty lines, lines that
 * are missing, and a last line without its newline. All of these are read.
 */

import { Invalid, isObject, type JsonObject } from "../problems/faults.ts";
import type { OpenFile } from "./file-system.ts";
import { History } from "./history.ts";
import {
  decodeLine,
  editorFaults,
  type Entry,
  type Header,
  idIn,
  isEntry,
  isHeader,
  isSealed,
  storeFormat,
} from "./line.ts";
import { type Line, readLines } from "./line-reader.ts";
import type { Change } from "./row.ts";
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
  readonly torn: TornEnd | undefined;
}

/** The end of the file that a crash has left, from its first line on. */
interface TornEnd {
  readonly line: number;
  readonly bytes: number;
  /** The ids of the resources in its good lines. */
  readonly ids: readonly string[];
}

/** `path`: for messages. Rejects with StoreError "damaged", or with the error of a read. */
export async function readStore(
  file: Pick<OpenFile, "read">,
  tables: Tables,
  path: string,
): Promise<StoreRead> {
  const reading = new StoreReading(tables, path);
  const crc = await readLines(file, (line) => reading.take(line));
  return { ...reading.result(), crc };
}

/** Longer than any batch, so no crash leaves more. */
const maxTornBytes = 67_108_864;

class StoreReading {
  readonly #tables: Tables;
  readonly #path: string;
  #header: Header | undefined;
  #history = new History(0);
  #lines = 0;
  #end = 0;
  #isEdited = false;
  /** The lines of a write whose last one was not read yet. */
  #held: HeldLine[] = [];
  /** The seq of the last line that was held or applied, and the last one of its write. */
  #seq = 0;
  #upTo = 0;
  /** The ids in the good lines behind the first bad one. */
  readonly #tornIds: string[] = [];
  /** The first bad line among the changes. */
  #bad: (Place & { readonly fault: string }) | undefined;
  /** The number of the last line, its bytes while it is taken, and the offset after it. */
  #line = 0;
  #bytes: Buffer | undefined;
  #fileEnd = 0;

  constructor(tables: Tables, path: string) {
    this.#tables = tables;
    this.#path = path;
  }

  take(line: Line): void {
    const { bytes, number, end, isTooLong } = line;
    const start = this.#fileEnd;
    this.#line = number;
    this.#bytes = bytes;
    this.#fileEnd = end;
    if (bytes.length === 0) return this.#bad === undefined ? this.#takeEmpty() : undefined;
    const decoded = isTooLong ? "it is longer than 4 MiB" : decodeLine(bytes);
    try {
      if (this.#header === undefined) this.#takeHeader(decoded);
      else if (this.#lines < this.#header.resources) this.#takeResource(decoded, this.#header);
      else if (this.#bad !== undefined || typeof decoded === "string") {
        return this.#takeTorn(line, start, decoded);
      } else return this.#takeChange(line, decoded);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw this.#damage(faultOf(error), isSealed(bytes) ? foreignRemedy : lineRemedy);
    }
    this.#end = end;
    this.#isEdited ||= isEditedLine(line);
  }

  result(): Omit<StoreRead, "crc"> {
    const header = this.#header;
    this.#bytes = undefined;
    if (header === undefined) throw this.#damageAt({ line: 1 }, "the file is empty", headerRemedy);
    if (this.#lines < header.resources) {
      const expected = `expected ${header.resources} resources, as the header says`;
      const fault = `${expected}, got ${this.#lines}, and the file ends here`;
      throw this.#damage(fault, countRemedy(this.#lines));
    }
    const bytes = this.#fileEnd - this.#end;
    const line = this.#held[0]?.number ?? this.#bad?.line;
    if (bytes > maxTornBytes) {
      const fault = `${bytes} bytes from here on are not what Forno writes`;
      throw this.#damageAt({ line: line ?? this.#line }, fault, lineRemedy);
    }
    const ids = [...this.#held.flatMap((one) => one.ids), ...this.#tornIds];
    return {
      history: this.#history,
      lines: this.#lines,
      end: this.#end,
      isEdited: this.#isEdited,
      torn: line === undefined ? undefined : { line, bytes, ids },
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
    this.#seq = seq;
  }

  #takeResource(decoded: JsonObject | string, { resources }: Header): void {
    if (typeof decoded === "string") throw this.#damage(decoded);
    if (!isEntry(decoded) || decoded.after !== undefined) {
      const expected = `expected resource ${this.#lines + 1} of ${resources}, as the header says`;
      throw this.#damage(`${expected}, got another line`, countRemedy(this.#lines));
    }
    const { seq } = decoded;
    const { last } = this.#history;
    if (seq > last) throw Invalid.at(["seq"], `expected at most ${last}, got ${seq}`);
    this.#tables.load(decoded);
    this.#lines += 1;
  }

  #takeChange(line: Line, decoded: JsonObject): void {
    if (!isEntry(decoded)) throw this.#damage("expected a change, got another object");
    if (decoded.after === undefined) {
      const fault = `the header says ${this.#header?.resources} resources, and here is one more`;
      throw this.#damage(fault);
    }
    const { seq, after, upTo = 0 } = decoded;
    const last = this.#seq;
    if (seq <= last) {
      throw this.#damage(`expected a change with a number above ${last}, got ${seq}`);
    }
    if (seq > this.#upTo || after > this.#history.last) this.#applyHeld();
    const { number, end, bytes } = line;
    const isEdited = isEditedLine(line)
      // Numbers jump only at a start, whose first batch comes after the last line before it. Any
      // other gap is a line that a person has deleted.
      || (seq !== last + 1 && after !== last);
    const apply = this.#tables.replay(decoded, bytes.length);
    this.#held.push({ number, end, isEdited, ids: idsOf(decoded), apply });
    this.#seq = seq;
    this.#upTo = Math.max(seq, upTo);
    if (seq === this.#upTo) this.#applyHeld();
  }

  /** A person has added the empty line, behind everything that is to stay. */
  #takeEmpty(): void {
    this.#applyHeld();
    this.#isEdited = true;
  }

  #applyHeld(): void {
    for (const { end, isEdited, apply } of this.#held) {
      this.#history.add(apply());
      this.#lines += 1;
      this.#end = end;
      this.#isEdited ||= isEdited;
    }
    this.#held = [];
    this.#upTo = 0;
  }

  /** The first bad line, or any line after it. Throws if the bad line was once on disk. */
  #takeTorn(line: Line, start: number, decoded: JsonObject | string): void {
    if (typeof decoded === "string") {
      if (this.#bad === undefined && !isTorn(line, start)) throw this.#damage(decoded);
      this.#bad ??= { line: line.number, id: idIn(this.#bytes), fault: decoded };
    } else if (this.#bad !== undefined && isEntry(decoded)) {
      const { fault } = this.#bad;
      const wasOnDisk = (decoded.after ?? 0) > this.#history.last;
      if (wasOnDisk) throw this.#damageAt(this.#bad, fault, lineRemedy);
      this.#tornIds.push(...idsOf(decoded));
    }
  }

  /** The error of the last line. */
  #damage(fault: string, hint: string = lineRemedy): StoreError {
    return this.#damageAt({ line: this.#line, id: idIn(this.#bytes) }, fault, hint);
  }

  #damageAt({ line, id }: Place, fault: string, hint: string): StoreError {
    const isEditors = editorFaults.some((text) => fault.endsWith(text));
    const remedy = isEditors ? editorRemedy : hint;
    return new StoreError("damaged", fault, { file: this.#path, line, id, hint: remedy });
  }
}

/** A good line of a change that is not applied yet. */
interface HeldLine extends Pick<Line, "number" | "end"> {
  readonly isEdited: boolean;
  readonly ids: readonly string[];
  readonly apply: () => Change;
}

/** The id of the resource that a line is about. The shop has none. */
function idsOf({ data }: Entry): readonly string[] {
  const id = isObject(data) ? data["id"] : undefined;
  return typeof id === "string" ? [id] : [];
}

/** A line, and the id in it. */
interface Place {
  readonly line: number;
  readonly id?: string | undefined;
}

function isEditedLine({ bytes, hasNewline }: Line): boolean {
  return !hasNewline || !isSealed(bytes);
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

const editorRemedy =
  "Nothing was changed. Save the file in UTF-8 without a byte order mark, and with the line ends " +
  "of Unix (LF)";
const formatRemedy =
  "Nothing was changed. Another version of Forno has written it: start that version";
const backup = "Nothing was changed. Put a backup in the place of this file";
const headerRemedy =
  `${backup}; or, if you changed this line, delete its "crc"; or move the file away to begin a ` +
  "new shop";
/** For fewer resources than the header says. The line itself may be good. */
const countRemedy = (count: number): string => `${backup}; or, if you deleted a resource, set ` +
  `"resources" in line 1 to ${count} and delete the "crc" of line 1`;
/** For a line whose checksum is right, so nobody has edited it. */
const foreignRemedy =
  "Nothing was changed. Another version of Forno has written this line: start that version; or, " +
  "to go on with this one, repair the line (add a missing field, remove an unknown one) and " +
  'delete its "crc"';
const lineRemedy =
  `${backup}; or repair this line and delete its "crc"; or delete the line, which undoes a ` +
  "change. " +
  'If you delete or add a resource, correct "resources" in line 1 and delete the "crc" of line 1';
