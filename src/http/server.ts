/**
 * The HTTP server: node's own, through its documented API. Node parses, keeps connections alive,
 * enforces the timeouts, puts pipelined answers in the order of their requests, reads and drops
 * bodies that nobody wants, and ignores offers to upgrade.
 *
 * Added here: what node's parser refuses is answered as a problem, after the answers to earlier
 * requests and never inside one; after an answer that closes its connection no further request on
 * it is carried out; and how the server stops.
 */

import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { Problem } from "../problems/problem.ts";
import type { HeaderList } from "./answer.ts";
import { type BodyLimits, Exchange } from "./request.ts";

/**
 * By require: an `import` of node:http would read each of its exports, and one of them, WebSocket,
 * loads the whole of fetch's client, from Node 22 on a fifth of the start.
 */
const http: typeof import("node:http") = createRequire(import.meta.url)("node:http");

/** Milliseconds. */
export interface Timeouts {
  readonly headersMs: number;
  readonly bodyMs: number;
  /** How long a connection may be idle, or an answer unread. */
  readonly keepAliveMs: number;
}

/** Used unless the options say otherwise. */
export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  bodyMs: 30_000,
  // As long as proxies keep theirs.
  keepAliveMs: 120_000,
};

/** Bytes of request line and header fields, as node counts them. */
const headerBytesLimit = 16_384;

/** What node:http's createServer is given. */
export function serverOptions({ headersMs, bodyMs, keepAliveMs }: Timeouts): ServerOptions {
  return {
    maxHeaderSize: headerBytesLimit,
    headersTimeout: headersMs,
    // For bodies that nobody reads. Those that are read have a limit of their own, bodyMs.
    requestTimeout: headersMs + bodyMs + 2_000,
    // Node looks for timeouts this often, so a timeout comes at most a second late.
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    keepAliveTimeout: keepAliveMs,
    // Checked by requireWellFormed, to be answered as every other mistake is.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    // Documented from Node 24 on; older ones ignore it.
    optimizeEmptyRequests: true,
  };
}

export interface HttpServerOptions extends Timeouts, Pick<BodyLimits, "bodyLimitBytes"> {
  /** Answers a request, now or later. Throws nothing. */
  serve(exchange: Exchange): void;
  /** Answers a request whose body the parser refuses, unless it has been answered. */
  refuse(exchange: Exchange, problem: Problem): void;
  /** The answer to what the parser refuses and is no request. */
  refusal(problem: Problem): { status: number; headers: HeaderList; body: string };
  /** A connection has closed. */
  onClose(socket: Socket): void;
}

/** What a connection is doing. */
class Connection {
  readonly socket: Socket;
  /** Requests whose answers are not sent completely. */
  readonly open = new Set<Exchange>();
  /** The latest request that was carried out. */
  last: Exchange | undefined;
  isRefused = false;

  constructor(socket: Socket) {
    this.socket = socket;
  }
}

/** A refused connection stays open for so long, for its client to read why. */
const lingerMs = 2_000;

/** The server, not yet listening. */
export class HttpServer {
  readonly server: Server;
  readonly #options: HttpServerOptions;
  readonly #connections = new Map<Duplex, Connection>();
  #isStopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const server = http.createServer(serverOptions(options));
    this.server = server;
    // Their number is bounded by their bytes; beyond 2,000 node would drop fields silently.
    server.maxHeadersCount = 0;
    server.setTimeout(options.keepAliveMs);
    server.on("connection", (socket: Socket) => this.#connected(socket));
    const take = (expectsContinue: boolean) =>
      (request: IncomingMessage, response: ServerResponse) =>
        this.#take(new Exchange(request, response, options, expectsContinue));
    server.on("request", take(false));
    server.on("checkContinue", take(true));
    // Other expectations may be ignored: RFC 9110 section 10.1.1.
    server.on("checkExpectation", take(false));
    server.on("clientError", (error: Error, socket: Duplex) => this.#onClientError(error, socket));
  }

  #connected(socket: Socket): void {
    const connection = new Connection(socket);
    this.#connections.set(socket, connection);
    socket.once("close", () => {
      this.#connections.delete(socket);
      this.#options.onClose(socket);
      // Node does not tell an answer that waits behind another one; a stream has to know.
      for (const { response } of connection.open) {
        if (response.socket === null) response.destroy().emit("close");
      }
    });
  }

  #take(exchange: Exchange): void {
    const { request, response } = exchange;
    const connection = this.#connections.get(request.socket);
    // RFC 9112 section 9.6: nothing is carried out after the request that closes the connection.
    if (connection === undefined || connection.last?.closes === true) return;
    connection.last = exchange;
    connection.open.add(exchange);
    response.on("close", () => {
      connection.open.delete(exchange);
      // An idle connection needs no memory of its last request.
      if (connection.last === exchange && request.complete && !exchange.closes) {
        connection.last = undefined;
      }
      if (this.#isStopping && connection.open.size === 0) connection.socket.destroySoon();
    });
    this.#options.serve(exchange);
  }

  #onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#connections.get(socket);
    const problem = parserProblem(error, this.#options.headersMs);
    if (connection === undefined || problem === undefined || !socket.writable) {
      socket.destroy();
      return;
    }
    const { last, open } = connection;
    if (connection.isRefused || last?.closes === true) return;
    connection.isRefused = true;
    if (last === undefined || last.request.complete) {
      // What is broken came after the latest request.
      const end = (): void => this.#end(socket, problem);
      if (last !== undefined && open.has(last)) last.response.once("close", end);
      else end();
    } else if (last.response.headersSent) {
      connection.socket.destroySoon();
    } else {
      this.#options.refuse(last, problem);
    }
  }

  /** Writes the refusal as the answer to no request, and closes the connection. */
  #end(socket: Duplex, problem: Problem): void {
    if (!socket.writable) return;
    const { status, headers, body } = this.#options.refusal(problem);
    const lines = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`];
    for (let index = 0; index < headers.length; index += 2) {
      lines.push(`${headers[index]}: ${headers[index + 1]}`);
    }
    lines.push(`Date: ${new Date().toUTCString()}`);
    socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
    // At once, the kernel would reset a connection on which more has come than was read, and the
    // client might not see the answer.
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once("close", () => clearTimeout(timer));
  }

  /**
   * Accepts no new connections, and resolves when all are closed: idle ones at once, others after
   * their answers, those that are left after `graceMs` by force. Answers sent meanwhile must close
   * their connections.
   */
  async stop(graceMs: number): Promise<void> {
    // A turn of the event loop to accept connections that are established already, one to read
    // what came on them, and one to answer it.
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    this.#isStopping = true;
    const closed = new Promise((resolve) => {
      // http's own close() destroys connections whose answer is ended but not yet sent.
      NetServer.prototype.close.call(this.server, resolve);
    });
    for (const { socket, open } of this.#connections.values()) {
      if (open.size === 0) socket.destroySoon();
    }
    const impatience = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, graceMs);
    await closed;
    clearTimeout(impatience);
    // Ends its timer.
    this.server.close();
  }
}

/** What the parser refuses, as a problem. Undefined: the connection itself has failed. */
function parserProblem(
  { code = "", ...error }: NodeJS.ErrnoException,
  headersMs: number,
): Problem | undefined {
  switch (code) {
    case "HPE_HEADER_OVERFLOW": {
      const expected = `at most ${headerBytesLimit / 1_024} KiB of request line and header fields`;
      return new Problem("headers-too-large", `expected ${expected}, got more`);
    }
    case "ERR_HTTP_REQUEST_TIMEOUT": {
      const expected = `request line and header fields within ${headersMs / 1_000} s`;
      return new Problem("request-timeout", `expected ${expected}`);
    }
    default: {
      if (!code.startsWith("HPE_")) return undefined;
      // llhttp's words, which quote nothing of what was sent, unless they need explaining.
      const said = "reason" in error && typeof error.reason === "string" ? error.reason : "";
      const got = reasons.get(code) ?? (said || "something else");
      return new Problem("malformed-request", `expected HTTP/1.1 (RFC 9112), got: ${got}`);
    }
  }
}

const reasons = new Map([
  ["HPE_INVALID_METHOD", "a line that begins with no method that HTTP knows"],
  ["HPE_INVALID_CONSTANT", "a request line that does not end in HTTP/1.1 after one target"],
  ["HPE_INVALID_EOF_STATE", "a request that ends too early"],
  ["HPE_PAUSED_H2_UPGRADE", "HTTP/2"],
]);
