/**
 * Sends every response: adds the header fields that all responses have, writes it, counts it and
 * logs it. Node's `writeHead` and `end` do the rest: Date, keep-alive, no body for HEAD.
 */

import { randomUUID } from "node:crypto";
import type { Log } from "../log/log.ts";
import { withoutTokens } from "../log/redact.ts";
import type { Problem } from "../problems/problem.ts";
import type { ProblemType } from "../problems/problem-types.ts";
import { type HeaderList, problemResponse, type Response, type Stream } from "./response.ts";
import { Backlog } from "./backlog.ts";
import type { Cors } from "./cors.ts";
import type { Metrics, RouteMetrics } from "./metrics.ts";
import type { Exchange } from "./request.ts";
import { turn } from "./turns.ts";

export interface SenderOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly cors: Cors | null;
  /** False once the server is shutting down: responses then close their connections. */
  readonly isServing: () => boolean;
  /** Bytes of unread responses, for all clients together; default 256 MiB. */
  readonly backlogLimitBytes?: number;
}

/** Problems that close the connection, because the start of the next request is unknown. */
const closing: ReadonlySet<ProblemType> = new Set([
  "malformed-request",
  "request-timeout",
  "headers-too-large",
] as const);

/** Gives each request its one response. */
export class Sender {
  readonly backlog: Backlog;
  readonly #options: SenderOptions;
  readonly #unrouted: RouteMetrics;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#unrouted = options.metrics.route("", "unmatched");
    this.backlog = new Backlog(options.backlogLimitBytes);
  }

  /**
   * Sends the response, unless the request has been answered. `problem`: the problem in it.
   * Throws before anything is sent if node refuses a header field.
   */
  send(exchange: Exchange, response: Response, problem?: Problem): void {
    if (exchange.response.headersSent) return;
    exchange.closes =
      response.closes === true ||
      (!this.#options.isServing() && !exchange.isFollowed) ||
      (problem !== undefined && closing.has(problem.type));
    const bytes = this.#write(exchange, response);
    const seconds = (performance.now() - exchange.began) / 1_000;
    (exchange.metrics ?? this.#unrouted).observe(response.status, seconds);
    this.#log(exchange, response.status, seconds, bytes, problem);
  }

  /** Returns the length of the body in bytes; 0 if it is unknown. */
  #write(exchange: Exchange, response: Response): number {
    const { request, response: out, method } = exchange;
    const { status, body = "" } = response;
    const headers = this.#headersOf(exchange, response);
    if (typeof body === "string" || body instanceof Uint8Array) {
      const length = Buffer.byteLength(body);
      // RFC 9110 section 8.6: a 204 must not have it, and in a 304 it would describe the 200.
      if (status !== 204 && status !== 304) headers.push("Content-Length", `${length}`);
      out.writeHead(status, headers);
      if (body !== "") {
        // Not `end(body)`: node would send the end as a second, empty piece, and a read would take
        // 5 % more processor time.
        out.cork();
        out.write(body);
        out.uncork();
      }
      out.end();
      this.backlog.ended(out, request.socket, length);
      return length;
    }
    out.writeHead(status, headers);
    const breakOff = (cause: unknown): void => this.#breakOff(exchange, cause);
    if (method === "HEAD") out.end();
    else if (typeof body === "function") this.#sendStream(exchange, body);
    else this.#sendPieces(exchange, body).catch(breakOff);
    return 0;
  }

  #headersOf({ headers, requestId, vary, closes }: Exchange, response: Response): string[] {
    const { cors } = this.#options;
    const list = response.headers.concat(common(requestId));
    if (cors !== null) list.push(...cors.headersFor(headers.origin));
    const origin = cors?.varyOrigin === true ? "Origin" : undefined;
    if (response.vary !== undefined || vary !== undefined || origin !== undefined) {
      const names = [response.vary, vary, origin].filter((name) => name !== undefined);
      list.push("Vary", names.join(", "));
    }
    if (closes) list.push("Connection", "close");
    return list;
  }

  #sendStream({ request, response }: Exchange, body: Stream): void {
    response.flushHeaders();
    this.backlog.watch(response, request.socket);
    body(response);
  }

  /**
   * Makes each piece after the client has taken the last one, in a later turn of the event loop.
   * Without the turn, a fast client would keep the loop busy until its whole response is sent.
   */
  async #sendPieces(
    { request: { socket }, response }: Exchange,
    pieces: Iterable<Uint8Array>,
  ): Promise<void> {
    const source = pieces[Symbol.iterator]();
    for (;;) {
      await turn();
      if (socket.destroyed) return;
      const { done, value } = source.next();
      if (done === true) break;
      if (response.write(value)) continue;
      const release = this.backlog.holdPiece(response, socket, value.length);
      // Never resolves if the connection closes first. That is fine: nothing else waits for it.
      await new Promise((resolve) => response.once("drain", resolve));
      release();
    }
    response.end();
  }

  /** After an error in the middle of a response, the connection can only be closed. */
  #breakOff({ requestId, response }: Exchange, cause: unknown): void {
    this.#options.log.error("a response broke off", { requestId, cause });
    response.destroy();
  }

  /** The response to bytes that node's parser refused. There is no request object for them. */
  refusal(problem: Problem): { status: number; headers: HeaderList; body: string } {
    const { status, headers, body } = problemResponse(problem);
    const requestId = randomUUID();
    const length = Buffer.byteLength(body);
    this.#unrouted.observe(status, 0);
    this.#options.log.debug("request refused", { status, problem: problem.type, requestId });
    const framing = ["Content-Length", `${length}`, "Connection", "close"];
    return { status, headers: [...headers, ...common(requestId), ...framing], body };
  }

  #log(
    { method, path, caller, client, requestId }: Exchange,
    status: number,
    seconds: number,
    bytes: number,
    problem: Problem | undefined,
  ): void {
    const { log } = this.#options;
    const level = levelOf(method, status, problem?.type);
    if (!log.enabled(level)) return;
    log[level]("request", {
      method,
      path: shownPath(path),
      status,
      ms: Math.round(seconds * 1e5) / 100,
      bytes,
      requestId,
      role: caller?.role,
      sub: caller?.sub,
      client,
      problem: problem?.type,
      detail: problem?.type === "storage-unavailable" ? problem.message : undefined,
    });
  }
}

/** The fields that every response has. */
function common(requestId: string): HeaderList {
  return ["X-Content-Type-Options", "nosniff", "X-Request-Id", requestId];
}

/** Writes and errors are `info`, but not 429s and malformed requests, which anyone can cause. */
function levelOf(
  method: string,
  status: number,
  problem: ProblemType | undefined,
): "debug" | "info" | "error" {
  if (status >= 500 && problem !== "storage-unavailable") return "error";
  if (problem !== undefined && (problem === "rate-limited" || closing.has(problem))) return "debug";
  const isWrite = method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
  return isWrite || status >= 400 ? "info" : "debug";
}

/** Longer than any path of the service, even with every character of the id percent-encoded. */
const longestPath = 500;

/** A path for a log line or a detail. Redacted before it is cut: half a token is not recognized. */
export function shownPath(path: string): string {
  return path.length <= longestPath ? path : `${withoutTokens(path).slice(0, longestPath)}…`;
}
