/**
 * One process per folder, and the kernel says whether the owner lives.
 *
 * The owner listens on a Unix domain socket in the folder. Connecting to it succeeds as long as the
 * owner's process exists, in whatever container, and is refused as soon as it does not: after
 * kill -9, a reboot, or with the same PID in a new container. No PID is ever compared.
 *
 * The sockets are numbered, lock-1, lock-2, …, and the highest that answers has the folder:
 *
 *  1. Listen on a socket of a name that nobody else uses.
 *  2. Find the highest number. Does it answer? Then the folder is taken.
 *  3. Link the socket as the next number. link(2) fails when the name exists, so of many starters
 *     that found the same dead owner one wins; the others begin again at 2 and find the winner.
 *  4. Look again. Is there a higher number, or does a lower one answer? Then others came to the
 *     same folder while this one was between 2 and 3: give way and begin again at 2.
 *  5. Remove the lower ones, which are dead.
 *
 * Two never both pass 4: each has its number in the folder before it looks, so the later of the
 * two sees the other; and of two that see each other the lower one gives way and the other retries.
 *
 * Windows has no such sockets in folders; a named pipe of the folder's name does the same there.
 */

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { codeOf, isOutOfSpace } from "../log/system-error.ts";
import type { FileSystem } from "./file-system.ts";
import { outOfSpaceHint, StoreError } from "./store-error.ts";

/** A folder that this process has for itself. */
export interface Lock {
  /** False once the path leads elsewhere, or nowhere: the folder was moved, replaced or removed. */
  isHeld(): Promise<boolean>;
  /** Gives the folder back. */
  release(): Promise<void>;
}

/** A folder that this process has, and how its disk is reached. */
export interface Place {
  readonly folder: string;
  readonly files: FileSystem;
  readonly lock: Lock;
}

/**
 * Resolves once this process has the folder.
 * Throws StoreError "locked" or "unusable", or node's own error of a system call.
 */
export async function lockFolder(folder: string): Promise<Lock> {
  if (process.platform === "win32") return lockPipe(folder);
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
  const socket = fs.lstatSync(path);
  const isHeld = async (): Promise<boolean> => {
    try {
      const found = fs.lstatSync(path, { throwIfNoEntry: false });
      if (found === undefined) return false;
      if (found.ino === socket.ino && found.dev === socket.dev) return true;
      // Some file systems in user space give a file a new number now and then.
      return await reaches(folder, name, server);
    } catch (error) {
      // A path that leads nowhere; whatever else is wrong says nothing of whose the folder is.
      return !["ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "");
    }
  };
  return {
    isHeld,
    async release() {
      try {
        // Where the path leads to another store by now, a socket of that name is its owner's.
        if (await isHeld()) fs.rmSync(path, { force: true });
      } catch {
        // The folder is read-only by now. A lock that stays is a dead one.
      }
      await closed(server);
    },
  };
}

/** Whether the socket at the path is the one that this server listens on. */
async function reaches(folder: string, name: string, server: Server): Promise<boolean> {
  const handle = fs.openSync(folder, "r");
  const socket = connect(join(shortPath(folder, handle), name));
  let reached = (): void => {};
  try {
    return await new Promise((resolve) => {
      reached = () => resolve(true);
      server.once("connection", reached);
      socket.setTimeout(1_000, () => resolve(false));
      socket.on("error", () => resolve(false)).on("close", () => resolve(false));
    });
  } finally {
    server.off("connection", reached);
    socket.destroy();
    fs.closeSync(handle);
  }
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
    // Removed at step 5 by one that has just taken the folder, and found nobody listening yet.
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

/** A living one is another starter's, which is about to give way and removes its own. */
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
    // Also of a connection that cannot be accepted later: whoever asks has its answer then.
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
  if (["EACCES", "EPERM", "EROFS"].includes(codeOf(cause) ?? "")) {
    return "DATA_DIR must be a folder that this user can read and write";
  }
  if (isOutOfSpace(cause)) return outOfSpaceHint;
  return "The folder must be on a local disk whose file system supports Unix domain sockets";
}

/** Whether a process listens on the socket; one that cannot be asked is assumed to be alive. */
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
    hint: "Stop it first, or give this one a DATA_DIR of its own.",
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()));
}

/** A socket's address holds some 100 bytes; a longer folder is reached through its open handle. */
function shortPath(folder: string, handle: number): string {
  if (Buffer.byteLength(folder) + 30 <= 100) return folder;
  if (process.platform === "linux") return `/proc/self/fd/${handle}`;
  throw new StoreError("unusable", `the path of the folder ${folder} is too long to lock`, {
    hint: "Choose a DATA_DIR whose absolute path has at most 70 bytes.",
  });
}

async function lockPipe(folder: string): Promise<Lock> {
  const name = createHash("sha256").update(fs.realpathSync(folder)).digest("hex");
  const server = await listen(`\\\\.\\pipe\\forno-${name}`, folder);
  // Windows moves no folder in which a file is open.
  return { isHeld: async () => true, release: () => closed(server) };
}
