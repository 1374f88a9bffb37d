/**
 * Opens the store in a folder: locks the folder, makes the file of a new store or of a folder of
 * Forno 1 or 2, reads it, and confirms its end. Only after everything was read without an
 * error does it change files. Everything that it read is on disk before it resolves.
 *
 * The end of a file is *confirmed* by `store.closed` as its last line. That line is cut off, and
 * the next change takes its place: a closing line whose sync failed must never stand before a
 * change that was answered.
 *
 * Any other end is unconfirmed: the last batch may never have reached the disk, whatever the
 * kernel's memory shows. After a failed fsync the kernel takes the lost pages for written; another
 * sync, or the same write in place (on ext4), can report success and change nothing. So the good
 * lines are copied to a new file, which takes the name. A file with a second hard link is copied
 * too, because `cp -al` copies of a folder share their files.
 */

import { dirname, join } from "node:path";
import { isOutOfSpace, messageOf, syscallOf } from "../log/system-error.ts";
import {
  diskFileSystem,
  dropTemporary,
  type FileSystem,
  type OpenFile,
  publish,
  readPieces,
  type SyncedFile,
  syncFolder,
  temporaryName,
  writeTemporary,
} from "./file-system.ts";
import { documentName, isJournal, readFormat1 } from "./format-1.ts";
import type { StoredKind } from "./stored-kind.ts";
import { closedLine, decodeLine, isHeader, storeName } from "./line.ts";
import { type Lock, lockFolder, type LockedFolder } from "./lock.ts";
import { type Range, readStore, type StoreRead } from "./reading.ts";
import { storePieces } from "./rewriting.ts";
import { accessHint, damageHint, outOfSpaceHint, StoreError } from "./store-error.ts";
import { Store, type StoreOptions } from "./store.ts";
import { StoreFile } from "./store-file.ts";
import { Tables } from "./tables.ts";

export interface OpenOptions extends StoreOptions {
  readonly folder: string;
  readonly kinds: readonly StoredKind[];
  /** The content of a new store; not called for an existing store. */
  readonly firstContent?: () => Tables;
  readonly fileSystem?: FileSystem;
  readonly lock?: (folder: string) => Promise<Lock>;
}

/** The document's name afterwards: an older Forno refuses a folder without store.json. */
const convertedName = "store-2.json";

/**
 * Locks the folder and opens the store in it. Rejects with StoreError, or with the error of
 * `firstContent`.
 */
export async function openStore(options: OpenOptions): Promise<Store> {
  const { folder, fileSystem: files = diskFileSystem } = options;
  try {
    await files.makeFolder(folder);
    const lock = await (options.lock ?? lockFolder)(folder);
    try {
      return await open({ folder, files, lock }, options);
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

async function open(locked: LockedFolder, options: OpenOptions): Promise<Store> {
  const { folder, files } = locked;
  const names = await files.list(folder);
  const isNew = !names.includes(storeName) && !names.includes(documentName);
  const path = join(folder, storeName);
  for (const name of [storeName, documentName]) {
    if (names.includes(name)) await requireFile(files, folder, name);
  }
  if (isNew) {
    requireNothingLeft(names);
    const tables = options.firstContent?.() ?? new Tables(options.kinds);
    const places = tables.kinds.map((kind) => tables.of(kind).lastSeq);
    await makeFile(files, path, tables, Math.max(Date.now(), ...places));
  } else if (names.includes(documentName)) {
    await convert(files, folder, names.includes(storeName), new Tables(options.kinds));
  }
  const tables = new Tables(options.kinds);
  const { links } = await files.stat(path);
  const source = await files.open(path, "read");
  try {
    const read = await readStore(source, tables);
    if (read.torn !== undefined) {
      const fields = { file: storeName, ...read.torn };
      options.log.info("cutting off a torn end, left by a crash", fields);
    }
    const file = await confirm(files, path, source, read, links > 1);
    return new Store({ ...locked, path, isNew, tables, history: read.history, file }, options);
  } finally {
    await source.close().catch(() => {});
  }
}

/** Not a link: another folder's server, with a lock of its own, could write to the same file. */
async function requireFile(files: FileSystem, folder: string, name: string): Promise<void> {
  if ((await files.stat(join(folder, name))).isFile) return;
  const detail = "expected a file, got a folder, a link, a FIFO or a device";
  const hint = "Nothing was changed. Move it away, or choose another DATA_DIR";
  throw new StoreError("damaged", detail, { file: name, hint });
}

/** A folder without a store must have no part of one. */
function requireNothingLeft(names: readonly string[]): void {
  const left = [convertedName, ...names.filter(isJournal)].find((name) => names.includes(name));
  if (left === undefined) return;
  const file = left === convertedName ? storeName : documentName;
  const detail = `the file is missing, but ${left} of the same store is here`;
  throw new StoreError("damaged", detail, { file, hint: damageHint });
}

/** Makes a file that ends as after a clean stop, so that it need not be copied again. */
async function makeFile(
  files: FileSystem,
  path: string,
  tables: Tables,
  seq: number,
): Promise<void> {
  const pieces = function* (): Generator<Buffer> {
    yield* storePieces(tables.snapshot(seq));
    yield closedLine(seq);
  };
  const { file } = await writeTemporary(files, path, pieces());
  await file.close();
  await publish(files, path);
}

/** Makes store.ndjson of a folder of Forno 1 or 2, then renames store.json. */
async function convert(
  files: FileSystem,
  folder: string,
  isMade: boolean,
  tables: Tables,
): Promise<void> {
  const path = join(folder, storeName);
  const seq = await readFormat1(files, folder, tables);
  if (!isMade) await makeFile(files, path, tables, seq);
  // A crash came before the rename below. But an older Forno may have written since then.
  else if ((await headerSeq(files, path)) !== seq) {
    throw new StoreError("damaged", `the folder has ${storeName} too, of another time`, {
      file: documentName,
      hint: "Nothing was changed. Move one of them away: the one that you do not want to use",
    });
  }
  // The start that made it may have ended before its name was on disk.
  if (isMade) await syncFolder(files, folder);
  await files.rename(join(folder, documentName), join(folder, convertedName));
  await syncFolder(files, folder);
}

async function headerSeq(files: FileSystem, path: string): Promise<number | undefined> {
  const file = await files.open(path, "read");
  const bytes = Buffer.alloc(1_024);
  const length = await file.read(bytes, 0).finally(() => file.close());
  const end = bytes.subarray(0, length).indexOf("\n");
  const header = decodeLine(bytes.subarray(0, Math.max(0, end)));
  return typeof header === "object" && isHeader(header) ? header.seq : undefined;
}

/** The file, open for writing; every good line in it is on disk. */
async function confirm(
  files: FileSystem,
  path: string,
  source: OpenFile,
  read: StoreRead,
  isShared: boolean,
): Promise<StoreFile> {
  const { header: { seq }, good, changesStart } = read;
  let confirmed: SyncedFile | undefined;
  if (!read.isClosed || isShared) {
    confirmed = await copyOf(files, path, source, good).catch((error: unknown) => {
      // No room for a copy: sync in place, so that reads go on. The data is most likely on disk.
      if (isOutOfSpace(error) && !isShared && good.length === 1) return undefined;
      throw error;
    });
  }
  const { file, length } = confirmed ?? (await cutBack(files, path, good.at(-1)?.end ?? 0));
  try {
    await syncFolder(files, dirname(path));
    const { id } = await file.stat();
    return new StoreFile({ file, id, seq, changesStart, length });
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}

/** A copy of the good lines, which takes the file's name. */
async function copyOf(
  files: FileSystem,
  path: string,
  source: OpenFile,
  good: readonly Range[],
): Promise<SyncedFile> {
  const pieces = async function* (): AsyncGenerator<Buffer> {
    for (const { start, end } of good) yield* readPieces(source, start, end);
  };
  const copy = await writeTemporary(files, path, pieces());
  try {
    await files.rename(temporaryName(path), path);
    return copy;
  } catch (error) {
    await dropTemporary(files, path, copy.file);
    throw error;
  }
}

/** The file itself, of this length and synced: a person may have changed it without a sync. */
async function cutBack(files: FileSystem, path: string, length: number): Promise<SyncedFile> {
  // Left by a rewrite, if it is there.
  await files.remove(temporaryName(path)).catch(() => {});
  const file = await files.open(path, "write");
  try {
    await file.truncate(length);
    await file.sync();
    return { file, length };
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}
