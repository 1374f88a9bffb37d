/**
 * One process a folder, and the kernel says whether the owner lives.
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
 *  4. Look again: with a higher number there now, someone else began later and won; give way.
 *  5. Remove the lower ones, which are dead. A living owner's number is never lower than a winner's.
 *
 * Windows has no such sockets in folders; a named pipe of the folder's name does the same there.
 */

import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { deferred } from "./deferred.ts";
import { StoreError } from "./store-error.ts";

/** Gives the folder back. */
export type Unlock = () => Promise<void>;

/** Resolves once this process has the folder. Throws StoreError "locked" or "unusable". */
export async function lockFolder(folder: string): Promise<Unlock> {
  if (process.platform === "win32") return lockPipe(folder);
  const folderHandle = fs.openSync(folder, "r");
  try {
    return await lockSocket(folder, shortPath(folder, folderHandle));
  } finally {
    fs.closeSync(folderHandle);
  }
}

async function lockSocket(folder: string, address: string): Promise<Unlock> {
  const own = `lock-new-${randomBytes(6).toString("hex")}`;
  const server = await listen(join(address, own), folder);
  try {
    const number = await takeNumber(folder, address, own);
    fs.unlinkSync(join(folder, own));
    return async () => {
      fs.rmSync(join(folder, `lock-${number}`), { force: true });
      await closed(server);
    };
  } catch (error) {
    fs.rmSync(join(folder, own), { force: true });
    await closed(server);
    throw error;
  }
}

async function takeNumber(folder: string, address: string, own: string): Promise<number> {
  for (;;) {
    const highest = Math.max(0, ...lockNumbers(folder));
    if (highest > 0 && (await answers(join(address, `lock-${highest}`)))) throw taken(folder);
    const number = highest + 1;
    try {
      fs.linkSync(join(folder, own), join(folder, `lock-${number}`));
    } catch (error) {
      if (codeOf(error) === "EEXIST") continue;
      throw error;
    }
    const numbers = lockNumbers(folder);
    if (Math.max(...numbers) > number) {
      fs.rmSync(join(folder, `lock-${number}`), { force: true });
      continue;
    }
    await removeDead(folder, address, numbers.filter((other) => other < number));
    return number;
  }
}

async function removeDead(folder: string, address: string, numbers: number[]): Promise<void> {
  for (const number of numbers) fs.rmSync(join(folder, `lock-${number}`), { force: true });
  // Left by a starter that was killed between steps 1 and 3; a living one is in the middle of them.
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith("lock-new-") || (await answers(join(address, name)))) continue;
    fs.rmSync(join(folder, name), { force: true });
  }
}

function lockNumbers(folder: string): number[] {
  return fs.readdirSync(folder).flatMap((name) => {
    const match = /^lock-(\d+)$/.exec(name);
    return match === null ? [] : [Number(match[1])];
  });
}

function listen(path: string, folder: string): Promise<Server> {
  const { promise, resolve, reject } = deferred<Server>();
  const server = createServer((socket) => socket.destroy());
  server.on("error", (cause) => {
    reject(
      codeOf(cause) === "EADDRINUSE"
        ? taken(folder)
        : new StoreError("unusable", `cannot lock the folder ${folder}: ${cause.message}`, {
            cause,
            hint: "The folder must be on a local disk whose file system holds Unix domain sockets.",
          }),
    );
  });
  server.listen(path, () => resolve(server));
  server.unref();
  return promise;
}

/** Whether a process listens on the socket; one that cannot be asked is taken to live. */
function answers(path: string): Promise<boolean> {
  const { promise, resolve } = deferred<boolean>();
  const socket = connect(path, () => {
    socket.destroy();
    resolve(true);
  });
  socket.on("error", (error) => {
    const code = codeOf(error);
    resolve(code !== "ECONNREFUSED" && code !== "ENOENT" && code !== "ENOTSOCK");
  });
  return promise;
}

function taken(folder: string): StoreError {
  return new StoreError("locked", `another process is using the folder ${folder}`, {
    hint: "Stop it first, or give this one a DATA_DIR of its own.",
  });
}

function closed(server: Server): Promise<void> {
  const { promise, resolve } = deferred<void>();
  server.close(() => resolve());
  return promise;
}

/** A socket's address holds some 100 bytes; a longer folder is reached through its open handle. */
function shortPath(folder: string, handle: number): string {
  if (Buffer.byteLength(folder) + 30 <= 100) return folder;
  if (process.platform === "linux") return `/proc/self/fd/${handle}`;
  throw new StoreError("unusable", `the path of the folder ${folder} is too long to lock`, {
    hint: "Choose a DATA_DIR whose absolute path has at most 70 bytes.",
  });
}

async function lockPipe(folder: string): Promise<Unlock> {
  const name = createHash("sha256").update(fs.realpathSync(folder)).digest("hex");
  const server = await listen(`\\\\.\\pipe\\forno-${name}`, folder);
  return () => closed(server);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
