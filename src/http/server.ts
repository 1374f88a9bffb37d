/**
 * The HTTP server: Node's own, with its defaults where nothing is said. Node parses requests, keeps
 * connections alive, enforces timeouts, and answers what it refuses.
 *
 * This file adds three things: the requests of a connection are answered one after the other, a few
 * at most wait, and the server stops gracefully.
 */

import { createServer, type Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { Exchange } from "./request.ts";

/** Milliseconds. */
export interface Timeouts {
  /** For the request line and the header fields. */
  readonly headersMs: number;
  /** For the whole request. */
  readonly requestMs: number;
  /** How long a connection may be idle, or a response unread. */
  readonly idleMs: number;
}

const defaultTimeouts: Timeouts = {
  // With Node's minute, a few hundred slow senders would hold all connections of a proxy for long.
  headersMs: 10_000,
  // Node's is five minutes. 64 KiB take ten seconds on a bad mobile network.
  requestMs: 30_000,
  // With Node's 5 s, a proxy that keeps connections for a minute would at times send a request into
  // a connection that is just being closed, and answer 502.
  idleMs: 120_000,
};

/** Node's default is 2,000. Tiny fields take far more memory than their bytes. */
export const maxFields = 100;
/** Requests of a connection that wait for the response before them. */
const maxWaiting = 16;
/** More than the connections that the kernel holds for a server that is busy (net.Server's 511). */
const maxStopTurns = 1_000;

/** The requests of a connection without a whole response, the oldest first. */
type Queue = Exchange[];

/** The server. Its owner calls `server.listen`. */
export class HttpServer {
  readonly server: Server;
  readonly #serve: (exchange: Exchange) => void;
  readonly #connections = new Map<Socket, Queue>();
  #accepted = 0;
  #isStopping = false;

  /** `serve`: answers a request, now or later. Never throws. */
  constructor(serve: (exchange: Exchange) => void, timeouts: Partial<Timeouts> = {}) {
    const { headersMs, requestMs, idleMs } = { ...defaultTimeouts, ...timeouts };
    this.#serve = serve;
    this.server = createServer({
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      // By default Node looks for slow senders each half minute.
      connectionsCheckingInterval: Math.min(1_000, headersMs),
      keepAliveTimeout: idleMs,
    });
    // By default, a client that does not read its response may hold the connection for good.
    this.server.timeout = idleMs;
    // One more than is allowed, so that app.ts sees that there are too many.
    this.server.maxHeadersCount = maxFields + 1;
    this.server.on("connection", (socket: Socket) => {
      this.#accepted += 1;
      this.#connections.set(socket, []);
      socket.once("close", () => this.#connections.delete(socket));
    });
    this.server.on("request", (incoming, outgoing) => this.#take(new Exchange(incoming, outgoing)));
  }

  #take(exchange: Exchange): void {
    const { socket } = exchange.incoming;
    const queue = this.#connections.get(socket);
    // Not writable: the client has gone, or the last response closes the connection.
    if (queue === undefined || !socket.writable) return;
    if (queue.length > maxWaiting) return void socket.destroy();
    const last = queue.at(-1);
    if (last !== undefined) last.isFollowed = true;
    queue.push(exchange);
    if (last === undefined) this.#answer(exchange, queue);
  }

  #answer(exchange: Exchange, queue: Queue): void {
    exchange.outgoing.on("close", () => {
      queue.shift();
      const { socket } = exchange.incoming;
      const [next] = queue;
      // After a response that closes the connection, no request is carried out (RFC 9112 section
      // 9.6).
      if (next !== undefined && socket.writable) this.#answer(next, queue);
      else if (this.#isStopping) socket.destroySoon();
    });
    this.#serve(exchange);
  }

  /**
   * Stops accepting connections and resolves when all are closed: idle connections at once, busy
   * ones after their responses, and the rest by force after `graceMs`. Responses sent meanwhile
   * must close their connections.
   */
  async stop(graceMs: number): Promise<void> {
    // Some connections are established, but not accepted: a turn of the event loop accepts about
    // one. Three quiet turns accept nothing, read the last requests and answer them.
    for (let turns = 0, quiet = 0; quiet < 3 && turns < maxStopTurns; turns += 1) {
      const before = this.#accepted;
      await setImmediate();
      quiet = this.#accepted === before ? quiet + 1 : 0;
    }
    const closed = new Promise((resolve) => {
      // http's own close() destroys connections whose response is ended but not yet sent.
      NetServer.prototype.close.call(this.server, resolve);
    });
    this.#isStopping = true;
    for (const [socket, queue] of this.#connections) if (queue.length === 0) socket.destroySoon();
    const impatience = setTimeout(() => this.server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(impatience);
  }
}
