/**
 * The HTTP server: node's own, through its documented API. Node parses requests, keeps connections
 * alive, enforces timeouts, drops unread bodies and ignores upgrades.
 *
 * This file adds three things: the requests of a connection are handled one after the other, and
 * none after a response that closes it; bytes that the parser refuses get a problem as the last
 * response; and the server stops gracefully.
 */

import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { Problem } from "../problems/problem.ts";
import type { HeaderList } from "./response.ts";
import { type Backlog, requestBytes } from "./backlog.ts";
import { type BodyLimits, Exchange } from "./request.ts";

/**
 * By require, because an `import` of node:http reads each of its exports. From Node 22 on, one of
 * them (WebSocket) loads fetch's whole client, which takes a fifth of the start.
 */
const http: typeof import("node:http") = createRequire(import.meta.url)("node:http");

/** Milliseconds. */
export interface Timeouts {
  readonly headersMs: number;
  readonly bodyMs: number;
  /** How long a connection may be idle, or a response unread. */
  readonly keepAliveMs: number;
}

/** Defaults for the options. */
export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  bodyMs: 30_000,
  // Longer than the idle timeout of most proxies, so that the proxy closes first.
  keepAliveMs: 120_000,
};

/** The methods of all routes, as in the Allow field. */
export const allMethods = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

/** Bytes of request line and header fields, as node counts them. */
const headerBytesLimit = 16_384;

/** The options for node:http's createServer. */
export function serverOptions({ headersMs, bodyMs, keepAliveMs }: Timeouts): ServerOptions {
  return {
    maxHeaderSize: headerBytesLimit,
    headersTimeout: headersMs,
    // Only for bodies that no handler reads. readBody has its own limit, bodyMs.
    requestTimeout: headersMs + bodyMs + 2_000,
    // Node's interval between checks: a timeout comes at most a second late.
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    keepAliveTimeout: keepAliveMs,
    // requireWellFormed checks it, so that the response is a problem like all others.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    // Documented from Node 24 on; older ones ignore it.
    optimizeEmptyRequests: true,
  };
}

export interface HttpServerOptions extends Timeouts, Pick<BodyLimits, "bodyLimitBytes"> {
  /** Answers a request, now or later. Never throws. */
  serve(exchange: Exchange): void;
  /** Answers a request whose body the parser refuses, unless it is already answered. */
  refuse(exchange: Exchange, problem: Problem): void;
  /** The response to bytes that the parser refuses outside a request. */
  refusal(problem: Problem): { status: number; headers: HeaderList; body: string };
  readonly backlog: Backlog;
}

/** A connection answers its requests one after the other. */
class Connection {
  readonly socket: Socket;
  /** The request that is being answered, or whose response closes the connection. */
  current: Exchange | undefined;
  /** Requests that came while another was being answered. */
  readonly waiting: Exchange[] = [];
  /** The latest request: bytes that the parser refuses may belong to its body. */
  last: Exchange | undefined;
  /** The problem of bytes that the parser refused: the last response of the connection. */
  refused: Problem | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
  }
}

/** Time for the client to read the response before a refused connection is destroyed. */
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
    // maxHeaderSize bounds the fields. By default node would silently drop fields beyond 2,000.
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
    server.on("connect", (_request: IncomingMessage, socket: Duplex) => this.#noTunnel(socket));
    server.on("clientError", (error: Error, socket: Duplex) => this.#onClientError(error, socket));
  }

  #connected(socket: Socket): void {
    this.#connections.set(socket, new Connection(socket));
    socket.once("close", () => {
      this.#connections.delete(socket);
      this.#options.backlog.forget(socket);
    });
  }

  #take(exchange: Exchange): void {
    const connection = this.#connections.get(exchange.request.socket);
    if (connection === undefined || connection.socket.destroyed) return;
    const { socket, current, waiting, last } = connection;
    connection.last = exchange;
    if (current === undefined) return this.#serve(connection, exchange);
    if (last !== undefined) last.isFollowed = true;
    waiting.push(exchange);
    this.#options.backlog.add(socket, requestBytes);
  }

  #serve(connection: Connection, exchange: Exchange): void {
    connection.current = exchange;
    exchange.response.on("close", () => this.#answered(connection, exchange));
    this.#options.serve(exchange);
  }

  #answered(connection: Connection, exchange: Exchange): void {
    const { socket, waiting, last, refused } = connection;
    // RFC 9112 section 9.6: no request is handled after the one that closes the connection.
    if (exchange.closes || socket.destroyed) return;
    const next = waiting.shift();
    if (next !== undefined) {
      this.#options.backlog.remove(socket, requestBytes);
      return this.#serve(connection, next);
    }
    connection.current = undefined;
    // Frees the request's memory while the connection is idle.
    if (last?.request.complete === true) connection.last = undefined;
    if (refused !== undefined) this.#end(socket, refused);
    else if (this.#isStopping) socket.destroySoon();
  }

  /** Answers CONNECT, which is for proxies. Node would close the connection without a response. */
  #noTunnel(socket: Duplex): void {
    // Node has removed its own listener, and an error without one would end the process.
    socket.on("error", () => socket.destroy());
    if (this.#connections.get(socket)?.current !== undefined) return void socket.destroy();
    const detail = "CONNECT is not allowed here: this server is no proxy";
    const headers = { Allow: allMethods };
    this.#end(socket, new Problem("method-not-allowed", detail, { headers }));
  }

  #onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#connections.get(socket);
    const problem = parserProblem(error, this.#options.headersMs);
    if (connection === undefined || problem === undefined || !socket.writable) {
      socket.destroy();
      return;
    }
    const { current, waiting, last } = connection;
    if (connection.refused !== undefined || current?.closes === true) return;
    connection.refused = problem;
    const isInBody = last?.request.complete === false;
    // Its problem is the last response.
    if (isInBody && waiting.at(-1) === last) waiting.pop();
    else if (isInBody && last.response.headersSent) connection.socket.destroySoon();
    else if (isInBody) this.#options.refuse(last, problem);
    else if (current === undefined) this.#end(socket, problem);
  }

  /** Writes the response to the raw socket and closes the connection. */
  #end(socket: Duplex, problem: Problem): void {
    if (!socket.writable) return;
    const { status, headers, body } = this.#options.refusal(problem);
    const lines = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`];
    for (let index = 0; index < headers.length; index += 2) {
      lines.push(`${headers[index]}: ${headers[index + 1]}`);
    }
    lines.push(`Date: ${new Date().toUTCString()}`);
    socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
    // Not at once: if unread bytes are left, the kernel resets the connection, and the client may
    // not see the response.
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once("close", () => clearTimeout(timer));
  }

  /**
   * Stops accepting connections and resolves when all are closed: idle connections at once, busy
   * ones after their responses, and the rest by force after `graceMs`. Responses sent meanwhile
   * must close their connections.
   */
  async stop(graceMs: number): Promise<void> {
    // Three turns of the event loop: to accept connections that are already established, to read
    // their requests, and to answer them.
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    this.#isStopping = true;
    const closed = new Promise((resolve) => {
      // http's own close() destroys connections whose response is ended but not yet sent.
      NetServer.prototype.close.call(this.server, resolve);
    });
    for (const { socket, current } of this.#connections.values()) {
      if (current === undefined) socket.destroySoon();
    }
    const impatience = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, graceMs);
    await closed;
    clearTimeout(impatience);
    // Stops node's timer for checking timeouts.
    this.server.close();
  }
}

/** The problem for a parser error; undefined if the connection itself failed. */
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
      return new Problem("request-timeout", `expected the ${expected}`);
    }
    default: {
      if (!code.startsWith("HPE_")) return undefined;
      // The parser's own message is safe to show: it quotes nothing of the request.
      const said = "reason" in error && typeof error.reason === "string" ? error.reason : "";
      const got = reasons.get(code) ?? (said || "something else");
      return new Problem("malformed-request", `expected HTTP/1.1 (RFC 9112), got: ${got}`);
    }
  }
}

const reasons = new Map([
  ["HPE_INVALID_METHOD", "a request line with an unknown method"],
  ["HPE_INVALID_CONSTANT", "a request line that does not end in HTTP/1.1 after one target"],
  ["HPE_INVALID_EOF_STATE", "a request that ends too early"],
  ["HPE_PAUSED_H2_UPGRADE", "HTTP/2"],
]);
