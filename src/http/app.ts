/**
 * The pipeline: `#response` checks each request from top to bottom and calls its handler; send.ts
 * sends the response. Any error that is thrown on the way becomes a response here.
 *
 *     well-formed 400 → rate 429 → path 404 → method 405, and OPTIONS leaves
 *              → token 401 → role 403 → customers' rate 429 → id 404 → query 400 → handler
 *     handler: label 415 → length 413 → precondition 412 → body 413, 408, 400
 *              → taken 409 → references 400 → shop 409 → life cycle 409
 */

import { authenticate, authorize } from "../auth/access.ts";
import type { VerifyToken } from "../auth/token-verifier.ts";
import { Invalid } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { StoreError } from "../store/store-error.ts";
import { type HeaderList, noCache, problemResponse, type Response } from "./response.ts";
import { BodyAborted, patchType } from "./body.ts";
import type { RouteMetrics } from "./metrics.ts";
import { parseQuery, refusesUnknown } from "./query.ts";
import { clientAddress, type RateLimit } from "./rate-limit.ts";
import { type Exchange, requireWellFormed } from "./request.ts";
import type { Route } from "./route.ts";
import { allowedMethods, createRouter, type Find, type Found } from "./router.ts";
import { Sender, type SenderOptions, shownPath } from "./send.ts";
import { allMethods, defaultTimeouts, HttpServer, type Timeouts } from "./server.ts";

/** The parts and the settings of the service. */
export interface AppOptions extends SenderOptions {
  readonly routes: readonly Route[];
  readonly verify: VerifyToken;
  /** The limit of all requests; null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** A second limit, for customers' orders; null: guests may not order. */
  readonly guestLimit: RateLimit | null;
  readonly trustProxy: boolean;
  readonly bodyLimitBytes: number;
  readonly timeouts?: Partial<Timeouts>;
}

/** Makes the server with its pipeline. */
export function createApp(options: AppOptions): HttpServer {
  const pipeline = new Pipeline(options);
  return new HttpServer({
    ...defaultTimeouts,
    ...options.timeouts,
    bodyLimitBytes: options.bodyLimitBytes,
    serve: (exchange) => pipeline.serve(exchange),
    refuse: (exchange, problem) => pipeline.refuse(exchange, problem),
    refusal: (problem) => pipeline.sender.refusal(problem),
    backlog: pipeline.sender.backlog,
  });
}

interface MeasuredRoute {
  readonly route: Route;
  readonly metrics: RouteMetrics;
}

class Pipeline {
  readonly #options: AppOptions;
  readonly #find: Find<MeasuredRoute>;
  readonly sender: Sender;
  #warnedOfProxy = false;

  constructor(options: AppOptions) {
    this.#options = options;
    this.sender = new Sender(options);
    this.#find = createRouter(
      options.routes.map((route) => ({
        method: route.method,
        path: route.path,
        value: { route, metrics: options.metrics.route(route.method, route.path) },
      })),
    );
  }

  serve(exchange: Exchange): void {
    try {
      const response = this.#response(exchange);
      if (response instanceof Promise) void this.#sendLater(exchange, response);
      else this.sender.send(exchange, response);
    } catch (error) {
      this.refuse(exchange, error);
    }
  }

  async #sendLater(exchange: Exchange, response: Promise<Response>): Promise<void> {
    try {
      this.sender.send(exchange, await response);
    } catch (error) {
      this.refuse(exchange, error);
    }
  }

  /** Answers an error. Never throws. */
  refuse(exchange: Exchange, error: unknown): void {
    // The client is gone.
    if (error instanceof BodyAborted) return;
    const problem = this.#problemOf(exchange, error);
    this.sender.send(exchange, problemResponse(problem), problem);
  }

  /** The problem that a client gets for any error. */
  #problemOf({ requestId }: Exchange, error: unknown): Problem {
    if (error instanceof Problem) return error;
    if (error instanceof Invalid) {
      return new Problem("invalid-body", error.message, { errors: error.faults });
    }
    // Not logged here: the store has already logged it.
    if (error instanceof StoreError) {
      const [detail, seconds] = unavailable(error);
      const headers = { "Retry-After": `${seconds}` };
      return new Problem("storage-unavailable", detail, { headers });
    }
    this.#options.log.error("unexpected error", { requestId, cause: error });
    return new Problem("internal", `the server's log has the details under ${requestId}`);
  }

  #response(exchange: Exchange): Response | Promise<Response> {
    requireWellFormed(exchange.request);
    const found = this.#find(exchange.path);
    const { rateLimit } = this.#options;
    if (rateLimit !== null && !this.#isUnlimited(found, exchange)) {
      this.#limitRate(rateLimit, exchange);
    }
    if (found === undefined) {
      // `OPTIONS *` asks about the server as a whole (RFC 9110 section 9.3.7).
      if (exchange.path === "*" && exchange.method === "OPTIONS") return serverOptions;
      throw new Problem("not-found", `nothing is at ${shownPath(exchange.path)} (see /api)`);
    }
    const routed = this.#methodOf(found, exchange);
    if (routed === undefined) return this.#allowed(found, exchange);
    this.#warnOfProxy(exchange);
    exchange.metrics = routed.metrics;
    exchange.vary = routed.route.vary;
    exchange.param = found.param;
    const { route } = routed;
    const { authorization } = exchange.headers;
    exchange.caller = authenticate(authorization, this.#options.verify);
    const servesGuests = this.#options.guestLimit !== null;
    authorize(route.rule, exchange.caller, authorization, servesGuests);
    // Here and not earlier, because the role is known only after authentication.
    if (route.isForGuests === true && exchange.caller?.role === "customer") {
      this.#limitRate(this.#options.guestLimit, exchange);
    }
    if (exchange.queryText !== "") {
      // Only before the query's own check: without a query, the handler throws the same 404.
      route.exists?.(exchange);
      const isStrict = refusesUnknown(route.path);
      exchange.query = parseQuery(exchange.queryText, route.query ?? [], isStrict);
    }
    return route.handle(exchange);
  }

  /** True for health and readiness, and for preflights: a page cannot read a preflight's 429. */
  #isUnlimited(found: Found<MeasuredRoute> | undefined, exchange: Exchange): boolean {
    if (found === undefined) return false;
    const { method } = exchange;
    const isSafe = method === "GET" || method === "HEAD" || method === "OPTIONS";
    if (isSafe && found.methods.get("GET")?.route.isUnlimited === true) return true;
    return method === "OPTIONS" && this.#preflightHeaders(found, exchange).length > 0;
  }

  /** The CORS fields for a preflight from an allowed origin; empty for any other request. */
  #preflightHeaders({ methods }: Found<MeasuredRoute>, { headers }: Exchange): HeaderList {
    if (headers["access-control-request-method"] === undefined) return [];
    return this.#options.cors?.preflightHeaders(headers.origin, allowedMethods(methods)) ?? [];
  }

  /** Undefined for OPTIONS. Throws Problem 405. */
  #methodOf(found: Found<MeasuredRoute>, { method, path }: Exchange): MeasuredRoute | undefined {
    const routed = found.methods.get(method === "HEAD" ? "GET" : method);
    if (routed !== undefined || method === "OPTIONS") return routed;
    const allow = allowedMethods(found.methods);
    const list = path.endsWith("/") ? path : `${path}/`;
    const isOfItems = found.param === "" && this.#find(`${list}id`)?.methods.has(method) === true;
    const cure = isOfItems ? `; ${method} goes to one item, ${shownPath(list)}{id}` : "";
    const detail = `${method} is not allowed here; allowed are ${allow}${cure}`;
    throw new Problem("method-not-allowed", detail, { headers: { Allow: allow } });
  }

  #allowed(found: Found<MeasuredRoute>, exchange: Exchange): Response {
    const { methods } = found;
    const [first] = methods.values();
    exchange.metrics = this.#options.metrics.route("OPTIONS", first?.route.path ?? "");
    const allow = ["Allow", allowedMethods(methods)];
    const patch = methods.has("PATCH") ? ["Accept-Patch", patchType] : [];
    const preflight = this.#preflightHeaders(found, exchange);
    return { status: 204, headers: [...noCache, ...allow, ...patch, ...preflight] };
  }

  /** Throws Problem 429. */
  #limitRate(limit: RateLimit | null, exchange: Exchange): void {
    if (limit === null) return;
    const { remoteAddress } = exchange.request.socket;
    const forwardedFor = exchange.headers["x-forwarded-for"];
    const client = clientAddress(remoteAddress, forwardedFor, this.#options.trustProxy);
    const wait = limit(client);
    if (wait === 0) return;
    exchange.client = client;
    throw new Problem("rate-limited", `too many requests; come back in ${wait} s`, {
      headers: { "Retry-After": `${wait}` },
    });
  }

  #warnOfProxy({ headers }: Exchange): void {
    if (headers["x-forwarded-for"] === undefined) return;
    if (this.#options.trustProxy || this.#warnedOfProxy) return;
    this.#warnedOfProxy = true;
    this.#options.log.error(
      "received X-Forwarded-For, but TRUST_PROXY is off: behind a proxy all clients look like one",
    );
  }
}

const serverOptions: Response = {
  status: 204,
  headers: [...noCache, "Allow", allMethods],
};

/** The detail and the Retry-After of a write that was not stored. */
function unavailable({ code }: StoreError): readonly [detail: string, seconds: number] {
  switch (code) {
    case "busy":
      return ["too many writes are waiting for the disk; nothing was stored, try again shortly", 1];
    case "untrusted":
      return ["the disk failed, and the write is not confirmed: only a restart can tell", 60];
    case "closed":
      return ["the server is stopping; nothing was stored, send it again", 5];
    case "refused":
      return ["the store has failed: nothing is stored until the server is restarted", 60];
    default:
      return ["the write could not be stored, and is not in the store; try again later", 10];
  }
}
