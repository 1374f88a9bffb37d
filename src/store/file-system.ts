/**
 * The few file calls the store makes. Everything it does to a disk goes through this one seam, so
 * that a test can record them, fail them, and rebuild every state that a power cut can leave.
 *
 * Upon it, a file that is there whole or not at all: written under NAME.tmp, synced, renamed, and
 * the folder synced. A crash before the rename leaves NAME.tmp, which the next start removes.
 */

import { Buffer } from "node:buffer";
import fs from "node:fs";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { codeOf } from "../log/system-error.ts";

/** A file that is open for writing, or reading. */
export interface OpenFile {
  /** Resolves to the number of bytes read; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Resolves to the number of bytes written, which may be fewer than given. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Until this resolves, nothing written is certain to survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What is at a path. */
export interface FileStat {
  readonly bytes: number;
  /** How many names it has, in this folder and others. */
  readonly links: number;
  readonly isFolder: boolean;
}

/** The calls; each rejects with node's error of the system call. */
export interface FileSystem {
  /** Makes a folder and its missing parents, durably; also when it was made a moment ago. */
  makeFolder(path: string): Promise<void>;
  /** The names in a folder. */
  list(folder: string): Promise<string[]>;
  /** "replace" makes the file anew: what had its name stays what it was under its others. */
  open(path: string, mode: "read" | "write" | "replace"): Promise<OpenFile>;
  stat(path: string): Promise<FileStat>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Bytes that can still be written there, Infinity where that is not known. */
  freeBytes(folder: string): Promise<number>;
  /** Until this resolves, files made, renamed or removed in the folder may be as before. */
  syncFolder(folder: string): Promise<void>;
}

const flags = { read: "r", write: "r+", replace: "wx" } as const;
const ownerOnly = 0o600;

const open = promisify(fs.open);
const close = promisify(fs.close);
const fsync = promisify(fs.fsync);

/** The disk itself. */
export const diskFileSystem: FileSystem = {
  async makeFolder(path) {
    const folder = resolve(path);
    const parent = dirname(folder);
    const make = (): Promise<void> => fs.promises.mkdir(folder, { mode: 0o700 });
    try {
      await make();
    } catch (error) {
      const code = codeOf(error);
      if (code === "EEXIST" && (await fs.promises.stat(folder)).isDirectory()) {
        // Its maker may have been killed before this; an old one's parent may be unreadable.
        return this.syncFolder(parent).catch(() => {});
      }
      if (code !== "ENOENT" || parent === folder) throw error;
      // Once for each: in /proc node's own recursive mkdir goes round forever.
      await this.makeFolder(parent);
      await make();
    }
    await this.syncFolder(parent);
  },
  list: (folder) => fs.promises.readdir(folder),
  async open(path, mode) {
    if (mode === "replace") await fs.promises.rm(path, { force: true });
    return openFile(await open(path, flags[mode], ownerOnly));
  },
  async stat(path) {
    const stats = await fs.promises.stat(path);
    return { bytes: stats.size, links: stats.nlink, isFolder: stats.isDirectory() };
  },
  rename: (from, to) => fs.promises.rename(from, to),
  remove: (path) => fs.promises.unlink(path),
  async freeBytes(folder) {
    const found = await fs.promises.statfs(folder).catch(unlessUnknown);
    if (found === undefined) return Infinity;
    const { blocks, bavail, bfree, bsize } = found;
    // Some blocks may be kept for root. File systems that do not count say that they have none.
    const free = process.getuid?.() === 0 ? bfree : bavail;
    return blocks === 0 ? Infinity : free * bsize;
  },
  async syncFolder(folder) {
    // Windows syncs no folder that is open for reading, and opens none for writing: there the
    // rename itself is all that can be had.
    if (process.platform === "win32") return;
    const handle = await open(folder, "r");
    try {
      await fsync(handle);
    } finally {
      await close(handle);
    }
  },
};

/** Where a sandbox allows no statfs, or its numbers are too large for it. */
function unlessUnknown(error: unknown): undefined {
  if (!["ENOSYS", "EPERM", "EOVERFLOW"].includes(codeOf(error) ?? "")) throw error;
}

/** Above this a write goes to the thread pool: below, the hop costs more than the copy. */
const synchronousWriteBytes = 65_536;

const read = promisify(fs.read);
const write = promisify(fs.write);
const ftruncate = promisify(fs.ftruncate);
const fdatasync = promisify(fs.fdatasync);

function openFile(handle: number): OpenFile {
  return {
    read: async (into, position) =>
      (await read(handle, into, 0, into.byteLength, position)).bytesRead,
    // A small write only copies into the kernel's memory, some 10 µs; the thread pool's round trip
    // would double that and cost a durable create a tenth of its time. The fsync does wait there.
    write: async (bytes, position) =>
      bytes.byteLength <= synchronousWriteBytes
        ? fs.writeSync(handle, bytes, 0, bytes.byteLength, position)
        : (await write(handle, bytes, 0, bytes.byteLength, position)).bytesWritten,
    truncate: (length) => ftruncate(handle, length),
    sync: () => fdatasync(handle),
    close: () => close(handle),
  };
}

/** Writes all of `bytes`, however few a call takes. */
export async function writeFully(
  file: OpenFile,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const taken = await file.write(done === 0 ? bytes : bytes.subarray(done), position + done);
    if (taken === 0) throw Object.assign(new Error("the disk took no bytes"), { code: "ENOSPC" });
    done += taken;
  }
}

/** The first `length` bytes of a file, in pieces. */
export async function* readPieces(file: OpenFile, length: number): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(Math.min(length, 1_048_576));
  for (let at = 0; at < length; ) {
    const count = await file.read(piece.subarray(0, Math.min(piece.length, length - at)), at);
    if (count === 0) return;
    yield piece.subarray(0, count);
    at += count;
  }
}

export const temporarySuffix = ".tmp";

/** Bytes that may wait in the kernel: an fsync of more would hold up the journal's. */
const syncEveryBytes = 1_048_576;

/** Writes `path`.tmp and syncs it. On failure nothing is left behind. */
export async function writeTemporary(
  fileSystem: FileSystem,
  path: string,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<void> {
  const temporary = path + temporarySuffix;
  const file = await fileSystem.open(temporary, "replace");
  try {
    // Closed once, whatever happens: the handle's number may be another file's by the second time.
    await writeAll(file, pieces).finally(() => file.close());
  } catch (error) {
    await removeTemporary(fileSystem, path);
    throw error;
  }
}

async function writeAll(
  file: OpenFile,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<void> {
  let bytes = 0;
  let synced = 0;
  for await (const piece of pieces) {
    await writeFully(file, piece, bytes);
    bytes += piece.length;
    if (bytes - synced < syncEveryBytes) continue;
    await file.sync();
    synced = bytes;
  }
  await file.sync();
}

/** Gives a temporary file its name, which is durable once the folder has been synced. */
export function publish(fileSystem: FileSystem, path: string): Promise<void> {
  return fileSystem.rename(path + temporarySuffix, path);
}

/** Gives a temporary file up; one that cannot be removed now goes at the next start. */
export async function removeTemporary(fileSystem: FileSystem, path: string): Promise<void> {
  await fileSystem.remove(path + temporarySuffix).catch(() => {});
}
