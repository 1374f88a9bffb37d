/**
 * Reads a folder of Forno 1 or 2: the document store.json, and the journals with the changes since.
 * opening.ts writes one store.ndjson of it. To be deleted one day.
 *
 * The document has one resource a line, and ends with the checksum of all bytes before it. A
 * journal has one change a line, in the form of today's changes, with hidden data among `data`. Its
 * first line is a header; a mark (`store.mark`) has a number and changes nothing. As in today's
 * file, a bad line begins a torn end, unless a later `after` says that it was on disk.
 */

import { join } from "node:path";
import { crc32 } from "node:zlib";
import { seqOf } from "./document.ts";
import type { FileSystem } from "./file-system.ts";
import { decodeLine, isEntry } from "./line.ts";
import { type Line, readLines } from "./line-reader.ts";
import { damageHint, faultOf, StoreError } from "./store-error.ts";
import type { Tables } from "./tables.ts";

export const documentName = "store.json";

/** True for the name of a journal. */
export function isJournal(name: string): boolean {
  return /^journal-\d{6,}\.ndjson$/.test(name);
}

/** Reads the folder into the tables. Resolves to the number of the last change. */
export async function readFormat1(
  files: FileSystem,
  folder: string,
  tables: Tables,
): Promise<number> {
  const journals = (await files.list(folder)).filter(isJournal).sort();
  if (journals.length === 0) {
    throw new StoreError("damaged", "expected a journal beside it, found none", {
      file: documentName,
      hint:
        "Nothing was changed. Put the journals back; or, if this file is a backup, start with an " +
        "empty DATA_DIR and this file as MENU_FILE",
    });
  }
  const each = async (name: string, take: (line: Line) => void): Promise<void> => {
    const file = await files.open(join(folder, name), "read");
    await readLines(file, (line) => {
      try {
        take(line);
      } catch (error) {
        const fault = error instanceof SyntaxError ? "it is not JSON" : faultOf(error);
        throw damage(name, line.number, fault);
      }
    }).finally(() => file.close());
  };
  const document = new DocumentLines(tables);
  await each(documentName, (line) => document.take(line));
  const changes = new JournalLines(tables, document.requireEnd());
  for (const name of journals) await each(name, (line) => changes.take(name, line));
  return changes.seq;
}

class DocumentLines {
  readonly #tables: Tables;
  #kind = "";
  #seq: number | undefined;
  #crc = 0;
  #line = 0;
  #isWhole = false;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  take({ bytes, number }: Line): void {
    const text = bytes.toString();
    this.#line = number;
    this.#isWhole ||= text === `"crc":"${this.#crc.toString(16).padStart(8, "0")}"`;
    this.#crc = crc32("\n", crc32(bytes, this.#crc));
    const [, name, value = ""] = /^"(\w+)":(.*?),?$/.exec(text) ?? [];
    if (name === "seq") this.#seq = Number(value);
    else if (value === "[") this.#kind = name ?? "";
    else if (value.startsWith("{")) this.#put(name ?? "", value);
    else if (text.startsWith("{") && number > 1) this.#put(this.#kind, text.replace(/,$/, ""));
  }

  /** The number of the last change in the document. */
  requireEnd(): number {
    if (this.#isWhole && this.#seq !== undefined) return this.#seq;
    throw damage(documentName, this.#line, "the document's checksum is missing or wrong");
  }

  #put(kind: string, json: string): void {
    const resource: unknown = JSON.parse(json);
    this.#tables.load(kind, seqOf(resource), resource);
  }
}

class JournalLines {
  readonly #tables: Tables;
  /** The number of the last change. */
  seq: number;
  #torn: { readonly name: string; readonly line: number } | undefined;

  constructor(tables: Tables, seq: number) {
    this.#tables = tables;
    this.seq = seq;
  }

  take(name: string, { bytes, number, isWhole }: Line): void {
    const decoded = isWhole ? decodeLine(bytes) : "";
    if (typeof decoded === "string" || !isEntry(decoded)) {
      this.#torn ??= { name, line: number };
      return;
    }
    const { seq, after = 0, event } = decoded;
    if (this.#torn !== undefined) {
      if (after <= this.seq) return;
      throw damage(this.#torn.name, this.#torn.line, "the line is not what was written");
    }
    if (event === "store.journal" || seq <= this.seq) return;
    if (seq !== this.seq + 1) {
      throw damage(name, number, `expected change ${this.seq + 1}, got ${seq}`);
    }
    this.seq = seq;
    if (event !== "store.mark") this.#tables.replay(decoded, 0);
  }
}

function damage(file: string, line: number, fault: string): StoreError {
  return new StoreError("damaged", fault, { file, line, hint: damageHint });
}
