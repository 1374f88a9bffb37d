/**
 * From a folder to a Store: locks it, begins a new store or loads what is there (loading.ts), and
 * only when that is found good changes anything: removes what an interrupted write left, and
 * recovers the journals (loading.ts).
 *
 * A new store begins as any document is replaced (snapshotting.ts): first an empty journal, then
 * the document. So there is a store when there is a document.
 */

import { join } from "node:path";
import { documentName, documentPieces } from "../documents/document.ts";
import { isOutOfSpace, messageOf, syscallOf } from "../log/system-error.ts";
import { type Content, fillTables, numberBefore } from "./content.ts";
import {
  diskFileSystem,
  type FileSystem,
  publish,
  temporarySuffix,
  writeFully,
  writeTemporary,
} from "./file-system.ts";
import {
  createJournal,
  headerBytes,
  journalName,
  journalNumber,
  journalNumbers,
  markRecord,
  recordBytes,
} from "./journal-file.ts";
import { load, recover } from "./loading.ts";
import { type Lock, lockFolder } from "./lock.ts";
import { damageHint, outOfSpaceHint, StoreError } from "./store-error.ts";
import { type Opened, Store, type StoreObservers } from "./store.ts";
import { momentOf, Table, type TableOptions } from "./table.ts";

/** A kind as the store sees it: a name for its list and events, and keys to find rows by. */
export interface StoredKind extends TableOptions {
  readonly name: string;
}

/** Where the store lies, and what of. */
export interface OpenOptions extends StoreObservers {
  readonly folder: string;
  readonly kinds: readonly StoredKind[];
  /** Called once, when the store is new: what it begins with. */
  readonly firstContent?: () => Content;
  /** A snapshot is made when the journals outgrow this, or a quarter of the tables. */
  readonly journalBytesLimit?: number;
  readonly fileSystem?: FileSystem;
  readonly lock?: (folder: string) => Promise<Lock>;
}

const defaultJournalBytesLimit = 16_777_216;

/**
 * Opens the folder for this process alone, and the store in it. Rejects with StoreError, or with
 * what `firstContent` throws.
 */
export function openStore(options: OpenOptions): Promise<Store> {
  return withFolder(options, async (opening) => new Store(await opening.open(), options));
}

/**
 * Puts resources into a new or empty store: all of them or, whatever happens, none. Resolves to how
 * many there are of each kind.
 * Rejects with StoreError, "not-empty" when something is there already, or with what `content`
 * throws.
 */
export function fillStore(options: OpenOptions, content: Content): Promise<Counts> {
  return withFolder(options, (opening) => opening.fill(content));
}

/** Gives the folder back when `use` fails; else that is up to `use`. */
async function withFolder<T>(
  options: OpenOptions,
  use: (opening: Opening) => Promise<T>,
): Promise<T> {
  const { folder, fileSystem = diskFileSystem } = options;
  try {
    await fileSystem.makeFolder(folder);
    const lock = await (options.lock ?? lockFolder)(folder);
    try {
      return await use(new Opening(options, fileSystem, lock));
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    // Not a system call that failed, but what is wrong with the content.
    if (syscallOf(error) === undefined) throw error;
    throw new StoreError("unusable", `cannot use the folder ${folder}: ${messageOf(error)}`, {
      cause: error,
      hint: isOutOfSpace(error)
        ? outOfSpaceHint
        : "DATA_DIR must be a folder that this user can read and write",
    });
  }
}

/** How many resources there are, by kind. */
export type Counts = ReadonlyMap<string, number>;

class Opening {
  readonly #options: OpenOptions;
  readonly #files: FileSystem;
  readonly #lock: Lock;

  constructor(options: OpenOptions, files: FileSystem, lock: Lock) {
    this.#options = options;
    this.#files = files;
    this.#lock = lock;
  }

  async open(): Promise<Opened> {
    const { folder, log, firstContent, journalBytesLimit } = this.#options;
    let names = await this.#files.list(folder);
    const isNew = await this.#isNew(names);
    if (isNew) {
      await this.#begin(firstContent?.() ?? []);
      names = await this.#files.list(folder);
    }
    const tables = this.#emptyTables();
    const loaded = await load(this.#files, folder, journalNumbers(names), tables);
    const { document, end, torn, journals, changes } = loaded;
    if (torn !== undefined) {
      log.info("cutting off the journal's torn end, left by a crash", { ...torn });
    }
    await this.#tidy(names, end.number);
    return {
      folder,
      isNew,
      changes,
      journals,
      end,
      documentSeq: document.seq,
      tables,
      olderBytes: await this.#bytesOf(journals.slice(0, -1)),
      journalBytesLimit: journalBytesLimit ?? defaultJournalBytesLimit,
      file: await recover(this.#files, folder, loaded),
      fileSystem: this.#files,
      lock: this.#lock,
    };
  }

  async fill(content: Content): Promise<Counts> {
    const { folder } = this.#options;
    let end = { number: 0, seq: 0 };
    if (!(await this.#isNew(await this.#files.list(folder)))) {
      const { file, tables, ...opened } = await this.open();
      end = opened.end;
      await file.close();
      if ([...tables.values()].some(({ rows }) => [...rows].some(({ seq }) => seq > 0))) {
        throw new StoreError("not-empty", `the store in ${folder} is not empty`, {
          hint: "Give DATA_DIR a new folder, restore there, and serve from it.",
        });
      }
    }
    const counts = await this.#begin(content, end);
    await this.#lock.release();
    return counts;
  }

  /** Whether there is no store, nor what is left of one. An interrupted begin leaves a header. */
  async #isNew(names: readonly string[]): Promise<boolean> {
    await this.#requireFiles(names);
    const numbers = journalNumbers(names);
    if (names.includes(documentName)) {
      if (numbers.length > 0) return false;
      throw new StoreError("damaged", "there is no journal beside it", {
        file: documentName,
        hint:
          "Nothing was changed. Put the journals back; or, if this file is a backup, read it " +
          "into a new folder: node dist/restore.js FILE",
      });
    }
    const isOnlyFirst = numbers.every((number) => number === 1);
    if (isOnlyFirst && (await this.#bytesOf(numbers)) <= headerBytes(1).length) return true;
    throw new StoreError("damaged", "the file is missing", {
      file: documentName,
      hint: damageHint,
    });
  }

  /** What has the name of a file of ours must be one. */
  async #requireFiles(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const isJournal = journalNumber(name) !== undefined;
      const isOurs = isJournal || name === documentName || isTemporary(name);
      if (!isOurs || !(await this.#files.stat(this.#path(name))).isFolder) continue;
      throw new StoreError("unusable", "it is a folder, and must be a file of the store", {
        file: name,
        hint: "Move it away; if the file that belongs there is gone, restore it from a copy.",
      });
    }
  }

  /** The steps of snapshotting.ts. `end`: of the journals of an empty store that is there. */
  async #begin(content: Content, end = { number: 0, seq: 0 }): Promise<Counts> {
    const { folder } = this.#options;
    const tables = this.#emptyTables();
    fillTables(tables, content);
    const seq = Math.max(end.seq + 1, numberBefore(tables, content));
    const number = end.number + 1;
    const journal = await createJournal(this.#files, this.#path(journalName(number)), number);
    try {
      await this.#files.syncFolder(folder);
      const path = this.#path(documentName);
      await writeTemporary(this.#files, path, documentPieces(momentOf(tables, seq, seq)));
      await publish(this.#files, path);
      await this.#files.syncFolder(folder);
      // From now on a missing document is damage.
      await writeFully(journal.file, recordBytes(markRecord(seq + 1, seq)), journal.length);
    } finally {
      await journal.file.close();
    }
    return new Map([...tables].map(([kind, { rows }]) => [kind, rows.length]));
  }

  /** Removes what an interrupted write left, and a journal that was prepared and not used. */
  async #tidy(names: readonly string[], lastJournal: number): Promise<void> {
    for (const name of names) {
      if (isTemporary(name) || (journalNumber(name) ?? 0) > lastJournal) {
        await this.#files.remove(this.#path(name));
      }
    }
  }

  async #bytesOf(journals: readonly number[]): Promise<number> {
    let sum = 0;
    for (const number of journals) {
      sum += (await this.#files.stat(this.#path(journalName(number)))).bytes;
    }
    return sum;
  }

  #emptyTables(): ReadonlyMap<string, Table> {
    return new Map(this.#options.kinds.map((kind) => [kind.name, new Table(kind)]));
  }

  #path(name: string): string {
    return join(this.#options.folder, name);
  }
}

function isTemporary(name: string): boolean {
  if (!name.endsWith(temporarySuffix)) return false;
  const target = name.slice(0, -temporarySuffix.length);
  return target === documentName || journalNumber(target) !== undefined;
}
