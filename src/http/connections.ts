/** The connections that a server has open: which of them are to be ended, and when. */

import type { Server } from "node:http";
import type { Socket } from "node:net";

/** What a connection has carried, both ways, and in how many looks that has not changed. */
interface Seen {
  bytes: number;
  looks: number;
}

const looksPerTimeout = 5;
/**
 * For each so many bytes that wait for its client, a connection is given one look more: the whole
 * answer may be one write, which counts as carried at once, however slowly it is read.
 */
const bytesPerLook = 131_072;

/** Follows a server's connections, from now on. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Map<Socket, Seen>();

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket: Socket) => {
      this.#open.set(socket, { bytes: 0, looks: 0 });
      socket.once("close", () => this.#open.delete(socket));
    });
  }

  /**
   * Destroys connections that have carried nothing for `idleMs`, or up to two fifths longer; those
   * that hold a long answer, not before it could have been read at 8 KiB a second. Looked at from
   * time to time, because a timer for each, which node would set again with every read and write,
   * takes 5 % of a read's time.
   */
  dropIdle(idleMs: number): void {
    const timer = setInterval(() => this.#look(), idleMs / looksPerTimeout).unref();
    this.#server.once("close", () => clearInterval(timer));
  }

  #look(): void {
    for (const [socket, seen] of this.#open) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes === seen.bytes) seen.looks += 1;
      else Object.assign(seen, { bytes, looks: 0 });
      const patience = looksPerTimeout + socket.writableLength / bytesPerLook;
      if (seen.looks > patience) socket.destroy();
    }
  }

  /**
   * Accepts no new connections. Resolves when all are closed, the last of them by force after
   * `graceMs`.
   */
  close(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const impatience = setTimeout(() => this.#server.closeAllConnections(), graceMs);
      this.#server.close(() => {
        clearTimeout(impatience);
        resolve();
      });
      // Those that have never asked for anything, which node does not call idle.
      for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy();
    });
  }
}
