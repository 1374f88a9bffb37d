/**
 * Ends connections on which nothing moves. Looked at from time to time, because a timer for each,
 * which node would set anew with every read and write, takes 5 % of a read's time.
 */

import type { Server } from "node:http";
import type { Socket } from "node:net";

/** What a connection has carried, both ways, and in how many looks that has not changed. */
interface Seen {
  bytes: number;
  looks: number;
}

const looksPerTimeout = 5;
/**
 * What an answer that waits for its client has to measure to buy it one look more: all of it may
 * be one write, which counts as carried when it is handed over, however slowly it is then read.
 */
const bytesPerLook = 131_072;

/**
 * Destroys connections that have carried nothing for `idleMs`, or up to two fifths longer; those
 * that hold a long answer, not before it could have been read at 8 KiB a second.
 */
export function dropIdle(server: Server, idleMs: number): void {
  const open = new Map<Socket, Seen>();
  server.on("connection", (socket: Socket) => {
    open.set(socket, { bytes: 0, looks: 0 });
    socket.once("close", () => open.delete(socket));
  });
  const look = (): void => {
    for (const [socket, seen] of open) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes === seen.bytes) seen.looks += 1;
      else Object.assign(seen, { bytes, looks: 0 });
      const patience = looksPerTimeout + socket.writableLength / bytesPerLook;
      if (seen.looks > patience) socket.destroy();
    }
  };
  const timer = setInterval(look, idleMs / looksPerTimeout).unref();
  server.once("close", () => clearInterval(timer));
}
