/**
 * Opens the store in a folder: locks the folder, then makes a new store (new-store.ts) or loads the
 * existing one (loading.ts). Only after everything was read without an error does it change files:
 * it removes temporary files and recovers the journals.
 */

import { join } from "node:path";
import { documentName } from "./document.ts";
import { isOutOfSpace, messageOf, syscallOf } from "../log/system-error.ts";
import { diskFileSystem, type FileSystem, temporarySuffix } from "./file-system.ts";
import { headerBytes, journalName, journalNumber } from "./journal-file.ts";
import type { StoredKind } from "./kind.ts";
import { load, type Opened, recover } from "./loading.ts";
import { type Lock, lockFolder, type LockedFolder } from "./lock.ts";
import { accessHint, damageHint, outOfSpaceHint, StoreError } from "./store-error.ts";
import { type FirstContent, makeStore } from "./new-store.ts";
import { Store, type StoreOptions } from "./store.ts";
import { Tables } from "./tables.ts";

export interface OpenOptions extends StoreOptions {
  readonly folder: string;
  readonly kinds: readonly StoredKind[];
  /** The content of a new store; not called for an existing store. */
  readonly firstContent?: () => Promise<FirstContent>;
  readonly fileSystem?: FileSystem;
  readonly lock?: (folder: string) => Promise<Lock>;
}

/**
 * Locks the folder and opens the store in it. Rejects with StoreError, or with the error of
 * `firstContent`.
 */
export function openStore(options: OpenOptions): Promise<Store> {
  return inFolder(options, async (locked) => {
    const isNew = await isNewStore(locked);
    if (isNew) await makeStore(locked, (await options.firstContent?.()) ?? emptyContent(options));
    return new Store({ ...(await open(locked, options)), isNew }, options);
  });
}

/**
 * Puts content into a new or empty store: all of it or, after any failure, nothing.
 * Rejects with StoreError, "not-empty" if the store has resources.
 */
export function fillStore(options: OpenOptions, content: FirstContent): Promise<void> {
  return inFolder(options, async (locked) => {
    const isNew = await isNewStore(locked);
    await makeStore(locked, content, isNew ? undefined : await endOfEmptyStore(locked, options));
    await locked.lock.release();
  });
}

/** Locks the folder and calls `use`. Unlocks it only if `use` fails. */
async function inFolder<T>(
  options: OpenOptions,
  use: (locked: LockedFolder) => Promise<T>,
): Promise<T> {
  const { folder, fileSystem: files = diskFileSystem } = options;
  try {
    await files.makeFolder(folder);
    const lock = await (options.lock ?? lockFolder)(folder);
    try {
      return await use({ folder, files, lock });
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    // Only failed system calls get a new message below.
    if (error instanceof StoreError || syscallOf(error) === undefined) throw error;
    throw new StoreError("unusable", `cannot use the folder ${folder}: ${messageOf(error)}`, {
      cause: error,
      hint: isOutOfSpace(error) ? outOfSpaceHint : accessHint,
    });
  }
}

function emptyContent({ kinds }: OpenOptions): FirstContent {
  return { tables: new Tables(kinds), lastSeq: undefined };
}

/** True if the folder has no store. An interrupted first start leaves journal 1 with its header. */
async function isNewStore(locked: LockedFolder): Promise<boolean> {
  const names = await locked.files.list(locked.folder);
  const numbers = journalNumbers(names);
  if (names.includes(documentName)) {
    if (numbers.length > 0) return false;
    throw new StoreError("damaged", "expected a journal beside it, found none", {
      file: documentName,
      hint:
        "Nothing was changed. Put the journals back; or, if this file is a backup, read it " +
        "into a new folder: node dist/restore.js FILE",
    });
  }
  const isOnlyFirst = numbers.every((number) => number === 1);
  if (isOnlyFirst && (await bytesOf(locked, numbers)) <= headerBytes(1).length) return true;
  const options = { file: documentName, hint: damageHint };
  throw new StoreError("damaged", "the file is missing", options);
}

/** Loads the store, then removes leftover files and recovers the journals. */
async function open(locked: LockedFolder, options: OpenOptions): Promise<Omit<Opened, "isNew">> {
  const { folder, files } = locked;
  const names = await files.list(folder);
  const tables = new Tables(options.kinds);
  const loaded = await load(locked, journalNumbers(names), tables);
  const { journals, end, torn } = loaded;
  if (torn !== undefined) {
    options.log.info("cutting off the journal's torn end, left by a crash", { ...torn });
  }
  for (const name of names) {
    // A journal with a higher number than the last one was prepared and never used.
    const isLeft = isTemporary(name) || (journalNumber(name) ?? 0) > end.number;
    if (isLeft) await files.remove(join(folder, name));
  }
  const olderBytes = await bytesOf(locked, journals.slice(0, -1));
  return { ...locked, ...loaded, tables, olderBytes, file: await recover(locked, loaded) };
}

/** The end of the journals. Throws StoreError "not-empty". */
async function endOfEmptyStore(locked: LockedFolder, options: OpenOptions): Promise<Opened["end"]> {
  const { file, tables, end } = await open(locked, options);
  await file.close();
  if (!tables.isEmpty) {
    throw new StoreError("not-empty", `the store in ${locked.folder} is not empty`, {
      hint: "Give DATA_DIR a new folder, restore there, and serve from it.",
    });
  }
  return end;
}

async function bytesOf(
  { folder, files }: LockedFolder,
  journals: readonly number[],
): Promise<number> {
  let sum = 0;
  for (const number of journals) sum += (await files.stat(join(folder, journalName(number)))).bytes;
  return sum;
}

/** The numbers of the journals among a folder's names, oldest first. */
function journalNumbers(names: readonly string[]): number[] {
  return names.flatMap((name) => journalNumber(name) ?? []).sort((one, other) => one - other);
}

function isTemporary(name: string): boolean {
  if (!name.endsWith(temporarySuffix)) return false;
  const target = name.slice(0, -temporarySuffix.length);
  return target === documentName || journalNumber(target) !== undefined;
}
