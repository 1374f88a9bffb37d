/**
 * The only way out. Every answer is written here, with the fields that all answers have, and is
 * counted and logged. Node's `writeHead` and `end` do the rest: Date, keep-alive, the order of
 * pipelined answers, no body for HEAD.
 */

import { randomUUID } from "node:crypto";
import type { Log } from "../log/log.ts";
import { withoutTokens } from "../log/redact.ts";
import type { Problem } from "../problems/problem.ts";
import type { ProblemType } from "../problems/problem-types.ts";
import { type Answer, type HeaderList, problemAnswer, type Stream } from "./answer.ts";
import { Backlog } from "./backlog.ts";
import type { Cors } from "./cors.ts";
import type { Metrics, RouteMetrics } from "./metrics.ts";
import type { Exchange } from "./request.ts";
import { turn } from "./turns.ts";

export interface SenderOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly cors: Cors | null;
  /** False once the server is shutting down: answers then close their connections. */
  readonly isServing: () => boolean;
  /** What may wait for clients that do not read, in total; default 256 MiB. */
  readonly backlogLimitBytes?: number;
}

/** Problems after which the connection closes: where the next request begins is not known. */
const closing: ReadonlySet<ProblemType> = new Set([
  "malformed-request",
  "request-timeout",
  "headers-too-large",
] as const);

/** Gives each request its one answer. */
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
   * Writes the answer. `problem`: the one that it tells. Does nothing for a request that has been
   * answered. Throws if node takes no such header; nothing has been sent then.
   */
  send(exchange: Exchange, answer: Answer, problem?: Problem): void {
    if (exchange.response.headersSent) return;
    exchange.closes =
      answer.closes === true ||
      !this.#options.isServing() ||
      (problem !== undefined && closing.has(problem.type));
    const bytes = this.#write(exchange, answer);
    const seconds = (performance.now() - exchange.began) / 1_000;
    (exchange.metrics ?? this.#unrouted).observe(answer.status, seconds, bytes);
    this.#log(exchange, answer.status, seconds, bytes, problem);
  }

  /** Returns the length of the body in bytes, 0 where it is not known. */
  #write(exchange: Exchange, answer: Answer): number {
    const { request, response, method } = exchange;
    const { status, body } = answer;
    const headers = this.#headersOf(exchange, answer);
    if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
      const length = body === undefined ? 0 : Buffer.byteLength(body);
      // RFC 9110 section 8.6: a 204 has none, and a 304's would be that of the 200.
      if (status !== 204 && status !== 304) headers.push("Content-Length", `${length}`);
      response.writeHead(status, headers);
      response.end(body);
      this.backlog.ended(response, request.socket, length);
      return length;
    }
    response.writeHead(status, headers);
    const breakOff = (cause: unknown): void => this.#breakOff(exchange, cause);
    if (method === "HEAD") response.end();
    else if (typeof body === "function") this.#sendStream(exchange, body);
    else this.#sendPieces(exchange, body).catch(breakOff);
    return 0;
  }

  #headersOf({ headers, requestId, vary, closes }: Exchange, answer: Answer): string[] {
    const { cors } = this.#options;
    const list = answer.headers.concat(common(requestId));
    if (cors !== null) list.push(...cors.headersFor(headers.origin));
    const origin = cors?.varyOrigin === true ? "Origin" : undefined;
    if (answer.vary !== undefined || vary !== undefined || origin !== undefined) {
      const names = [answer.vary, vary, origin].filter((name) => name !== undefined);
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
   * A piece is asked for when the client has taken the last one, and in a turn to come: node says
   * of a client that keeps up that it has taken it at once, and nobody else would have a turn.
   */
  async #sendPieces(
    { request: { socket }, response }: Exchange,
    pieces: Iterable<string | Uint8Array>,
  ): Promise<void> {
    const source = pieces[Symbol.iterator]();
    for (;;) {
      await turn();
      if (socket.destroyed) return;
      const { done, value } = source.next();
      if (done === true) break;
      const piece = typeof value === "string" ? Buffer.from(value) : value;
      if (response.write(piece)) continue;
      const release = this.backlog.holdPiece(response, socket, piece.length);
      // Never, if the connection closes before.
      await new Promise((resolve) => response.once("drain", resolve));
      release();
    }
    response.end();
  }

  /** Making the answer failed after a part of it was sent. */
  #breakOff({ requestId, response }: Exchange, cause: unknown): void {
    this.#options.log.error("an answer broke off", { requestId, cause });
    response.destroy();
  }

  /** The answer to what node's parser refused, which has no request: header fields and body. */
  refusal(problem: Problem): { status: number; headers: HeaderList; body: string } {
    const { status, headers, body } = problemAnswer(problem);
    const requestId = randomUUID();
    const length = Buffer.byteLength(body);
    this.#unrouted.observe(status, 0, length);
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

/** The fields that every answer has. */
function common(requestId: string): HeaderList {
  return ["X-Content-Type-Options", "nosniff", "X-Request-Id", requestId];
}

/** Writes and failures are `info`; 429s and what is no HTTP are not: anyone can cause those. */
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

/** No path of ours is longer, were every character of its id percent-encoded. */
const longestPath = 500;

/** A path for the log, or a detail. Redacted before it is cut: half a token would not be seen. */
export function shownPath(path: string): string {
  return path.length <= longestPath ? path : `${withoutTokens(path).slice(0, longestPath)}…`;
}
