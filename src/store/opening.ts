/**
 * Opens the store in a folder: locks the folder, reads the file, and writes it afresh
 * (fresh-file.ts). One path serves a new store, a clean end, a torn one, a restored backup and an
 * edited file.
 *
 * The fresh file usually has the same good bytes, so that event streams and copies elsewhere go on.
 * If the store is new, if the file has outgrown its resources, or if a person has edited it, the
 * fresh file has a new header and the current resources, without the history. The number of a new
 * header is above every number that was used, so clients of events read everything again.
 *
 * Without room for a fresh file the start appends to the old one, unless a person has edited it.
 */

import { join } from "node:path";
import { codeOf, isOutOfSpace, messageOf, syscallOf } from "../log/system-error.ts";
import { diskFileSystem, type FileStat, type FileSystem, findFile } from "./file-system.ts";
import {
  copyOf,
  type FreshContent,
  NoRoom,
  type OldFile,
  resourcesOf,
  reuseOld,
  writeFresh,
} from "./fresh-file.ts";
import { History } from "./history.ts";
import { storeName } from "./line.ts";
import { type Lock, lockFolder } from "./lock.ts";
import { readStore, type StoreRead } from "./reading.ts";
import type { StoredKind } from "./row.ts";
import { StoreError } from "./store-error.ts";
import { Store, type StoreOptions } from "./store.ts";
import type { StoreFile } from "./store-file.ts";
import { Tables } from "./tables.ts";

export interface OpenOptions extends StoreOptions {
  readonly folder: string;
  readonly kinds: readonly StoredKind[];
  /** Called when the folder is locked, before anything in it is read or written. */
  readonly onLocked?: () => Promise<void>;
  /** The content of a new store; not called for an existing store. */
  readonly firstContent?: () => Tables;
  /** A file that is larger may lose its history. Default: 16 MiB. */
  readonly historyBytes?: number;
  readonly fileSystem?: FileSystem;
  readonly lock?: (folder: string) => Promise<Lock>;
}

/**
 * Locks the folder and opens the store in it. Rejects with StoreError, or with the error of
 * `onLocked` or `firstContent`.
 */
export async function openStore(options: OpenOptions): Promise<Store> {
  const { folder, fileSystem: files = diskFileSystem } = options;
  try {
    await files.makeFolder(folder);
    const lock = await (options.lock ?? lockFolder)(folder);
    try {
      await options.onLocked?.();
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
      hint: hintFor(error),
    });
  }
}

/** For the errors of the system calls of a start. */
function hintFor(error: unknown): string {
  if (isOutOfSpace(error)) return "The disk has no room, or no inode, for one more file: free some";
  const standard = "DATA_DIR must be a folder that this user can read and write, with its files";
  switch (codeOf(error)) {
    case "EBUSY":
      return `${storeName} is mounted by itself and cannot be replaced: mount its folder instead`;
    case "EISDIR":
      return `Move the folder ${storeName}.tmp away: each start makes a file of that name`;
    case "EPERM":
      return `${standard}. If lsattr shows an i beside it or one of its files, run chattr -i`;
    default:
      return standard;
  }
}

/** The tables and the history as they were read, and the content of the fresh file. */
interface Loaded {
  readonly tables: Tables;
  readonly history: History;
  readonly content: FreshContent;
  /** The old file as it was read; undefined for a new store. */
  readonly read?: StoreRead;
}

async function open(options: OpenOptions, files: FileSystem, lock: Lock): Promise<Store> {
  const { folder } = options;
  const path = join(folder, storeName);
  const found = await findFile(files, path);
  const isNew = found === undefined;
  const old = isNew ? undefined : await openOldFile(files, path, found);
  try {
    const loaded = old === undefined ? newStore(options) : await readOldFile(old, options);
    const { tables, content, read } = loaded;
    let { history } = loaded;
    let file: StoreFile;
    try {
      file = await writeFresh(files, path, old, content);
    } catch (error) {
      const isReusable = old !== undefined && read?.isEdited === false;
      if (!(error instanceof NoRoom) || !isReusable) throw error;
      file = await reuseOld(files, path, old, read.end, error);
      history = read.history;
      const hint = "Free some room: writes are then stored again, without a restart";
      options.log.error("going on with the old file", { cause: error, hint });
    }
    return new Store({ files, lock, path, isNew, tables, history, file }, options);
  } finally {
    await old?.file.close().catch(() => {});
  }
}

function newStore({ kinds, firstContent }: OpenOptions): Loaded {
  return withoutHistory(firstContent?.() ?? new Tables(kinds), 0);
}

/** Refuses a link: the server of another folder, with its own lock, could write to that file. */
async function openOldFile(files: FileSystem, path: string, found: FileStat): Promise<OldFile> {
  if (found.isFile) return { ...found, file: await files.open(path) };
  const detail = "expected a file, got a folder, a link, a FIFO or a device";
  const hint = "Nothing was changed. Move it away, or choose another DATA_DIR";
  throw new StoreError("damaged", detail, { file: storeName, hint });
}

const defaultHistoryBytes = 16_777_216;

async function readOldFile(old: OldFile, options: OpenOptions): Promise<Loaded> {
  const { kinds, log, historyBytes = defaultHistoryBytes } = options;
  const tables = new Tables(kinds);
  const read = await readStore(old.file, tables, join(options.folder, storeName));
  const { history, torn, end, lines, isEdited } = read;
  const file = storeName;
  if (torn !== undefined) log.error("cutting off a torn end, left by a crash", { file, ...torn });
  const isOutgrown = end > historyBytes && lines > 2 * tables.length;
  if (!isEdited && !isOutgrown) return { tables, history, content: copyOf(old, read), read };
  const reason = isEdited ? "somebody has edited it" : "it has outgrown its resources";
  log.info("leaving the history out of the file", { file, reason });
  return { ...withoutHistory(tables, history.last), read };
}

/** A new header and no history. `last`: the highest number that was used. */
function withoutHistory(tables: Tables, last: number): Loaded {
  const places = tables.all.map(({ table }) => table.lastSeq);
  const seq = Math.max(Date.now(), last + 1, ...places);
  return { tables, history: new History(seq), content: resourcesOf(tables, seq) };
}
