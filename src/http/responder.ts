/**
 * The way out: every answer gets the fields that all have, is sent, counted and logged here, and
 * what was thrown becomes an answer in `#problemOf`; only /readyz words its own 503.
 */

import { randomBytes } from "node:crypto";
import type { Log } from "../log/log.ts";
import { withoutTokens } from "../log/redact.ts";
import type { Metrics, RouteMetrics } from "./metrics.ts";
import type { ProblemType } from "../problems/problem-types.ts";
import { Problem } from "../problems/problem.ts";
import { StoreError } from "../store/store-error.ts";
import { BodyAborted } from "./body.ts";
import type { Cors } from "./cors.ts";
import type { Exchange } from "./exchange.ts";
import { type Answer, problemAnswer } from "./answer.ts";
import { closingAnswer, type HeadLines, headLines, send, type Sending } from "./send.ts";

export interface ResponderOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly cors: Cors | null;
  /** False once the server is shutting down: answers then close their connections. */
  readonly isServing: () => boolean;
  /** How long an idle connection is kept, as every answer says after which it is. */
  readonly keepAliveMs: number;
}

const closingProblems: ReadonlySet<ProblemType> = new Set([
  "malformed-request",
  "request-timeout",
  "headers-too-large",
] as const);

/** Many addresses are no way to fill the disk either. */
const mostLogged = 100;

/** Gives each request its one answer, and counts and logs it. */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #unrouted: RouteMetrics;
  readonly #sending: Sending;
  /** Of whom and of what a refusal was logged in this second. */
  readonly #logged = new Set<string>();
  #loggedSecond = 0;

  constructor(options: ResponderOptions) {
    this.#options = options;
    this.#unrouted = options.metrics.route("", "unmatched");
    this.#sending = {
      keepAlive: headLines(["Keep-Alive", `timeout=${Math.floor(options.keepAliveMs / 1_000)}`]),
      onBroken: (exchange, error) => this.#breakOff(exchange, error),
    };
  }

  /** Throws nothing. */
  send(exchange: Exchange, reply: Answer, problem?: Problem): void {
    try {
      // Where nobody is left to read it, it was carried out all the same: counted and logged.
      const bytes = exchange.response.destroyed ? 0 : this.#write(exchange, reply, problem);
      const seconds = (performance.now() - exchange.began) / 1_000;
      (exchange.metrics ?? this.#unrouted).observe(reply.status, seconds, bytes);
      this.#logRequest(exchange, reply.status, seconds, bytes, problem);
    } catch (error) {
      if (exchange.response.headersSent || problem?.type === "internal") {
        this.#breakOff(exchange, error);
      } else {
        this.refuse(exchange, error);
      }
    }
  }

  /** Returns the bytes of the body, as far as they are known. */
  #write(exchange: Exchange, reply: Answer, problem: Problem | undefined): number {
    const { body, fields } = exchange;
    exchange.closes ||=
      reply.closes === true ||
      !this.#options.isServing() ||
      // Node's parser has dropped what came with it, in the same piece: connection.ts.
      fields.upgrade !== undefined ||
      (body?.isUnread === true && !body.isWorthDropping);
    exchange.isEndless = typeof reply.body === "function" && exchange.method !== "HEAD";
    return send(exchange, reply, this.#linesOf(exchange, reply, problem), this.#sending);
  }

  /** Answers with what was thrown. Throws nothing. */
  refuse(exchange: Exchange, error: unknown): void {
    // Nobody is there to read an answer.
    if (error instanceof BodyAborted) return;
    const problem = this.#problemOf(exchange, error);
    // What was sent is not HTTP, or came too slowly: where the next request begins is unknown,
    // and nobody waits for the rest.
    if (closingProblems.has(problem.type)) {
      exchange.closes = true;
      if (exchange.body !== undefined) exchange.body.isUnread = false;
    }
    this.send(exchange, problemAnswer(problem), problem);
  }

  /** Making or sending the answer failed when a part of it was sent. */
  #breakOff(exchange: Exchange, cause: unknown): void {
    const requestId = this.#requestId(exchange);
    this.#options.log.error("an answer broke off", { requestId, cause });
    exchange.response.destroy();
  }

  /** What a client is told of anything that was thrown. */
  #problemOf(exchange: Exchange, error: unknown): Problem {
    if (error instanceof Problem) return error;
    // Not logged here: the store has told what failed, once.
    if (error instanceof StoreError) {
      const [detail, seconds] = unavailable(error);
      return new Problem("storage-unavailable", detail, {
        headers: { "Retry-After": `${seconds}` },
      });
    }
    const requestId = this.#requestId(exchange);
    this.#options.log.error("unexpected error", { requestId, cause: error });
    return new Problem("internal", `the server's log has the details under ${requestId}`);
  }

  /** The answer, as it goes over the wire, to what was not HTTP and has no exchange. */
  refusalText(problem: Problem): string {
    const reply = problemAnswer(problem);
    const requestId = newId();
    this.#unrouted.observe(reply.status, 0, Buffer.byteLength(reply.body));
    this.#options.log[this.#isRepeated(problem.type) ? "debug" : "info"]("request refused", {
      status: reply.status,
      problem: problem.type,
      requestId,
    });
    return closingAnswer(reply, headLines(reply.headers) + standingLines(requestId));
  }

  /** The fields of this answer, and those that every answer has. */
  #linesOf(exchange: Exchange, reply: Answer, problem: Problem | undefined): HeadLines {
    const { method, fields } = exchange;
    // app.ts has put the CORS fields into the answer to a preflight.
    const isPreflight =
      method === "OPTIONS" && fields.requestedMethod !== undefined && problem === undefined;
    const policy = isPreflight ? [] : (this.#options.cors?.headersFor(fields.origin) ?? []);
    const standing = standingLines(this.#requestId(exchange));
    const lines = headLines(reply.headers) + standing;
    return lines + this.#varyOf(exchange, reply) + headLines(policy);
  }

  #varyOf({ vary }: Exchange, reply: Answer): HeadLines {
    const origin = this.#options.cors?.varyOrigin === true ? "Origin" : undefined;
    if (reply.vary === undefined && vary === undefined && origin === undefined) return "";
    const names = [reply.vary, vary, origin].filter((name) => name !== undefined);
    return headLines(["Vary", names.join(", ")]);
  }

  /** The client's own id where it is sane, else a new one. */
  #requestId(exchange: Exchange): string {
    exchange.requestId ??= saneId(exchange.fields.requestId) ?? newId();
    return exchange.requestId;
  }

  /**
   * Whether a refusal of this client, or for this reason, was logged in this second: of what anyone
   * may have refused as often as they like a line is enough, or they could fill the disk.
   */
  #isRepeated(kind: string): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#loggedSecond) this.#logged.clear();
    this.#loggedSecond = second;
    if (this.#logged.has(kind) || this.#logged.size === mostLogged) return true;
    this.#logged.add(kind);
    return false;
  }

  #logRequest(
    exchange: Exchange,
    status: number,
    seconds: number,
    bytes: number,
    problem: Problem | undefined,
  ): void {
    const { log } = this.#options;
    const { method, path, caller, client } = exchange;
    const isWrite = method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
    const isTold = isWrite || status >= 400;
    const isUnavailable = problem?.type === "storage-unavailable";
    const isError = status >= 500 && !isUnavailable;
    const kind = client ?? (problem && isUncounted(problem.type, isWrite) ? problem.type : "");
    const isRepeated = kind !== "" && this.#isRepeated(kind);
    const level = isError ? "error" : isTold && !isRepeated ? "info" : "debug";
    if (!log.enabled(level)) return;
    log[level]("request", {
      method,
      path: shownPath(path),
      status,
      ms: Math.round(seconds * 1e5) / 100,
      bytes,
      requestId: this.#requestId(exchange),
      role: caller?.role,
      sub: caller?.sub,
      client,
      problem: problem?.type,
      detail: isUnavailable ? problem.message : undefined,
    });
  }
}

/** What no rate limit counts: what is no HTTP, and /readyz. */
function isUncounted(type: ProblemType, isWrite: boolean): boolean {
  return closingProblems.has(type) || (type === "storage-unavailable" && !isWrite);
}

/** No path of ours is longer, were every character of its id percent-encoded. */
const longestPath = 500;

/** A path for the log, or a detail. Redacted before it is cut: half a token would not be seen. */
export function shownPath(path: string): string {
  return path.length <= longestPath ? path : `${withoutTokens(path).slice(0, longestPath)}…`;
}

/** What every answer has. `requestId`: sane, or our own. */
function standingLines(requestId: string): HeadLines {
  return `X-Content-Type-Options: nosniff\r\nX-Request-Id: ${requestId}\r\n`;
}

/** What a client is told of a write that was refused, and in how many seconds to come back. */
function unavailable({ code }: StoreError): readonly [detail: string, seconds: number] {
  switch (code) {
    case "busy":
      return ["too many writes are waiting for the disk; nothing was stored, try again shortly", 1];
    case "untrusted":
      return ["the disk failed; a restart will show whether this write is stored", 60];
    case "closed":
      return ["the server is stopping; nothing was stored, send it again", 5];
    case "refused":
      return ["the store has failed: nothing is stored until the server is restarted", 60];
    default:
      return ["the write could not be stored, and is not in the store; try again later", 10];
  }
}

/** Drawn many at once: a call for each would cost more than the rest of an answer's header. */
let drawn = "";
let used = 0;

/** 96 random bits in base64url. */
function newId(): string {
  if (used === drawn.length) {
    drawn = randomBytes(12 * 512).toString("base64url");
    used = 0;
  }
  used += 16;
  return drawn.slice(used - 16, used);
}

/** The client's, if it can do no harm in a log or a header. */
function saneId(id: string | undefined): string | undefined {
  if (id === undefined || !/^[\w.~:+/=@-]{1,128}$/.test(id)) return undefined;
  return withoutTokens(id) === id ? id : undefined;
}
