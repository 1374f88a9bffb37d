/**
 * What a folder's files hold: the document, and what the journals say since.
 *
 * That is the same state wherever a crash fell between the steps in snapshotting.ts: records that
 * the document holds are read over. Nothing is changed here.
 */

import { join } from "node:path";
import { type DocumentHead, documentName, readDocument } from "../documents/document.ts";
import { DocumentError } from "../documents/document-error.ts";
import { type Change, Changes } from "./changes.ts";
import type { FileSystem } from "./file-system.ts";
import { journalName } from "./journal-file.ts";
import type { JournalRecord } from "./record.ts";
import { replay, type Replayed, requireNoGap } from "./replay.ts";
import { damageHint, newerHint, StoreError } from "./store-error.ts";
import { applyRemoval, parseEntry, standingIds, type Table } from "./table.ts";

/** What the files of a folder hold, apart from the rows, which went into the tables. */
export interface Loaded extends Replayed {
  readonly document: DocumentHead;
  readonly changes: Changes;
  /** The numbers of the journals that count, oldest first. */
  readonly journals: readonly number[];
}

/** Reads the document and the journals of these numbers. Throws StoreError "damaged". */
export async function load(
  fileSystem: FileSystem,
  folder: string,
  numbers: readonly number[],
  tables: ReadonlyMap<string, Table>,
): Promise<Loaded> {
  requireNoGap(numbers);
  const document = await loadDocument(fileSystem, join(folder, documentName), tables);
  for (const table of tables.values()) table.version = document.seq;
  const changes = new Changes(document.lastChange);
  const journals = numbers.map((number) => ({ number, path: join(folder, journalName(number)) }));
  const replayed = await replay(fileSystem, journals, document.seq, (record, file, line) => {
    const change = changeOf(record, tables);
    if (change === undefined) {
      const detail = `expected a record this version knows, got ${record.event}`;
      throw new StoreError("damaged", detail, { file, line, hint: newerHint });
    }
    if (change === "mark") return;
    tables.get(change.kind)?.apply(change.seq, change.id, change.entry);
    changes.add(change);
    // What follows from a removal may be lost in a torn end, and its event with it.
    if (change.entry === undefined && applyRemoval(tables, change)) changes.forgetAll();
  });
  const { end } = replayed;
  // Marks that came since take numbers too, which no change may have.
  changes.last = end.seq;
  return { ...replayed, document, changes, journals: numbers.filter((one) => one <= end.number) };
}

async function loadDocument(
  fileSystem: FileSystem,
  path: string,
  tables: ReadonlyMap<string, Table>,
): Promise<DocumentHead> {
  const { bytes } = await fileSystem.stat(path);
  const file = await fileSystem.open(path, "read");
  try {
    return await readDocument(file, bytes, standingIds(tables), (kind, text) => {
      const table = tables.get(kind);
      const entry = parseEntry(text);
      if (table !== undefined && entry !== undefined) table.put(entry);
      return table !== undefined && entry !== undefined;
    });
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const place = error.line === undefined ? {} : { line: error.line };
    const options = { ...place, file: documentName, hint: damageHint };
    throw new StoreError("damaged", error.detail, options);
  } finally {
    await file.close();
  }
}

/** Undefined: no record of this version's. */
function changeOf(
  { seq, event, data }: JournalRecord,
  tables: ReadonlyMap<string, Table>,
): Change | "mark" | undefined {
  if (event.startsWith("store.")) return "mark";
  const [kind = "", action = ""] = event.split(".");
  const table = tables.get(kind);
  const entry = action === "deleted" ? undefined : parseEntry(data);
  const id = action === "deleted" ? deletedId(data) : entry?.id;
  if (!isAction(action) || id === undefined || table === undefined) return undefined;
  return { seq, kind, action, id, entry, before: table.get(id) };
}

function deletedId(data: string): string | undefined {
  const value: unknown = JSON.parse(data);
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
  return typeof id === "string" ? id : undefined;
}

function isAction(action: string): action is Change["action"] {
  return action === "created" || action === "updated" || action === "deleted";
}
