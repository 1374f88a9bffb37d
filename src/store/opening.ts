/**
 * Opens the store in a folder: locks the folder, makes the file of a new store or of a folder of
 * Forno 1 or 2, reads it, and confirms its end. Only after everything was read without an
 * error does it change files. Everything that it read is on disk before it resolves.
 *
 * The end of a file is *confirmed* by `store.closed` as its last line. The line is cut off, and the
 * next change takes its place: a closing line whose sync failed must never stand before a change
 * that was answered.
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
  type FileSystem,
  type OpenFile,
  readPieces,
  replaceFile,
  syncFolder,
  temporaryName,
} from "./file-system.ts";
import { documentName, isJournal, readFormat1 } from "./format-1.ts";
import { closedLine, storeName } from "./line.ts";
import { type Lock, lockFolder } from "./lock.ts";
import { readStore, type StoreRead } from "./reading.ts";
import { storePieces } from "./rewriting.ts";
import { damageHint, StoreError } from "./store-error.ts";
import { Store, type StoreOptions } from "./store.ts";
import { StoreFile } from "./store-file.ts";
import type { StoredKind } from "./stored-kind.ts";
import { type Snapshot, Tables } from "./tables.ts";

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
      return await open(options, files, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    // Only failed system calls get a new message below.
    if (error instanceof StoreError || syscallOf(error) === undefined) throw error;
    throw new StoreError("unusable", `cannot use the folder ${folder}: ${messageOf(error)}`, {
      cause: error,
      hint: isOutOfSpace(error)
        ? "The disk has no room, or no inode, for one more file: free some"
        : "DATA_DIR must be a folder that this user can read and write",
    });
  }
}

async function open(options: OpenOptions, files: FileSystem, lock: Lock): Promise<Store> {
  const { folder, kinds, log, firstContent = () => new Tables(kinds) } = options;
  const path = join(folder, storeName);
  const names = await files.list(folder);
  const [hasStore, hasDocument] = [names.includes(storeName), names.includes(documentName)];
  if (hasStore) await requireFile(files, folder, storeName);
  if (hasDocument) await requireFile(files, folder, documentName);
  const old = hasDocument ? await readFormat1(files, folder, kinds) : undefined;
  const isNew = !hasStore && !hasDocument;
  if (isNew) requireNothingLeft(names);
  if (!hasStore) {
    await makeFile(files, path, old?.tables.snapshot(old.seq) ?? firstSnapshot(firstContent()));
  }
  const tables = new Tables(kinds);
  const { links } = await files.stat(path);
  const source = await files.open(path, "read");
  try {
    const read = await readStore(source, tables);
    const { history, torn, hasSkipped } = read;
    if (old !== undefined) await retireDocument(files, folder, old.seq === read.header.seq);
    if (torn !== undefined) {
      log.info("cutting off a torn end, left by a crash", { file: storeName, ...torn });
    }
    if (hasSkipped) {
      // A copy that was resumed. A follower of this store should not have to skip it again.
      await makeFile(files, path, tables.snapshot(history.last));
      return await open(options, files, lock);
    }
    const file = await confirm(files, path, source, read, links > 1);
    return new Store({ files, lock, path, isNew, tables, history, file }, options);
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

/** A new store's content. */
function firstSnapshot(tables: Tables): Snapshot {
  const places = tables.kinds.map((kind) => tables.of(kind).lastSeq);
  return tables.snapshot(Math.max(Date.now(), ...places));
}

/** Makes a file that ends as after a clean stop, so that it need not be copied again. */
async function makeFile(files: FileSystem, path: string, snapshot: Snapshot): Promise<void> {
  const pieces = function* (): Generator<Buffer> {
    yield* storePieces(snapshot);
    yield closedLine(snapshot.seq);
  };
  const file = await replaceFile(files, path, pieces());
  await file.close();
}

/**
 * Renames the document that became store.ndjson. A crash may have come before that. But then an
 * older Forno may have written on, and the two are no longer the same.
 */
async function retireDocument(files: FileSystem, folder: string, isSame: boolean): Promise<void> {
  if (!isSame) {
    throw new StoreError("damaged", `the folder has ${storeName} too, of another time`, {
      file: documentName,
      hint: "Nothing was changed. Move one of them away: the one that you do not want to use",
    });
  }
  // A power cut must not leave neither of them.
  await syncFolder(files, folder);
  await files.rename(join(folder, documentName), join(folder, convertedName));
}

/** The file, open for writing; every good line in it is on disk. */
async function confirm(
  files: FileSystem,
  path: string,
  source: OpenFile,
  read: StoreRead,
  isShared: boolean,
): Promise<StoreFile> {
  const { header: { seq }, changesStart, end: length } = read;
  // Left by a rewrite, if it is there.
  await files.remove(temporaryName(path)).catch(() => {});
  let file: OpenFile | undefined;
  if (!read.isClosed || isShared) {
    const copied = replaceFile(files, path, readPieces(source, 0, length));
    file = await copied.catch((error: unknown) => {
      // No room for a copy: sync in place, so that reads go on. The data is most likely on disk.
      if (isOutOfSpace(error) && !isShared) return undefined;
      throw error;
    });
  }
  file ??= await files.open(path, "write");
  try {
    await file.truncate(length);
    // A person may have changed it without a sync.
    await file.sync();
    await syncFolder(files, dirname(path));
    const { id } = await file.stat();
    return new StoreFile({ file, id, seq, changesStart, length });
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}
