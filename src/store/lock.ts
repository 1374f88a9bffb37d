/**
 * Locks the folder, so that only one process uses it. The kernel knows whether the owner is alive.
 *
 * The owner listens on a Unix domain socket in the folder. A connection succeeds while the owner's
 * process exists, in any container, and is refused once it is gone: after kill -9, after a reboot,
 * or when a new container reuses the PID. No PID is ever compared.
 *
 * The sockets are numbered: lock-1, lock-2, …. The highest one that answers owns the folder.
 *
 *  1. Listen on a socket with a random name.
 *  2. Connect to the highest number. If it answers, the folder is taken.
 *  3. Link the socket as the next number. link(2) fails if the name exists, so only one of several
 *     processes that found the same dead owner succeeds. The others go back to 2.
 *  4. Look again. If there is a higher number, or a lower number answers, another process came to
 *     the folder between 2 and 3: remove the link and go back to 2.
 *  5. Remove the lower numbers, which are dead.
 *
 * Two processes never both pass 4: each has linked its number before it looks, so the later one
 * sees the earlier one. If both see each other, both go back to 2.
 */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { codeOf, isOutOfSpace } from "../log/system-error.ts";
import type { FileSystem } from "./file-system.ts";
import { accessHint, outOfSpaceHint, StoreError } from "./store-error.ts";

export interface Lock {
  release(): Promise<void>;
}

/** A locked folder, and the file calls to use on it. */
export interface LockedFolder {
  readonly folder: string;
  readonly files: FileSystem;
  readonly lock: Lock;
}

/**
 * Locks the folder.
 * Throws StoreError "locked" or "unusable", or Node's own error of a system call.
 */
export async function lockFolder(folder: string): Promise<Lock> {
  const folderHandle = fs.openSync(folder, "r");
  try {
    return await lockSocket(folder, shortPath(folder, folderHandle));
  } finally {
    fs.closeSync(folderHandle);
  }
}

async function lockSocket(folder: string, address: string): Promise<Lock> {
  const own = `lock-new-${randomBytes(6).toString("hex")}`;
  const server = await listen(join(address, own), folder);
  try {
    const number = await takeNumber(folder, address, own);
    fs.unlinkSync(join(folder, own));
    return socketLock(server, folder, `lock-${number}`);
  } catch (error) {
    fs.rmSync(join(folder, own), { force: true });
    await closed(server);
    throw error;
  }
}

function socketLock(server: Server, folder: string, name: string): Lock {
  const path = join(folder, name);
  const { ino, dev } = fs.lstatSync(path);
  return {
    async release() {
      try {
        // If the path now leads to another store, a socket of that name belongs to its owner.
        const found = fs.lstatSync(path, { throwIfNoEntry: false });
        if (found?.ino === ino && found.dev === dev) fs.rmSync(path, { force: true });
      } catch {
        // The folder cannot be changed any more. The socket stays, but no process answers on it.
      }
      await closed(server);
    },
  };
}

async function takeNumber(folder: string, address: string, own: string): Promise<number> {
  for (;;) {
    const highest = Math.max(0, ...lockNumbers(folder));
    if (highest > 0 && (await answers(join(address, `lock-${highest}`)))) throw taken(folder);
    const number = highest + 1;
    if (!linked(folder, own, `lock-${number}`)) continue;
    if (await isFirst(folder, address, number)) {
      await removeDead(folder, address, `lock-${number}`);
      return number;
    }
    fs.rmSync(join(folder, `lock-${number}`), { force: true });
  }
}

function linked(folder: string, own: string, name: string): boolean {
  try {
    fs.linkSync(join(folder, own), join(folder, name));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    // Another process has just locked the folder and removed this socket at step 5.
    if (codeOf(error) === "ENOENT") throw taken(folder);
    throw error;
  }
}

async function isFirst(folder: string, address: string, number: number): Promise<boolean> {
  for (const other of lockNumbers(folder)) {
    if (other > number) return false;
    if (other < number && (await answers(join(address, `lock-${other}`)))) return false;
  }
  return true;
}

/** Leaves sockets that answer: their processes will find the folder taken and remove them. */
async function removeDead(folder: string, address: string, own: string): Promise<void> {
  for (const name of fs.readdirSync(folder)) {
    if (!/^lock-(new-\w+|\d+)$/.test(name) || name === own) continue;
    if (!(await answers(join(address, name)))) fs.rmSync(join(folder, name), { force: true });
  }
}

function lockNumbers(folder: string): number[] {
  return fs.readdirSync(folder).flatMap((name) => {
    const match = /^lock-(\d+)$/.exec(name);
    return match === null ? [] : [Number(match[1])];
  });
}

function listen(path: string, folder: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    // After listening, an accept can fail too. That is harmless: the peer is connected already.
    server.on("error", (cause) => {
      if (codeOf(cause) === "EADDRINUSE") return reject(taken(folder));
      const message = `cannot lock the folder ${folder}: ${cause.message}`;
      reject(new StoreError("unusable", message, { cause, hint: lockHint(cause) }));
    });
    server.listen(path, () => resolve(server));
    server.unref();
  });
}

function lockHint(cause: unknown): string {
  if (["EACCES", "EPERM", "EROFS"].includes(codeOf(cause) ?? "")) return accessHint;
  if (isOutOfSpace(cause)) return outOfSpaceHint;
  return "The folder must be on a local disk whose file system supports Unix domain sockets";
}

/** True if a process listens on the socket, or if that cannot be found out. */
async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    return !["ECONNREFUSED", "ENOENT", "ENOTSOCK"].includes(codeOf(error) ?? "");
  } finally {
    socket.destroy();
  }
}

function taken(folder: string): StoreError {
  return new StoreError("locked", `another process is using the folder ${folder}`, {
    hint: "Stop it first, or give this one a DATA_DIR of its own",
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()));
}

/** A socket address has about 100 bytes. On Linux an open handle replaces a longer path. */
function shortPath(folder: string, handle: number): string {
  if (Buffer.byteLength(folder) + 30 <= 100) return folder;
  if (process.platform === "linux") return `/proc/self/fd/${handle}`;
  throw new StoreError("unusable", `the path of the folder ${folder} is too long to lock`, {
    hint: "Choose a DATA_DIR whose absolute path has at most 70 bytes",
  });
}
