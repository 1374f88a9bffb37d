/**
 * From a folder to a Store: locks it, begins a new store or loads what is there (loading.ts), and
 * only when that is found good changes anything: removes what an interrupted write left, and
 * recovers the journals (recovery.ts).
 *
 * A new store begins with journal 1, which holds the menu and gets its name when it is complete.
 */

import { join } from "node:path";
import { isOutOfSpace, messageOf, syscallOf } from "../log/system-error.ts";
import { publish, temporarySuffix, writeTemporary } from "./atomic-file.ts";
import { diskFileSystem, type FileSystem } from "./file-system.ts";
import { journalName, journalNumber, journalNumbers } from "./journal-file.ts";
import { load } from "./loading.ts";
import { type Lock, lockFolder } from "./lock.ts";
import { recover } from "./recovery.ts";
import { snapshotName } from "./snapshot.ts";
import { damageHint, outOfSpaceHint, StoreError } from "./store-error.ts";
import { type Opened, Store, type StoreObservers } from "./store.ts";
import { Table, type TableOptions } from "./table.ts";
import { type NewResource, wholeJournal } from "./whole-journal.ts";

/** A kind as the store sees it: a name for its file and events, and keys to find rows by. */
export interface StoredKind extends TableOptions {
  readonly name: string;
}

/** Where the store lies, and what of. */
export interface OpenOptions extends StoreObservers {
  readonly folder: string;
  readonly kinds: readonly StoredKind[];
  /** Called once, when the store is new: what it begins with. */
  readonly firstContent?: () => Iterable<NewResource>;
  /** Snapshots are made when the journals outgrow this, or a quarter of the tables. */
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
 * Puts resources into a new or empty store: all of them or, whatever happens, none.
 * Rejects with StoreError, "not-empty" when something is there already, or with what `content`
 * throws.
 */
export function fillStore(options: OpenOptions, content: Iterable<NewResource>): Promise<void> {
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

class Opening {
  readonly #options: OpenOptions;
  readonly #files: FileSystem;
  readonly #lock: Lock;
  readonly #tables: ReadonlyMap<string, Table>;

  constructor(options: OpenOptions, files: FileSystem, lock: Lock) {
    this.#options = options;
    this.#files = files;
    this.#lock = lock;
    this.#tables = new Map(options.kinds.map((kind) => [kind.name, new Table(kind)]));
  }

  async open(): Promise<Opened> {
    const { folder, log, firstContent, journalBytesLimit } = this.#options;
    let names = await this.#files.list(folder);
    const isNew = journalNumbers(names).length === 0;
    if (isNew) {
      await this.#begin(names, firstContent?.() ?? []);
      names = await this.#files.list(folder);
    }
    const loaded = await load(this.#files, folder, names, this.#tables);
    const { end, torn } = loaded;
    if (torn !== undefined) {
      log.info("cutting off the journal's torn end, left by a crash", { ...torn });
    }
    await this.#tidy(names, end.number);
    return {
      folder,
      isNew,
      changes: loaded.changes,
      journals: loaded.journals,
      end,
      snapshotSeq: loaded.snapshotSeq,
      tables: this.#tables,
      olderBytes: await this.#bytesOf(loaded.journals.slice(0, -1)),
      journalBytesLimit: journalBytesLimit ?? defaultJournalBytesLimit,
      file: await recover(this.#files, folder, loaded),
      fileSystem: this.#files,
      lock: this.#lock,
    };
  }

  async fill(content: Iterable<NewResource>): Promise<void> {
    const names = await this.#files.list(this.#options.folder);
    if (journalNumbers(names).length === 0) {
      await this.#begin(names, content);
    } else {
      const { end, file } = await this.open();
      await file.close();
      if ([...this.#tables.values()].some(({ rows }) => rows.some(({ seq }) => seq > 0))) {
        throw new StoreError("not-empty", `the store in ${this.#options.folder} is not empty`, {
          hint: "Give DATA_DIR a new folder, restore there, and serve from it.",
        });
      }
      await this.#addJournal(end.number + 1, end.seq, content);
    }
    await this.#lock.release();
  }

  /** A new store's first journal. */
  async #begin(names: readonly string[], content: Iterable<NewResource>): Promise<void> {
    const snapshot = names.find((name) => this.#isSnapshot(name));
    if (snapshot !== undefined) {
      throw new StoreError("damaged", `there is ${snapshot} but no journal beside it`, {
        file: journalName(1),
        hint: damageHint,
      });
    }
    await this.#addJournal(1, 0, content);
  }

  /** Writes a whole journal that appears at once. */
  async #addJournal(number: number, seq: number, content: Iterable<NewResource>): Promise<void> {
    const path = this.#path(journalName(number));
    await writeTemporary(this.#files, path, wholeJournal(number, seq, content));
    await publish(this.#files, path);
    await this.#files.syncFolder(this.#options.folder);
  }

  /** Removes what an interrupted write left, and a journal that was prepared and not used. */
  async #tidy(names: readonly string[], lastJournal: number): Promise<void> {
    for (const name of names) {
      if (this.#isTemporary(name) || (journalNumber(name) ?? 0) > lastJournal) {
        await this.#files.remove(this.#path(name));
      }
    }
  }

  async #bytesOf(journals: readonly number[]): Promise<number> {
    let sum = 0;
    for (const number of journals) {
      sum += await this.#files.size(this.#path(journalName(number)));
    }
    return sum;
  }

  #isSnapshot(name: string): boolean {
    return this.#options.kinds.some((kind) => snapshotName(kind.name) === name);
  }

  #isTemporary(name: string): boolean {
    if (!name.endsWith(temporarySuffix)) return false;
    const target = name.slice(0, -temporarySuffix.length);
    return journalNumber(target) !== undefined || this.#isSnapshot(target);
  }

  #path(name: string): string {
    return join(this.#options.folder, name);
  }
}
