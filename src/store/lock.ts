/**
 * Locks the folder, so that only one process uses it. The kernel knows whether the owner is alive.
 *
 * The owner listens on a Unix domain socket in the folder. A connection succeeds while the owner's
 * process exists, in any container, and is refused once it is gone: after kill -9, after a reboot,
 * or when a new container reuses the PID. No PID is ever compared.
 *
 * The sockets are numbered: lock-1, lock-2 and so on. The highest that answers owns the folder.
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
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { codeOf, isOutOfSpace, messageOf } from "../log/system-error.ts";
import { StoreError } from "./store-error.ts";

export interface Lock {
  /** False if somebody has removed or replaced it, so that another process may have the folder. */
  isHeld(): boolean;
  release(): void;
}

/**
 * Locks the folder.
 * Rejects with StoreError "locked" or "unusable", or with Node's own error of a system call.
 */
export async function lockFolder(folder: string): Promise<Lock> {
  const own = `lock-new-${randomBytes(6).toString("hex")}`;
  const server = createServer((socket) => socket.destroy()).unref();
  const handle = fs.openSync(folder, "r");
  try {
    const address = shortPath(folder, handle);
    const listening = once(server.listen(join(address, own)), "listening");
    await listening.catch((cause: unknown) => {
      const code = codeOf(cause) ?? "";
      if (["EACCES", "EPERM", "EROFS"].includes(code) || isOutOfSpace(cause)) throw cause;
      throw new StoreError("unusable", `cannot lock the folder ${folder}: ${messageOf(cause)}`, {
        cause,
        hint: "The folder must be on a local disk whose file system supports Unix domain sockets",
      });
    });
    // An accept can fail too, which is harmless: the peer is connected already.
    server.on("error", () => {});
    const path = join(folder, `lock-${await takeNumber(folder, address, own)}`);
    fs.unlinkSync(join(folder, own));
    const { ino, dev } = fs.lstatSync(path);
    // If the path now leads to another store, a socket of that name belongs to its owner.
    const isOwn = (): boolean => {
      const found = fs.lstatSync(path, { throwIfNoEntry: false });
      return found?.ino === ino && found.dev === dev;
    };
    return {
      isHeld() {
        try {
          return isOwn();
        } catch {
          // An error of the call proves nothing.
          return true;
        }
      },
      release() {
        try {
          if (isOwn()) fs.rmSync(path, { force: true });
        } catch {
          // The folder has become read-only. The socket stays, but nobody answers on it.
        }
        server.close();
      },
    };
  } catch (error) {
    fs.rmSync(join(folder, own), { force: true });
    server.close();
    throw error;
  } finally {
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
    // Everyone may ask. Otherwise the dead lock of a root process counts as taken.
    fs.chmodSync(join(folder, own), 0o777);
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

/** A socket address has about 100 bytes. On Linux an open handle replaces a longer path. */
function shortPath(folder: string, handle: number): string {
  if (Buffer.byteLength(folder) + 30 <= 100) return folder;
  if (process.platform === "linux") return `/proc/self/fd/${handle}`;
  throw new StoreError("unusable", `the path of the folder ${folder} is too long to lock`, {
    hint: "Choose a DATA_DIR whose absolute path has at most 70 bytes",
  });
}
