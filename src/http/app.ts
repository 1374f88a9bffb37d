/**
 * The pipeline: every request goes through `#answer`, from top to bottom, and out through
 * responder.ts, where whatever is thrown on the way becomes an answer too.
 *
 *     well-formed 400 → rate 429 → path 404 → method 405, and OPTIONS leaves
 *              → caller 401 → role 403 → customers' rate 429 → id 404 → query 400 → handler
 *     handler: label 415 → length 413 → precondition 412 → body 413, 408, 400
 *              → taken 409 → references 400 → shop 409 → life cycle 409
 */

import type { Server } from "node:http";
import { authenticate, authorize } from "../auth/access.ts";
import type { VerifyToken } from "../auth/token-verifier.ts";
import type { RouteMetrics } from "./metrics.ts";
import { Problem } from "../problems/problem.ts";
import { patchType } from "./body.ts";
import { Connections, handsOver } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import { http } from "./node-internals.ts";
import { headerBytesLimit } from "./parser-refusals.ts";
import { clientAddress, type RateLimit } from "./rate-limit.ts";
import { type Answer, type HeaderList, noCache } from "./answer.ts";
import { type RequestFields, requireWellFormed } from "./request-fields.ts";
import { parseQuery, refusesUnknown } from "./query.ts";
import { Responder, type ResponderOptions, shownPath } from "./responder.ts";
import type { Route } from "./route.ts";
import { allowedMethods, createRouter, type Find, type Found } from "./router.ts";

/** What the service is made of and how it is set up. */
export interface AppOptions extends Omit<ResponderOptions, "keepAliveMs"> {
  readonly routes: readonly Route[];
  readonly verify: VerifyToken;
  /** For every request; null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** For the orders of customers, beside that; null: guests may not order. */
  readonly guestLimit: RateLimit | null;
  readonly trustProxy: boolean;
  readonly bodyLimitBytes: number;
  readonly timeouts?: Partial<Timeouts>;
}

/** Milliseconds. */
export interface Timeouts {
  readonly headersMs: number;
  readonly bodyMs: number;
  /** For an answer that is not read, or a connection that is silent: at least so long. */
  readonly keepAliveMs: number;
}

/** Used unless `timeouts` says otherwise. */
export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  bodyMs: 30_000,
  // As long as proxies keep theirs.
  keepAliveMs: 120_000,
};

/** The HTTP server, not yet listening, and its connections. */
export interface App {
  readonly server: Server;
  readonly connections: Connections;
}

/** Puts the pipeline behind a server. */
export function createApp(options: AppOptions): App {
  const { headersMs, bodyMs, keepAliveMs } = { ...defaultTimeouts, ...options.timeouts };
  const server = http.createServer({
    maxHeaderSize: headerBytesLimit,
    headersTimeout: headersMs,
    // Later than the header and body limits, which have answers of their own.
    requestTimeout: headersMs + bodyMs + 2_000,
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    // Node would set and reset a timer with each request; Connections costs them nothing.
    keepAliveTimeout: 0,
    // Checked here, to be answered as every other mistake is.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    shouldUpgradeCallback: handsOver,
  });
  // No limit on their number: their bytes are limited already.
  server.maxHeadersCount = 0;
  const responder = new Responder({ ...options, keepAliveMs });
  const pipeline = new Pipeline(options, responder);
  const connections = new Connections(server, {
    keepAliveMs,
    bodyLimitBytes: options.bodyLimitBytes,
    bodyMs,
    serve: (exchange) => pipeline.serve(exchange),
    refusalText: (problem) => responder.refusalText(problem),
  });
  return { server, connections };
}

interface MeasuredRoute {
  readonly route: Route;
  readonly metrics: RouteMetrics;
}

class Pipeline {
  readonly #options: AppOptions;
  readonly #find: Find<MeasuredRoute>;
  readonly #responder: Responder;
  #warnedOfProxy = false;

  constructor(options: AppOptions, responder: Responder) {
    this.#options = options;
    this.#responder = responder;
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
      const reply = this.#answer(exchange);
      if (reply instanceof Promise) void this.#sendLater(exchange, reply);
      else this.#responder.send(exchange, reply);
    } catch (error) {
      this.#responder.refuse(exchange, error);
    }
  }

  async #sendLater(exchange: Exchange, reply: Promise<Answer>): Promise<void> {
    try {
      this.#responder.send(exchange, await reply);
    } catch (error) {
      this.#responder.refuse(exchange, error);
    }
  }

  #answer(exchange: Exchange): Answer | Promise<Answer> {
    requireWellFormed(exchange.request, exchange.fields);
    const found = this.#find(exchange.path);
    const { rateLimit } = this.#options;
    if (rateLimit !== null && !this.#isUnlimited(found, exchange)) {
      this.#limitRate(rateLimit, exchange);
    }
    if (found === undefined) {
      // RFC 9110 section 9.3.7: of the server as a whole.
      if (exchange.path === "*" && exchange.method === "OPTIONS") return serverOptions;
      throw new Problem("not-found", `there is nothing at ${shownPath(exchange.path)}; see /api`);
    }
    const routed = this.#methodOf(found, exchange);
    if (routed === undefined) return this.#allowed(found, exchange);
    this.#warnOfProxy(exchange.fields);
    exchange.metrics = routed.metrics;
    exchange.vary = routed.route.vary;
    exchange.param = found.param;
    const { route } = routed;
    exchange.caller = authenticate(exchange.fields.authorization, this.#options.verify);
    const servesGuests = this.#options.guestLimit !== null;
    authorize(route.rule, exchange.caller, exchange.fields.authorization, servesGuests);
    // Only now is it known who is a customer.
    if (route.isForGuests === true && exchange.caller?.role === "customer") {
      this.#limitRate(this.#options.guestLimit, exchange);
    }
    route.exists?.(exchange);
    const isStrict = refusesUnknown(route.path);
    exchange.query = parseQuery(exchange.queryText, route.query ?? [], isStrict);
    return route.handle(exchange);
  }

  /** Health and readiness; and preflights, because a page cannot read why one was refused. */
  #isUnlimited(found: Found<MeasuredRoute> | undefined, exchange: Exchange): boolean {
    if (found === undefined) return false;
    const { method } = exchange;
    const isSafe = method === "GET" || method === "HEAD" || method === "OPTIONS";
    if (isSafe && found.methods.get("GET")?.route.isUnlimited === true) return true;
    return method === "OPTIONS" && this.#preflightFields(found, exchange).length > 0;
  }

  /** The CORS fields of the answer to a preflight of an allowed page; none for everything else. */
  #preflightFields({ methods }: Found<MeasuredRoute>, { fields }: Exchange): HeaderList {
    if (fields.requestedMethod === undefined) return [];
    return this.#options.cors?.preflightHeaders(fields.origin, allowedMethods(methods)) ?? [];
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

  #allowed(found: Found<MeasuredRoute>, exchange: Exchange): Answer {
    const { methods } = found;
    const [first] = methods.values();
    exchange.metrics = this.#options.metrics.route("OPTIONS", first?.route.path ?? "");
    const allow = ["Allow", allowedMethods(methods)];
    const patch = methods.has("PATCH") ? ["Accept-Patch", patchType] : [];
    const preflight = this.#preflightFields(found, exchange);
    return { status: 204, headers: [...noCache, ...allow, ...patch, ...preflight] };
  }

  /** Throws Problem 429. */
  #limitRate(limit: RateLimit | null, exchange: Exchange): void {
    if (limit === null) return;
    const { remoteAddress } = exchange.request.socket;
    const { forwardedFor } = exchange.fields;
    const client = clientAddress(remoteAddress, forwardedFor, this.#options.trustProxy);
    const wait = limit(client);
    if (wait === 0) return;
    exchange.client = client;
    throw new Problem("rate-limited", `too many requests; come back in ${wait} s`, {
      headers: { "Retry-After": `${wait}` },
    });
  }

  #warnOfProxy({ forwardedFor }: RequestFields): void {
    if (forwardedFor === undefined || this.#options.trustProxy || this.#warnedOfProxy) return;
    this.#warnedOfProxy = true;
    this.#options.log.error(
      "received X-Forwarded-For, but TRUST_PROXY is off: behind a proxy all clients look like one",
    );
  }
}

const serverOptions: Answer = {
  status: 204,
  headers: [...noCache, "Allow", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"],
};
