/**
 * The pipeline: every request goes through `answer`, from top to bottom, and what is thrown on the
 * way becomes an answer in `refusal`, the one place that does so.
 *
 *     well-formed 400 → path 404 → method 405 → rate 429 → caller 401 → role 403 → handler
 *     handler: id 404 → label 415 → length 413 → precondition 412 → body 413, 408, 400
 *              → taken 409 → references 400 → life cycle 409
 */

import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { authenticate, authorize } from "./auth/access.ts";
import type { VerifyToken } from "./auth/jwt.ts";
import { Exchange } from "./exchange.ts";
import type { Route } from "./handlers/request.ts";
import { BodyAborted, type BodyLimits, dropBody, patchType } from "./http/body.ts";
import { breakOff, serveInOrder } from "./http/connections.ts";
import type { Cors } from "./http/cors.ts";
import { dropIdle } from "./http/idle-connections.ts";
import type { RateLimit } from "./http/rate-limit.ts";
import { headLine, type HeadLines } from "./http/head.ts";
import { problemReply, type Reply } from "./http/reply.ts";
import { allowedMethods, createRouter, type Find, type Found } from "./http/router.ts";
import { lastWords, send } from "./http/send.ts";
import { requireWellFormed } from "./http/well-formed.ts";
import type { Log } from "./log.ts";
import type { Metrics, RouteMetrics } from "./metrics.ts";
import { Problem } from "./problem.ts";
import { withoutTokens } from "./redact.ts";
import { StoreError } from "./store/store-error.ts";

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly verify: VerifyToken;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly cors: Cors | null;
  /** For every request; null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** For what guests may do, where no other limit is set. */
  readonly guestLimit: RateLimit | null;
  readonly trustProxy: boolean;
  readonly bodyLimitBytes: number;
  readonly timeouts?: Partial<Timeouts>;
  /** False once the server is shutting down: answers then close their connections. */
  readonly isServing: () => boolean;
}

export interface Timeouts {
  readonly headersMs: number;
  readonly bodyMs: number;
  /** Of an answer that a client does not take, or a connection that says nothing. */
  readonly idleMs: number;
}

const defaultTimeouts: Timeouts = { headersMs: 10_000, bodyMs: 30_000, idleMs: 75_000 };
const dropLimits = { limitBytes: 1_048_576, timeoutMs: 2_000 };
const headerBytesLimit = 16_384;

/** The HTTP server, not yet listening. */
export function createApp(options: AppOptions): Server {
  const { headersMs, bodyMs, idleMs } = { ...defaultTimeouts, ...options.timeouts };
  const server = createServer({
    maxHeaderSize: headerBytesLimit,
    headersTimeout: headersMs,
    // Behind the limits of header and body, which have answers of their own.
    requestTimeout: headersMs + bodyMs + 2_000,
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    // Node would set and reset a timer with each request; dropIdle costs them nothing.
    keepAliveTimeout: 0,
    // Checked here, to be answered as every other mistake is.
    requireHostHeader: false,
  });
  dropIdle(server, idleMs);
  // All of them: the 16 KiB bound them already.
  server.maxHeadersCount = 0;
  const app = new App(options, bodyMs);
  serveInOrder(
    server,
    (request, response, expects) => app.serve(request, response, expects),
    (problem) => app.answerBroken(problem),
  );
  return server;
}

interface RoutedRequest {
  readonly route: Route;
  readonly metrics: RouteMetrics;
}

class App {
  readonly #options: AppOptions;
  readonly #find: Find<RoutedRequest>;
  readonly #unrouted: RouteMetrics;
  readonly #bodyLimits: BodyLimits;
  /** Unique to this start; the number behind it, to the request. */
  readonly #idPrefix = randomBytes(4).toString("hex");
  #requests = 0;
  #warnedOfProxy = false;

  constructor(options: AppOptions, bodyMs: number) {
    this.#options = options;
    this.#bodyLimits = { limitBytes: options.bodyLimitBytes, timeoutMs: bodyMs };
    this.#unrouted = options.metrics.route("", "unmatched");
    this.#find = createRouter(
      options.routes.map((route) => ({
        method: route.method,
        path: route.path,
        value: { route, metrics: options.metrics.route(route.method, route.path) },
      })),
    );
  }

  serve(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const exchange = new Exchange(request, response, this.#bodyLimits, expectsContinue);
    let reply: Reply | Promise<Reply>;
    try {
      reply = this.#answer(exchange);
    } catch (error) {
      this.#refuse(exchange, error);
      return;
    }
    if (!(reply instanceof Promise)) {
      this.#send(exchange, reply);
      return;
    }
    reply.then(
      (ready) => this.#send(exchange, ready),
      (error: unknown) => this.#refuse(exchange, error),
    );
  }

  /** For what node's parser refuses, and no exchange is made of: what goes over the wire. */
  answerBroken(problem: Problem): string {
    const reply = problemReply(problem);
    const requestId = this.#nextId();
    this.#unrouted.observe(reply.status, 0, reply.body.length);
    this.#options.log.info("request refused", {
      status: reply.status,
      type: problem.type,
      requestId,
    });
    return lastWords(reply, standingLines(reply, requestId));
  }

  #answer(exchange: Exchange): Reply | Promise<Reply> {
    requireWellFormed(exchange.request.httpVersion, exchange.fields);
    // RFC 9110 section 9.3.7: of the server as a whole.
    if (exchange.path === "*" && exchange.method === "OPTIONS") return serverOptions;
    const found = this.#find(exchange.path);
    if (found === undefined) {
      throw new Problem("not-found", `there is nothing at ${withoutTokens(exchange.path).slice(0, 200)}; see /api`);
    }
    const routed = this.#methodOf(found, exchange);
    if (routed === undefined) return this.#allowed(found, exchange);
    exchange.metrics = routed.metrics;
    exchange.vary = routed.route.vary;
    exchange.param = found.param;
    const { route } = routed;
    if (route.isUnlimited !== true) this.#limitRate(this.#options.rateLimit, exchange);
    exchange.caller = authenticate(exchange.fields.authorization, this.#options.verify);
    authorize(route.rule, exchange.caller);
    if (route.isForGuests === true && exchange.caller?.role !== "staff") {
      this.#limitRate(this.#options.guestLimit, exchange);
    }
    return route.handle(exchange);
  }

  /** Undefined for OPTIONS. Throws Problem 405. */
  #methodOf(found: Found<RoutedRequest>, { method }: Exchange): RoutedRequest | undefined {
    const routed = found.methods.get(method === "HEAD" ? "GET" : method);
    if (routed !== undefined || method === "OPTIONS") return routed;
    const allow = allowedMethods(found.methods);
    throw new Problem("method-not-allowed", `${method} is not allowed here; allowed are ${allow}`, {
      headers: { Allow: allow },
    });
  }

  #allowed({ methods }: Found<RoutedRequest>, { fields }: Exchange): Reply {
    const allow = allowedMethods(methods);
    const patch = methods.has("PATCH") ? headLine("Accept-Patch", patchType) : "";
    const preflight =
      fields.requestedMethod === undefined
        ? ""
        : (this.#options.cors?.preflightHeaders(fields.origin, allow) ?? "");
    return { status: 204, head: headLine("Allow", allow) + patch + preflight };
  }

  /** Throws Problem 429. */
  #limitRate(limit: RateLimit | null, exchange: Exchange): void {
    const { forwardedFor } = exchange.fields;
    if (forwardedFor !== undefined && !this.#options.trustProxy) this.#warnOfProxy();
    if (limit === null) return;
    const wait = limit(exchange.clientAddress(this.#options.trustProxy));
    if (wait === 0) return;
    throw new Problem("rate-limited", `too many requests; come back in ${wait} s`, {
      headers: { "Retry-After": `${wait}` },
    });
  }

  #warnOfProxy(): void {
    if (this.#warnedOfProxy) return;
    this.#warnedOfProxy = true;
    this.#options.log.error(
      "X-Forwarded-For arrives, but TRUST_PROXY is off: behind a proxy all clients look like one",
    );
  }

  #refuse(exchange: Exchange, error: unknown): void {
    // Nobody is there to read an answer.
    if (error instanceof BodyAborted) return;
    const problem = this.#refusal(exchange, error);
    // What was sent is not HTTP, or came too slowly: where the next request begins is unknown,
    // and nobody waits for the rest.
    if (problem.type === "malformed-request" || problem.type === "request-timeout") {
      exchange.mustClose = true;
      exchange.hasUnreadBody = false;
    }
    exchange.problem = problem;
    this.#send(exchange, problemReply(problem));
  }

  /** The one catch: what a client is told of anything that was thrown. */
  #refusal(exchange: Exchange, error: unknown): Problem {
    if (error instanceof Problem) return error;
    const requestId = this.#requestId(exchange);
    if (error instanceof StoreError) {
      this.#options.log.error("a write was refused", { requestId, code: error.code, cause: error });
      const [detail, seconds] = unavailable(error);
      return new Problem("storage-unavailable", detail, {
        headers: { "Retry-After": `${seconds}` },
      });
    }
    this.#options.log.error("unexpected error", { requestId, cause: error });
    return new Problem("internal", `the server's log has the details under ${requestId}`);
  }

  #send(exchange: Exchange, reply: Reply): void {
    const { response } = exchange;
    if (response.destroyed) return;
    const beforeEnd = exchange.hasUnreadBody ? this.#dropRest(exchange) : undefined;
    const closes = exchange.mustClose || reply.closes === true || !this.#options.isServing();
    if (closes) breakOff(exchange.request);
    const bytes = send(response, reply, {
      head: this.#headOf(exchange, reply),
      withoutBody: exchange.method === "HEAD",
      closes,
      beforeEnd,
    });
    const seconds = (performance.now() - exchange.began) / 1_000;
    (exchange.metrics ?? this.#unrouted).observe(reply.status, seconds, bytes);
    this.#logRequest(exchange, reply.status, seconds, bytes);
  }

  /** What the answer carries of its own, and what every answer carries. */
  #headOf(exchange: Exchange, reply: Reply): HeadLines {
    const { cors } = this.#options;
    const head = reply.head + standingLines(reply, this.#requestId(exchange));
    const vary = this.#varyOf(exchange, reply);
    const policy =
      exchange.method === "OPTIONS" ? "" : (cors?.headersFor(exchange.fields.origin) ?? "");
    return head + vary + policy;
  }

  #varyOf({ vary }: Exchange, reply: Reply): HeadLines {
    const origin = this.#options.cors?.varyOrigin === true ? "Origin" : undefined;
    if (reply.vary === undefined && origin === undefined) {
      return vary === undefined ? "" : headLine("Vary", vary);
    }
    const names = [reply.vary, vary, origin].filter((name) => name !== undefined);
    return headLine("Vary", names.join(", "));
  }

  /** The client's own id where it is sane, else a new one. */
  #requestId(exchange: Exchange): string {
    exchange.requestId ??= saneId(exchange.fields.requestId) ?? this.#nextId();
    return exchange.requestId;
  }

  #nextId(): string {
    this.#requests += 1;
    return `${this.#idPrefix}-${this.#requests.toString(36)}`;
  }

  #dropRest(exchange: Exchange): (end: () => void) => void {
    const { request, fields } = exchange;
    // Known to be too long to be dropped, or perhaps never sent: say so.
    if (Number(fields.contentLength ?? 0) > dropLimits.limitBytes || exchange.expectsContinue) {
      exchange.mustClose = true;
    }
    return (end) => {
      dropBody(request, dropLimits, (hasEnded) => {
        end();
        if (!hasEnded) request.socket.destroySoon();
      });
    };
  }

  #logRequest(exchange: Exchange, status: number, seconds: number, bytes: number): void {
    const { log } = this.#options;
    const { method, path, caller, problem } = exchange;
    const isWrite = method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
    const level = status >= 500 ? "error" : isWrite || status >= 400 ? "info" : "debug";
    if (!log.enabled(level)) return;
    log[level]("request", {
      method,
      path,
      status,
      ms: Math.round(seconds * 1e5) / 100,
      bytes,
      requestId: this.#requestId(exchange),
      role: caller?.role,
      problem: problem?.type,
    });
  }
}

const serverOptions: Reply = {
  status: 204,
  head: headLine("Allow", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"),
};

/** What describes the body, and what every answer has. `requestId`: sane, or our own. */
function standingLines({ type, etag }: Reply, requestId: string): HeadLines {
  const typeLine = type === undefined ? "" : `Content-Type: ${type}\r\n`;
  const tagLine = etag === undefined ? "" : `ETag: ${etag}\r\n`;
  return `${typeLine}${tagLine}X-Content-Type-Options: nosniff\r\nX-Request-Id: ${requestId}\r\n`;
}

/** Taken over only if it can do no harm in a log or a header. */
function saneId(id: string | undefined): string | undefined {
  return id !== undefined && /^[\w.~:+/=@-]{1,128}$/.test(id) ? id : undefined;
}

/** What a client is told of a write that was refused, and in how many seconds to come back. */
function unavailable({ code }: StoreError): readonly [detail: string, seconds: number] {
  switch (code) {
    case "busy":
      return ["more writes are waiting than the disk takes; nothing was stored, try again shortly", 1];
    case "untrusted":
      return ["the disk failed; whether this write is stored shows after a restart", 60];
    default:
      return ["the write could not be stored, and is not in the store; try again later", 10];
  }
}
