/** A server's connections: each is made here, told what comes on it, and dropped when it is idle. */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Problem } from "../problems/problem.ts";
import { Connection, type ConnectionOptions, looksUnchanged } from "./connection.ts";
import { allowHalfOpen } from "./node-internals.ts";
import { parserProblem } from "./parser-refusals.ts";
import { withoutUpgrade } from "./upgrade.ts";

export interface ConnectionsOptions extends ConnectionOptions {
  /** How long a connection may carry nothing: it is dropped a tenth to three tenths later. */
  readonly keepAliveMs: number;
}

/** Those that a server has open, from now on. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Map<Duplex, Connection>();

  constructor(server: Server, options: ConnectionsOptions) {
    this.#server = server;
    allowHalfOpen(server);
    server.on("connection", (socket: Socket) => {
      // Given to the parser once more: it has offered an upgrade.
      if (this.#open.has(socket)) return;
      this.#open.set(socket, new Connection(socket, options));
      socket.once("close", () => this.#open.delete(socket));
    });
    const take = (expects: boolean) => (request: IncomingMessage, response: ServerResponse) =>
      this.#open.get(request.socket)?.take(request, response, expects);
    server.on("request", take(false));
    server.on("checkContinue", take(true));
    // Other expectations may be ignored: RFC 9110 section 10.1.1.
    server.on("checkExpectation", take(false));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      this.#open.get(socket)?.refuse(parserProblem(error, server.headersTimeout));
    });
    server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
      const connection = this.#open.get(socket);
      connection?.takeHandedOver(() => connection.refuse(connectProblem()));
    });
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, behind: Buffer) => {
      this.#open.get(socket)?.takeHandedOver((own) => {
        if (own.destroyed) return;
        own.unshift(withoutUpgrade(request, behind));
        server.emit("connection", own);
      });
    });
    // From time to time, because a timer for each connection, which node would set again with every
    // read and write, takes 5 % of a read's time.
    const everyMs = (options.keepAliveMs * 1.1) / (looksUnchanged + 1);
    const timer = setInterval(() => this.#look(), everyMs).unref();
    server.once("close", () => clearInterval(timer));
  }

  #look(): void {
    for (const connection of this.#open.values()) connection.look();
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
      for (const connection of this.#open.values()) if (connection.isUnused) connection.destroy();
    });
  }
}

function connectProblem(): Problem {
  // RFC 9110 section 10.2.1: there is no method that what it names allows.
  const headers = { Allow: "" };
  const detail = "CONNECT is for proxies, and this is not one";
  return new Problem("method-not-allowed", detail, { headers });
}
