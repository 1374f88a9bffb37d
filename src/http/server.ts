/**
 * The HTTP server: Node's own, with its defaults where nothing is said. Node parses requests, keeps
 * connections alive and enforces timeouts. Its refusals are sent from here: Node itself would send
 * one in the place of the answer to the request before, which may be carried out all the same.
 *
 * This file adds three things: the requests of a connection are answered one after the other, only
 * one of them may wait, and the server stops gracefully.
 */

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import { Exchange } from "./request.ts";

/** Milliseconds. */
export interface Timeouts {
  /** For the request line and the header fields. */
  readonly headersMs: number;
  /** For the whole request. */
  readonly requestMs: number;
  /** How long a response may be unread. */
  readonly unreadMs: number;
  /** How long a connection may be idle. */
  readonly idleMs: number;
  /** How long nothing may come of a request that has its response, which closes the connection. */
  readonly restMs: number;
}

const defaultTimeouts: Timeouts = {
  // With Node's minute, a few hundred slow senders would hold all connections of a proxy for long.
  headersMs: 10_000,
  // Node's is five minutes. 64 KiB take ten seconds on a bad mobile network.
  requestMs: 30_000,
  // By default, a client that does not read its response may hold the connection for good.
  unreadMs: 120_000,
  // With Node's 5 s, a proxy that keeps connections for a while would at times send a request into
  // a connection that is just being closed, and answer 502. Caddy keeps one for two minutes.
  idleMs: 300_000,
  restMs: 2_000,
};

/** Node's default is 2,000. Tiny fields take far more memory than their bytes. */
export const maxFields = 100;
/**
 * Requests of a connection that are taken: one is answered, one waits with its body. RFC 9112
 * section 9.3.2 leaves it to the server how many it answers, and clients send the others again.
 */
const maxTaken = 2;
/** Requests of a connection that are dropped: Node keeps a response for each until its turn. */
const maxDropped = 16;

/** Node's own statuses, by the code of its error. Any other is 400. */
const refusals: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

interface Connection {
  /** The requests that were taken and have no complete response, oldest first. */
  readonly taken: Exchange[];
  dropped: number;
}

/** The server. Its owner calls `server.listen`. */
export class HttpServer {
  readonly server: Server;
  readonly #arrive: (exchange: Exchange) => void;
  readonly #serve: (exchange: Exchange) => void;
  readonly #restMs: number;
  readonly #connections = new Map<Socket, Connection>();
  #isStopping = false;
  /** Called when the last connection has closed. */
  #onLastClosed = (): void => {};

  /**
   * `arrive`: called when a request has come, before its turn. `serve`: answers it, now or later.
   * Neither throws.
   */
  constructor(
    arrive: (exchange: Exchange) => void,
    serve: (exchange: Exchange) => void,
    timeouts: Partial<Timeouts> = {},
  ) {
    const { headersMs, requestMs, unreadMs, idleMs, restMs } = { ...defaultTimeouts, ...timeouts };
    this.#arrive = arrive;
    this.#serve = serve;
    this.#restMs = restMs;
    this.server = createServer({
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      // By default Node looks for slow senders each half minute.
      connectionsCheckingInterval: Math.min(1_000, headersMs),
      keepAliveTimeout: idleMs,
      // pipeline.ts refuses a request without Host, after the rate limit has counted it.
      requireHostHeader: false,
    });
    this.server.timeout = unreadMs;
    // One more than is allowed, so that pipeline.ts sees that there are too many.
    this.server.maxHeadersCount = maxFields + 1;
    this.server.on("connection", (socket: Socket) => this.#admit(socket));
    const take = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
      this.#take(incoming, outgoing);
    this.server.on("request", take);
    // Without listeners, Node would answer an Expect by itself, however many answers wait unread.
    this.server.on("checkContinue", take);
    this.server.on("checkExpectation", take);
    this.server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
      this.#refuse(error, socket));
  }

  #admit(socket: Socket): void {
    if (this.#isStopping) return void socket.destroy();
    this.#connections.set(socket, { taken: [], dropped: 0 });
    socket.once("close", () => {
      const { taken = [] } = this.#connections.get(socket) ?? {};
      // One that waits is never answered now.
      for (const { body } of taken) body.drop();
      this.#connections.delete(socket);
      if (this.#connections.size === 0) this.#onLastClosed();
    });
  }

  #take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const connection = this.#connections.get(socket);
    // Not writable: the client has gone, or the last response closes the connection. Node still
    // parses everything that has arrived. A stop would never end if clients could go on asking.
    if (connection === undefined || !socket.writable || this.#isStopping) return;
    const { taken } = connection;
    const last = taken.at(-1);
    if (last !== undefined) {
      last.hasNext = true;
      last.isLast ||= taken.length === maxTaken;
      if (last.isLast) return this.#drop(incoming, connection);
    }
    const exchange = new Exchange(incoming, outgoing, this.#restMs);
    taken.push(exchange);
    this.#arrive(exchange);
    if (last === undefined) this.#answer(exchange, taken);
  }

  /** Answers what Node's parser refuses, and who sends too slowly, and closes the connection. */
  #refuse({ code = "" }: NodeJS.ErrnoException, socket: Socket): void {
    const taken = this.#connections.get(socket)?.taken ?? [];
    const last = taken.findLast(({ incoming }) => incoming.complete);
    if (last !== undefined && !last.outgoing.headersSent && socket.writable) {
      // It came whole and may be carried out: its own answer comes, and closes.
      last.hasNext = true;
      last.isLast = true;
      return;
    }
    // Within an answer that is being sent, a refusal would be read as a part of it.
    if (socket.writable && taken[0]?.outgoing.headersSent !== true) {
      const status = refusals[code] ?? 400;
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
    }
    socket.destroy();
  }

  /** Drops a request unanswered. The response to the last one that was taken closes. */
  #drop(incoming: IncomingMessage, connection: Connection): void {
    connection.dropped += 1;
    if (connection.dropped > maxDropped) incoming.socket.destroy();
    else incoming.resume();
  }

  #answer(exchange: Exchange, taken: Exchange[]): void {
    exchange.outgoing.on("close", () => {
      exchange.body.drop();
      taken.shift();
      const { socket } = exchange.incoming;
      const [next] = taken;
      // After a response that closes the connection, no request is carried out (RFC 9112 section
      // 9.6).
      if (next !== undefined && socket.writable) this.#answer(next, taken);
      else if (this.#isStopping) socket.destroySoon();
    });
    this.#serve(exchange);
  }

  /**
   * Refuses further connections and requests, and resolves when all connections are closed: idle
   * ones at once, busy ones after their responses, and the rest by force after `graceMs`. The last
   * response of a connection must close it.
   */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const [socket, { taken }] of this.#connections) {
      if (taken.length === 0) socket.destroySoon();
    }
    const impatience = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, graceMs);
    if (this.#connections.size > 0) {
      await new Promise<void>((resolve) => (this.#onLastClosed = resolve));
    }
    clearTimeout(impatience);
    // Last, because it destroys connections whose response has ended but is not sent yet.
    await new Promise((resolve) => this.server.close(resolve));
  }
}
