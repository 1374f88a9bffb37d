/**
 * The response of a handler, and the one way out: `Sender` adds the header fields that every
 * response has, writes it, reports it and logs it. Node's `writeHead` and `end` do the rest: Date,
 * keep-alive, no body for HEAD.
 *
 * Long responses are made in pieces, each after the client has taken the last one, and one a turn
 * of the event loop, so that other requests are answered in between.
 */

import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Caller, isGuest } from "../auth/callers.ts";
import { type Log, withoutTokens } from "../log/log.ts";
import { codeOf } from "../log/system-error.ts";
import { Problem } from "../problems/problem.ts";
import { corsHeaders, type Origins } from "./cors.ts";
import type { Exchange } from "./request.ts";
import { turn } from "./turn.ts";

/** Header fields by name. */
export type Headers = Readonly<Record<string, string>>;

/** Status, header fields, body. Handlers never touch the socket. */
export interface Response {
  readonly status: number;
  /** Content-Type. */
  readonly type?: string;
  /** Content-Encoding. */
  readonly encoding?: string | undefined;
  /** The entity tag, in its quotes. */
  readonly etag?: string | undefined;
  /** For the Vary field: request fields that the response depends on, beside the route's. */
  readonly vary?: string | undefined;
  /**
   * All other fields of this response. The sender adds the fields that every response has, and
   * Content-Length if the body is text or bytes.
   */
  readonly headers: Headers;
  /** Text, bytes, pieces (made one by one while the response is sent), or a stream. */
  readonly body?: string | Uint8Array | Pieces | Stream;
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * A body without a known end. It is called once and writes to `out` until one side ends the
 * response; it must not write after `out` has ended or closed.
 */
export type Stream = (out: Writable) => void;

/** True if the answer has no known end. */
export function isStream({ method }: Exchange, { body }: Response): boolean {
  return typeof body === "function" && method !== "HEAD";
}

/** True if the answer is made while it is sent. */
export function isInPieces({ method }: Exchange, { body }: Response): boolean {
  return typeof body === "object" && !(body instanceof Uint8Array) && method !== "HEAD";
}

/** RFC 8259 defines no charset parameter, but some clients guess wrong without it. */
export const jsonType = "application/json; charset=utf-8";
const problemType = "application/problem+json; charset=utf-8";
/** May be stored, but must be revalidated on each use (RFC 9111 section 5.2.2.4). */
export const noCache: Headers = { "Cache-Control": "no-cache" };
/** Must not be stored: the response has a token or a backup (section 5.2.2.5). */
export const noStore: Headers = { "Cache-Control": "no-store" };

/** `json`: JSON text without its final newline. */
export function jsonResponse(status: number, json: string, headers: Headers): Response {
  return { status, type: jsonType, headers, body: `${json}\n` };
}

/** The problem as application/problem+json (RFC 9457). */
export function problemResponse(problem: Problem): Response {
  return {
    status: problem.status,
    type: problemType,
    headers: { ...noCache, ...problem.headers },
    body: `${JSON.stringify(problem, quotable)}\n`,
  };
}

/** Tokens are cut out before a text is encoded: an escape such as \t would belong to the token. */
function quotable(_name: string, value: unknown): unknown {
  return typeof value === "string" ? withoutTokens(value) : value;
}

export interface SenderOptions {
  readonly log: Log;
  readonly corsOrigins: Origins;
  /** Called for each response. `seconds`: from the request's header until it was handed over. */
  readonly onAnswer: (method: string, status: number, seconds: number) => void;
}

/** Gives each request its one response. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #streams = new Set<ServerResponse>();
  #isStopping = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /**
   * Sends the response. `problem`: the problem in it. Throws before anything is sent if Node
   * refuses a header field.
   */
  send(exchange: Exchange, response: Response, problem?: Problem): void {
    const bytes = this.#write(exchange, response);
    const seconds = (performance.now() - exchange.began) / 1_000;
    this.#options.onAnswer(exchange.method, response.status, seconds);
    this.#log(exchange, response.status, seconds, bytes, problem);
  }

  /** From now on, responses close their connections, and streams end at once. */
  stop(): void {
    this.#isStopping = true;
    this.#endStreams();
  }

  /** Clients resume. One that does not read would never see the end. */
  #endStreams(): void {
    for (const out of this.#streams) {
      if (out.writableNeedDrain) out.destroy();
      else out.end();
    }
  }

  /** Returns the length of the body in bytes; 0 if it is unknown. */
  #write(exchange: Exchange, response: Response): number {
    const { method, outgoing } = exchange;
    const { status, body = "" } = response;
    const headers = this.#headersOf(exchange, response);
    // While bytes of the request arrive, a close is a reset, which takes the response from a client
    // that is still sending.
    const closes = !outgoing.shouldKeepAlive || headers.includes("Connection");
    const awaitsRest = closes && !exchange.endsAtOnce && !exchange.body.isComplete;
    if (typeof body === "string" || body instanceof Uint8Array) {
      const length = Buffer.byteLength(body);
      // RFC 9110 section 8.6: a 204 must not have it, and in a 304 it would describe the 200.
      if (status !== 204 && status !== 304) headers.push("Content-Length", `${length}`);
      outgoing.writeHead(status, headers);
      if (awaitsRest) {
        outgoing.flushHeaders();
        if (length > 0) outgoing.write(body);
        exchange.body.afterRest(() => outgoing.end());
      } else {
        outgoing.end(body);
      }
      return length;
    }
    outgoing.writeHead(status, headers);
    if (method === "HEAD") outgoing.end();
    else if (typeof body === "function") this.#sendStream(exchange, body);
    else void this.#sendPieces(exchange, body, awaitsRest);
    return 0;
  }

  /** Names and values in turn: Node takes longer for an object. */
  #headersOf(exchange: Exchange, own: Response): string[] {
    const { headers, requestId, hasNext, vary } = exchange;
    const { corsOrigins } = this.#options;
    const list = ["X-Content-Type-Options", "nosniff", "X-Request-Id", requestId];
    if (own.type !== undefined) list.push("Content-Type", own.type);
    if (own.encoding !== undefined) list.push("Content-Encoding", own.encoding);
    if (own.etag !== undefined) list.push("ETag", own.etag);
    for (const [name, value] of Object.entries(own.headers)) list.push(name, value);
    if (corsOrigins !== null) list.push(...corsHeaders(corsOrigins, headers.origin));
    const origin = Array.isArray(corsOrigins) ? "Origin" : undefined;
    const names = [own.vary, vary, origin].filter((name) => name !== undefined);
    if (names.length > 0) list.push("Vary", names.join(", "));
    // After a stream, nobody reads the connection any more: #sendStream has taken it.
    const isLast = isStream(exchange, own) || exchange.isLast || (this.#isStopping && !hasNext);
    if (isLast) list.push("Connection", "close");
    return list;
  }

  #sendStream(exchange: Exchange, body: Stream): void {
    const { incoming: { socket }, outgoing: out, hasNext } = exchange;
    if (this.#isStopping) return void out.end();
    // A request behind a stream would wait for hours, so it closes the connection. The socket is
    // taken from Node's parser, because thousands of requests fit into one piece: with 3,600 behind
    // each of 200 streams, parsing them took 1.2 GB, and this takes 73 MB.
    if (hasNext) return void out.destroy();
    socket.removeAllListeners("data").on("data", () => socket.destroy());
    out.flushHeaders();
    this.#streams.add(out);
    out.once("close", () => this.#streams.delete(out));
    body(out);
  }

  /** Makes each piece after the client has taken the last one. */
  async #sendPieces(
    exchange: Exchange,
    pieces: Pieces,
    awaitsRest: boolean,
  ): Promise<void> {
    const { requestId, outgoing, body } = exchange;
    try {
      await pipeline(inTurns(pieces, exchange), outgoing, { end: !awaitsRest });
      if (awaitsRest) body.afterRest(() => outgoing.end());
    } catch (cause) {
      if (codeOf(cause) === "ERR_STREAM_PREMATURE_CLOSE") return; // The client has gone.
      if (cause instanceof Problem) return; // It was signed out.
      // In the middle of a response, the connection can only be closed: pipeline has done it.
      this.#options.log.error("a response broke off", { requestId, cause });
    }
  }

  #log(
    { method, path, requestId, caller, client }: Exchange,
    status: number,
    seconds: number,
    bytes: number,
    problem: Problem | undefined,
  ): void {
    const { log } = this.#options;
    const level = levelOf(method, status, caller, problem);
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
      client: problem?.type === "rate-limited" ? client : undefined,
      problem: problem?.type,
      detail: problem?.type === "storage-unavailable" ? problem.message : undefined,
    });
  }
}

/** Throws Problem 401 if the caller was signed out since. */
async function* inTurns(
  pieces: Pieces,
  { holder, requireSignedIn }: Exchange,
): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) {
    requireSignedIn();
    yield piece;
    await turn(holder);
  }
}

/** Writes and errors are `info`, but not the refusals that any guest can cause. */
function levelOf(
  method: string,
  status: number,
  caller: Caller,
  problem: Problem | undefined,
): "debug" | "info" | "error" {
  if (status >= 500 && problem?.type !== "storage-unavailable") return "error";
  if (status === 429 || (status >= 400 && status < 500 && isGuest(caller))) return "debug";
  const isWrite = method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
  return isWrite || status >= 400 ? "info" : "debug";
}

/** Longer than any path of the service, even with every character of the id percent-encoded. */
const maxPathLength = 500;

/** A path for a log line or a detail. Tokens go before it is cut: half a token has no pattern. */
export function shownPath(path: string): string {
  return path.length <= maxPathLength ? path : `${withoutTokens(path).slice(0, maxPathLength)}…`;
}
