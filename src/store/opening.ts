/**
 * From a folder to a Store.
 *
 * Every journal that is there is replayed, in order, upon the snapshots that are there. That gives
 * the same state wherever a crash fell between the steps in store.ts: a record says what is, not
 * what changes, and a resource's place in the order is its seq. A snapshot file is good if one of
 * the records `store.snapshot` in the journals describes it; one may be missing only while
 * journal 1, from which it can be rebuilt, is there.
 *
 * A new store begins with journal 1, which holds the menu and gets its name when it is complete.
 */

import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Log } from "../log.ts";
import { publish, temporarySuffix, writeTemporary } from "./atomic-file.ts";
import { type Change, Changes } from "./changes.ts";
import { diskFileSystem, type FileSystem, type OpenFile } from "./file-system.ts";
import { headerRecord, type JournalEnd, journalName, journalNumber, replay } from "./journal.ts";
import { lockFolder, type Unlock } from "./lock.ts";
import { encodeRecord, type JournalRecord, recordCapacity } from "./record.ts";
import { damageHint, type Expected, readSnapshot, snapshotName } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";
import { applyChange, type Draft, type Opened, Store, type StoreObservers } from "./store.ts";
import { type IndexKey, makeEntry, parseEntry, Table } from "./table.ts";

/** A kind as the store sees it: a name for its file and events, and keys to find rows by. */
export interface StoredKind {
  readonly name: string;
  readonly indexes?: Readonly<Record<string, IndexKey>>;
}

export interface NewResource extends Draft {
  readonly kind: string;
  readonly id: string;
}

export interface OpenOptions extends StoreObservers {
  readonly folder: string;
  readonly kinds: readonly StoredKind[];
  readonly log: Log;
  /** Called once, when the store is new: what it begins with. */
  readonly firstContent?: () => Iterable<NewResource>;
  readonly fileSystem?: FileSystem;
  readonly lock?: (folder: string) => Promise<Unlock>;
}

/** Opens the folder for this process alone, and the store in it. Throws StoreError. */
export function openStore(options: OpenOptions): Promise<Store> {
  return withFolder(options, async (opening) => new Store(await opening.open(), options));
}

/**
 * Puts resources into a new or empty store: all of them or, whatever happens, none.
 * Throws StoreError "not-empty" when something is there already.
 */
export function fillStore(options: OpenOptions, content: Iterable<NewResource>): Promise<void> {
  return withFolder(options, (opening) => opening.fill(content));
}

async function withFolder<T>(
  options: OpenOptions,
  use: (opening: Opening) => Promise<T>,
): Promise<T> {
  const { folder, fileSystem = diskFileSystem, lock = lockFolder } = options;
  try {
    await fileSystem.makeFolder(folder);
    const unlock = await lock(folder);
    try {
      return await use(new Opening(options, fileSystem, unlock));
    } catch (error) {
      await unlock();
      throw error;
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    // A mistake of the content's, not of the folder's.
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new StoreError("unusable", `cannot use the folder ${folder}: ${error.message}`, {
      cause: error,
    });
  }
}

/** Of a journal written at once; several times what the largest resource takes. */
const pieceBytes = 1_048_576;

interface PlacedRecord extends JournalRecord {
  readonly file: string;
  readonly line: number;
}

class Opening {
  readonly #options: OpenOptions;
  readonly #files: FileSystem;
  readonly #unlock: Unlock;
  readonly #tables: ReadonlyMap<string, Table>;

  constructor(options: OpenOptions, files: FileSystem, unlock: Unlock) {
    this.#options = options;
    this.#files = files;
    this.#unlock = unlock;
    this.#tables = new Map(options.kinds.map((kind) => [kind.name, new Table(kind.indexes)]));
  }

  async open(): Promise<Opened> {
    const names = await this.#tidiedNames();
    const isNew = journalNumbers(names).length === 0;
    if (isNew) {
      this.#refuseLostJournal(names);
      await this.#addJournal(1, 0, this.#options.firstContent?.() ?? []);
    }
    const found = isNew ? [1] : journalNumbers(names);
    const { records, end } = await this.#readJournals(found);
    const hasSnapshots = await this.#readSnapshots(names, found, records);
    const changes = this.#apply(records);
    const journals = found.filter((number) => number <= end.number);
    return {
      folder: this.#options.folder,
      isNew,
      tables: this.#tables,
      changes,
      journals,
      olderBytes: await this.#bytesOf(journals.slice(0, -1)),
      file: await this.#continueJournal(end),
      end,
      hasSnapshots,
      fileSystem: this.#files,
      unlock: this.#unlock,
    };
  }

  async fill(content: Iterable<NewResource>): Promise<void> {
    const names = await this.#tidiedNames();
    if (journalNumbers(names).length === 0) {
      this.#refuseLostJournal(names);
      await this.#addJournal(1, 0, content);
    } else {
      const { end, file } = await this.open();
      await file.close();
      if ([...this.#tables.values()].some(({ rows }) => rows.length > 0)) {
        throw new StoreError("not-empty", `the store in ${this.#options.folder} is not empty`, {
          hint: "Give DATA_DIR a new folder, restore there, and serve from it.",
        });
      }
      await this.#addJournal(end.number + 1, end.seq, content);
    }
    await this.#unlock();
  }

  /** The folder's names, without what an interrupted write left. */
  async #tidiedNames(): Promise<string[]> {
    const names = await this.#files.list(this.#options.folder);
    const isOurs = (name: string): boolean =>
      journalNumber(name) !== undefined || this.#kindOf(name) !== undefined;
    for (const name of names) {
      if (!name.endsWith(temporarySuffix)) continue;
      if (isOurs(name.slice(0, -temporarySuffix.length))) await this.#files.remove(this.#path(name));
    }
    return names.filter(isOurs);
  }

  #kindOf(name: string): string | undefined {
    return this.#options.kinds.find((kind) => snapshotName(kind.name) === name)?.name;
  }

  #refuseLostJournal(names: readonly string[]): void {
    const [snapshot] = names;
    if (snapshot === undefined) return;
    throw new StoreError("damaged", `there is ${snapshot} but no journal beside it`, {
      file: journalName(1),
      hint: damageHint,
    });
  }

  /** Writes a whole journal that appears at once. */
  async #addJournal(number: number, seq: number, content: Iterable<NewResource>): Promise<void> {
    const path = this.#path(journalName(number));
    await writeTemporary(this.#files, path, journalPieces(number, seq, content));
    await publish(this.#files, [path]);
  }

  async #readJournals(
    numbers: readonly number[],
  ): Promise<{ records: PlacedRecord[]; end: JournalEnd }> {
    const gap = numbers.find((number, index) => number !== (numbers[0] ?? 0) + index);
    if (gap !== undefined) {
      const missing = journalName(gap - 1);
      throw new StoreError("damaged", "the file is missing", { file: missing, hint: damageHint });
    }
    const records: PlacedRecord[] = [];
    const journals = numbers.map((number) => ({ number, path: this.#path(journalName(number)) }));
    const { end, torn } = await replay(this.#files, journals, (record, file, line) => {
      records.push({ ...record, file, line });
    });
    if (torn !== undefined) {
      this.#options.log.info("the journal has a torn end, left by a crash; it is cut off", {
        ...torn,
      });
    }
    for (const number of numbers.filter((other) => other > end.number).reverse()) {
      await this.#files.remove(this.#path(journalName(number)));
    }
    return { records, end };
  }

  /** True when there is a snapshot of every kind. */
  async #readSnapshots(
    names: readonly string[],
    journals: readonly number[],
    records: readonly PlacedRecord[],
  ): Promise<boolean> {
    let all = true;
    for (const [kind, table] of this.#tables) {
      const expected = expectedSnapshots(kind, journals, records);
      const file = snapshotName(kind);
      if (names.includes(file)) {
        await readSnapshot(this.#files, this.#path(file), expected, table);
      } else {
        all = false;
        if (expected.includes("absent")) continue;
        throw new StoreError("damaged", "the file is missing", { file, hint: damageHint });
      }
    }
    return all;
  }

  #apply(records: readonly PlacedRecord[]): Changes {
    const changes = new Changes((records[0]?.seq ?? 1) - 1);
    for (const record of records) {
      if (record.event.startsWith("store.")) {
        changes.last = record.seq;
        continue;
      }
      const change = this.#changeOf(record);
      applyChange(this.#tables.get(change.kind) ?? new Table(), change);
      changes.add(change);
    }
    return changes;
  }

  #changeOf({ seq, event, data, file, line }: PlacedRecord): Change {
    const [kind = "", action = ""] = event.split(".");
    const table = this.#tables.get(kind);
    const entry = action === "deleted" ? undefined : parseEntry(data);
    const id = entry?.id ?? deletedId(data);
    if (table === undefined || !isAction(action) || id === undefined) {
      throw new StoreError("damaged", `expected a record this version knows, got ${event}`, {
        file,
        line,
        hint: "The folder may have been written by a newer version of Forno.",
      });
    }
    return { seq, kind, action, id, entry, before: table.get(id) };
  }

  /** Cuts off a torn end, and makes durable what a killed process left to the kernel. */
  async #continueJournal(end: JournalEnd): Promise<OpenFile> {
    const file = await this.#files.open(this.#path(journalName(end.number)), "write");
    await file.truncate(end.offset);
    await file.sync();
    await this.#files.syncFolder(this.#options.folder);
    return file;
  }

  async #bytesOf(journals: readonly number[]): Promise<number> {
    let sum = 0;
    for (const number of journals) {
      sum += await this.#files.size(this.#path(journalName(number)));
    }
    return sum;
  }

  #path(name: string): string {
    return join(this.#options.folder, name);
  }
}

function journalNumbers(names: readonly string[]): number[] {
  return names
    .flatMap((name) => journalNumber(name) ?? [])
    .sort((one, other) => one - other);
}

function* journalPieces(
  number: number,
  last: number,
  content: Iterable<NewResource>,
): Generator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes);
  let length = encodeRecord(headerRecord(number, last), buffer, 0);
  let seq = last;
  for (const { kind, id, body, kept } of content) {
    seq += 1;
    const data = makeEntry(id, seq, body, kept).text;
    const record = { seq, after: last, event: `${kind}.created`, data };
    if (length + recordCapacity(record) > pieceBytes) {
      yield buffer.subarray(0, length);
      length = 0;
    }
    length = encodeRecord(record, buffer, length);
  }
  yield buffer.subarray(0, length);
}

function expectedSnapshots(
  kind: string,
  journals: readonly number[],
  records: readonly PlacedRecord[],
): Expected[] {
  const expected: Expected[] = journals[0] === 1 ? ["absent"] : [];
  for (const { event, data } of records) {
    if (event !== "store.snapshot") continue;
    // Written by describeSnapshot, and its checksum holds.
    const described = JSON.parse(data) as Record<string, { bytes: number; crc: string }>;
    const file = described[kind];
    // A kind that the version which took the snapshot did not have.
    if (file === undefined) expected.push("absent");
    else expected.push({ bytes: file.bytes, crc: Number.parseInt(file.crc, 16) });
  }
  return expected;
}

function deletedId(data: string): string | undefined {
  const value: unknown = JSON.parse(data);
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
  return typeof id === "string" ? id : undefined;
}

function isAction(action: string): action is Change["action"] {
  return action === "created" || action === "updated" || action === "deleted";
}
