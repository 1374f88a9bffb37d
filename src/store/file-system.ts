/**
 * All calls on the store's file and folder, but those of the lock. Because there is no other way to
 * the disk, a test can record the calls, fail them, and rebuild every state that a power cut can
 * leave.
 *
 * Also replaces a file atomically: write NAME.tmp, sync it, rename it, sync the folder. A crash
 * before the rename leaves NAME.tmp, which the next replacement removes.
 */

import fs from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf } from "../log/system-error.ts";

export interface OpenFile {
  /** Resolves to the number of bytes read; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  /**
   * Appends, in one call. Resolves to the number of bytes written, which may be fewer than given.
   * In a file of `openToAppend`, all of them are on disk by then.
   */
  write(bytes: Uint8Array): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Before this resolves, a power cut may undo what was written. */
  sync(): Promise<void>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

/** Who may do what with a file. */
export interface Access {
  /** The permissions. */
  readonly mode: number;
  /** The ids of its user and its group. Undefined: those of this process. */
  readonly owner?: { readonly user: number; readonly group: number };
}

/** A file, as lstat(2) describes it. */
export interface FileStat extends Access {
  /** Device and inode: the same for two paths if they lead to the same file. */
  readonly id: string;
  /** False for a folder, a link, a FIFO, a device. */
  readonly isFile: boolean;
  /** In bytes. */
  readonly size: number;
}

/** The calls; each rejects with Node's error of the system call. */
export interface FileSystem {
  /** Makes a folder and its missing parents, durably. Succeeds if the folder exists. */
  makeFolder(path: string): Promise<void>;
  /** Opens a file to read it. */
  open(path: string): Promise<OpenFile>;
  /** Makes a file, which must not exist. */
  create(path: string, access: Access): Promise<OpenFile>;
  /** Opens a file to read it and to append to it. Each write is on disk when it resolves. */
  openToAppend(path: string): Promise<OpenFile>;
  stat(path: string): Promise<FileStat>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Free bytes on the folder's disk; Infinity if unknown. */
  freeBytes(folder: string): Promise<number>;
  /** Before this resolves, a power cut may undo what was made, renamed or removed in the folder. */
  syncFolder(folder: string): Promise<void>;
}

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
        // The process that made it may have been killed before the sync. The parent of an older
        // folder may be unreadable, which does not matter.
        return this.syncFolder(parent).catch(() => {});
      }
      if (code !== "ENOENT" || parent === folder) throw error;
      // Not Node's recursive mkdir: in /proc it loops forever.
      await this.makeFolder(parent);
      await make();
    }
    await this.syncFolder(parent);
  },
  open: async (path) => openFile(await fs.promises.open(path, "r")),
  async create(path, { mode, owner }) {
    const handle = await fs.promises.open(path, "wx", mode);
    // Only root may give a file away: a start by root must not lock out the user of the others.
    if (owner !== undefined) await handle.chown(owner.user, owner.group).catch(() => {});
    // The umask may have changed the mode. A file system without permissions may refuse this.
    await handle.chmod(mode).catch(() => {});
    return openFile(handle);
  },
  async openToAppend(path) {
    // O_APPEND: if somebody cuts the file, a write at an offset would fill the gap with zeros.
    // O_DSYNC: the write waits for the disk itself, so it needs no second call.
    const { O_RDWR, O_APPEND, O_DSYNC } = fs.constants;
    const handle = await fs.promises.open(path, O_RDWR | O_APPEND | O_DSYNC);
    const file = openFile(handle);
    if (process.platform === "linux") return file;
    // On macOS O_DSYNC does not empty the drive's own cache, as datasync does. Elsewhere it may be
    // missing.
    const write = async (bytes: Uint8Array): Promise<number> => {
      const count = await file.write(bytes);
      await handle.datasync();
      return count;
    };
    return { ...file, write };
  },
  stat: async (path) => fileStat(await fs.promises.lstat(path, { bigint: true })),
  rename: (from, to) => fs.promises.rename(from, to),
  remove: (path) => fs.promises.unlink(path),
  async freeBytes(folder) {
    try {
      const { blocks, bavail, bfree, bsize } = await fs.promises.statfs(folder);
      // Some blocks may be reserved for root. File systems that do not count blocks report 0.
      const free = process.getuid?.() === 0 ? bfree : bavail;
      return blocks === 0 ? Infinity : free * bsize;
    } catch (error) {
      // A sandbox forbids it, or its numbers overflow.
      if (["ENOSYS", "EPERM", "EOVERFLOW"].includes(codeOf(error) ?? "")) return Infinity;
      throw error;
    }
  },
  async syncFolder(folder) {
    const handle = await fs.promises.open(folder, "r");
    await handle.sync().finally(() => handle.close());
  },
};

function fileStat(stats: fs.BigIntStats): FileStat {
  const { dev, ino, size, mode, uid, gid } = stats;
  return {
    id: `${dev}:${ino}`,
    isFile: stats.isFile(),
    size: Number(size),
    mode: Number(mode) & 0o777,
    owner: { user: Number(uid), group: Number(gid) },
  };
}

function openFile(handle: fs.promises.FileHandle): OpenFile {
  return {
    read: async (into, position) =>
      (await handle.read(into, 0, into.byteLength, position)).bytesRead,
    write: async (bytes) => (await handle.write(bytes)).bytesWritten,
    truncate: (length) => handle.truncate(length),
    sync: () => handle.datasync(),
    // fstat does not wait for the disk, so the thread pool would only cost time.
    stat: async () => fileStat(fs.fstatSync(handle.fd, { bigint: true })),
    close: () => handle.close(),
  };
}

/** Writes all of `bytes`, in several calls if needed. */
async function writeFully(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) {
    const taken = await file.write(done === 0 ? bytes : bytes.subarray(done));
    if (taken === 0) throw Object.assign(new Error("the disk took 0 bytes"), { code: "ENOSPC" });
    done += taken;
  }
}

/** The file at the path; undefined if there is none. */
export async function findFile(files: FileSystem, path: string): Promise<FileStat | undefined> {
  return files.stat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  });
}

const pieceBytes = 262_144;

/** All bytes of a file. The pieces share one buffer: each overwrites the last. */
export async function* readAll(file: Pick<OpenFile, "read">): AsyncGenerator<Buffer, void> {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes);
  let at = 0;
  for (;;) {
    const count = await file.read(buffer, at);
    if (count === 0) return;
    yield buffer.subarray(0, count);
    at += count;
  }
}

interface ReplaceOptions {
  /** Default: for the owner alone. */
  readonly access?: Access | undefined;
  /** Called before the rename. If it rejects, nothing is replaced. */
  readonly check?: () => Promise<void>;
}

/** Makes a synced file of the pieces take the name `path`. Resolves to it, open to append. */
export async function replaceFile(
  files: FileSystem,
  path: string,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  { access = { mode: 0o600 }, check }: ReplaceOptions = {},
): Promise<OpenFile> {
  const temporary = `${path}.tmp`;
  // Usually there is none.
  await files.remove(temporary).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
  const fresh = await files.create(temporary, access);
  let file: OpenFile | undefined;
  try {
    // At once, while the path surely leads to this file.
    file = await files.openToAppend(temporary);
    for await (const piece of pieces) await writeFully(fresh, piece);
    await fresh.sync();
    await check?.();
    await files.rename(temporary, path);
    await files.syncFolder(dirname(path));
    return file;
  } catch (error) {
    // After the rename there is no file of that name.
    await files.remove(temporary).catch(() => {});
    await file?.close().catch(() => {});
    throw error;
  } finally {
    // After the sync a failed close does no harm.
    await fresh.close().catch(() => {});
  }
}
