/**
 * Reads a folder of Forno 1 or 2: the document store.json, and the journals with the changes since.
 * opening.ts writes one store.ndjson of it. To be deleted one day.
 *
 * A journal has one change a line, in the form of today's changes, with hidden data among `data`.
 * Its first line is a header, with the number 0; a mark (`store.mark`) has a number and changes
 * nothing. As in today's file, a bad line begins a torn end, unless a later `after` says that it
 * was on disk.
 */

import { join } from "node:path";
import { type Fail, parseDocument } from "./document.ts";
import { type FileSystem, type OpenFile, readPieces } from "./file-system.ts";
import { decodeLine, isEntry } from "./line.ts";
import { readLines } from "./line-reader.ts";
import { damageHint, faultOf, StoreError } from "./store-error.ts";
import type { StoredKind } from "./stored-kind.ts";
import type { Tables } from "./tables.ts";

export const documentName = "store.json";

/** True for the name of a journal. */
export function isJournal(name: string): boolean {
  return /^journal-\d{6,}\.ndjson$/.test(name);
}

/** The folder's rows, and the number of the last change. */
export async function readFormat1(
  files: FileSystem,
  folder: string,
  kinds: readonly StoredKind[],
): Promise<{ readonly tables: Tables; readonly seq: number }> {
  const read = async <T>(name: string, use: (file: OpenFile) => Promise<T>): Promise<T> => {
    const file = await files.open(join(folder, name), "read");
    return use(file).finally(() => file.close());
  };
  const journals = (await files.list(folder)).filter(isJournal).sort();
  if (journals.length === 0) {
    failIn(documentName)("expected a journal beside it, found none; a backup goes into MENU_FILE");
  }
  const bytes = await read(documentName, wholeOf);
  const document = parseDocument(bytes, kinds, failIn(documentName));
  const { tables } = document;
  let { seq } = document;
  let failAsTorn: (() => never) | undefined;
  for (const name of journals) {
    const fail = failIn(name);
    await read(name, (file) =>
      readLines(file, ({ bytes, number, isWhole }) => {
        const change = isWhole ? decodeLine(bytes) : "";
        if (typeof change === "string" || !isEntry(change)) {
          failAsTorn ??= () => fail("the line is not what was written", number);
        } else if (failAsTorn !== undefined) {
          if ((change.after ?? 0) > seq) failAsTorn();
        } else if (change.seq > seq + 1) {
          fail(`expected change ${seq + 1}, got ${change.seq}`, number);
        } else if (change.seq > seq) {
          seq = change.seq;
          try {
            if (change.event !== "store.mark") tables.replay(change, 0);
          } catch (error) {
            fail(faultOf(error), number);
          }
        }
      }),
    );
  }
  return { tables, seq };
}

async function wholeOf(file: OpenFile): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of readPieces(file, 0, Infinity)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

function failIn(file: string): Fail {
  return (detail, line) => {
    throw new StoreError("damaged", detail, { file, line, hint: damageHint });
  };
}
