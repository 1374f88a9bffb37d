/**
 * The pipeline: `#respond` checks each request from top to bottom and calls its handler;
 * response.ts sends the response. Any error that is thrown on the way becomes a response here.
 *
 *     rate 429 > fields 431 > path 404 > method 405, and OPTIONS leaves > token 401 > role 403
 *         > customers' rate 429 > id 404 > query 400 > handler > streams 429
 *     handler: Content-Type 415 > length 413 > precondition 412 > body 413, 400
 *         > taken 409 > references 400 > shop 409 > life cycle 409
 */

import { authorize } from "../auth/access.ts";
import type { Callers } from "../auth/callers.ts";
import { Invalid } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { StoreError } from "../store/store-error.ts";
import { BodyAborted, patchType } from "./body.ts";
import { preflightHeaders } from "./cors.ts";
import type { RouteMetrics } from "./metrics.ts";
import { parseQuery, refusesUnknown } from "./query.ts";
import { clientOf, type RateLimit } from "./rate-limit.ts";
import type { Exchange } from "./request.ts";
import {
  type HeaderList,
  noCache,
  problemResponse,
  type Response,
  Sender,
  type SenderOptions,
  shownPath,
} from "./response.ts";
import type { Route } from "./route.ts";
import { allowedMethods, createRouter, type Find, type Found } from "./router.ts";
import { HttpServer, maxFields, type Timeouts } from "./server.ts";

/** The parts and the settings of the service. */
interface AppOptions extends SenderOptions {
  readonly routes: readonly Route[];
  readonly callers: Callers;
  /** The limit of all requests; null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** A second limit, for customers' orders; null: guests may not order. */
  readonly guestLimit: RateLimit | null;
  readonly trustProxy: boolean;
  readonly timeouts?: Partial<Timeouts>;
}

interface MeasuredRoute {
  readonly route: Route;
  readonly metrics: RouteMetrics;
}

/** A restaurant on one Wi-Fi is one client. */
const maxStreams = 200;

/** The server with its pipeline. */
export class App extends HttpServer {
  readonly #options: AppOptions;
  readonly #find: Find<MeasuredRoute>;
  /** Paths whose GET is not limited. */
  readonly #unlimited: ReadonlySet<string | undefined>;
  /** The number of open streams by client. */
  readonly #streams = new Map<string, number>();
  readonly #sender: Sender;
  #hasWarnedOfProxy = false;

  constructor(options: AppOptions) {
    super((exchange) => void this.#serve(exchange), options.timeouts);
    this.#options = options;
    this.#sender = new Sender(options);
    const { routes, metrics } = options;
    this.#find = createRouter(
      routes.map((route) => {
        const { method, path } = route;
        return { method, path, value: { route, metrics: metrics.route(method, path) } };
      }),
    );
    this.#unlimited = new Set(routes.filter((one) => one.isUnlimited).map(({ path }) => path));
  }

  override stop(graceMs: number): Promise<void> {
    this.#sender.endStreams();
    return super.stop(graceMs);
  }

  async #serve(exchange: Exchange): Promise<void> {
    try {
      const response = await this.#respond(exchange);
      if (typeof response.body === "function") this.#countStream(exchange);
      this.#sender.send(exchange, response);
    } catch (error) {
      // The client has gone.
      if (error instanceof BodyAborted) return;
      const problem = this.#problemOf(exchange, error);
      if (exchange.outgoing.headersSent) exchange.outgoing.destroy();
      else this.#sender.send(exchange, problemResponse(problem), problem);
    }
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

  #respond(exchange: Exchange): Response | Promise<Response> {
    const { incoming, headers, path } = exchange;
    const { rateLimit, guestLimit, callers } = this.#options;
    if (rateLimit !== null && !this.#isFree(exchange)) this.#limitRate(rateLimit, exchange);
    if (incoming.rawHeaders.length > 2 * maxFields) {
      const detail = `expected at most ${maxFields} header fields, got more`;
      throw new Problem("headers-too-large", detail);
    }
    const found = this.#find(path);
    if (found === undefined) {
      throw new Problem("not-found", `nothing is at ${shownPath(path)} (see /api)`);
    }
    const routed = this.#methodOf(found, exchange);
    if (routed === undefined) return this.#allowed(found, exchange);
    this.#warnOfProxy(exchange);
    const { route } = routed;
    exchange.metrics = routed.metrics;
    exchange.vary = route.vary;
    exchange.param = found.param;
    exchange.authenticate(callers);
    authorize(route.rule, exchange.caller, headers.authorization, guestLimit !== null);
    // Here and not earlier, because the role is known only after authentication.
    if (route.hasGuestLimit === true && exchange.caller?.role === "customer") {
      this.#limitRate(guestLimit, exchange);
    }
    if (exchange.queryText !== "") {
      // Only before the query's own check: without a query, the handler throws the same 404.
      route.requireItem?.(exchange);
      const isStrict = refusesUnknown(route.path);
      exchange.query = parseQuery(exchange.queryText, route.query ?? [], isStrict);
    }
    return route.handle(exchange);
  }

  /** True for health checks without a query, and for preflights: a page cannot read their 429. */
  #isFree({ incoming, headers, method }: Exchange): boolean {
    if (method === "GET" || method === "HEAD") return this.#unlimited.has(incoming.url);
    return method === "OPTIONS" && this.#preflightHeaders(headers, "").length > 0;
  }

  /** The CORS fields for a preflight from an allowed origin; empty for any other request. */
  #preflightHeaders(headers: Exchange["headers"], allow: string): HeaderList {
    if (headers["access-control-request-method"] === undefined) return [];
    return preflightHeaders(this.#options.corsOrigins, headers.origin, allow);
  }

  /** Undefined for OPTIONS. Throws Problem 405. */
  #methodOf(found: Found<MeasuredRoute>, { method, path }: Exchange): MeasuredRoute | undefined {
    const routed = found.methods.get(method === "HEAD" ? "GET" : method);
    if (routed !== undefined || method === "OPTIONS") return routed;
    const allow = allowedMethods(found.methods);
    const list = path.endsWith("/") ? path : `${path}/`;
    const isOfItems = found.param === "" && this.#find(`${list}id`)?.methods.has(method) === true;
    const hint = isOfItems ? `; ${method} goes to one item, ${shownPath(list)}{id}` : "";
    const detail = `${method} is not allowed here; allowed are ${allow}${hint}`;
    throw new Problem("method-not-allowed", detail, { headers: { Allow: allow } });
  }

  #allowed({ methods }: Found<MeasuredRoute>, exchange: Exchange): Response {
    const [first] = methods.values();
    exchange.metrics = this.#options.metrics.route("OPTIONS", first?.route.path ?? "");
    const allow = allowedMethods(methods);
    const patch = methods.has("PATCH") ? ["Accept-Patch", patchType] : [];
    const preflight = this.#preflightHeaders(exchange.headers, allow);
    return { status: 204, headers: [...noCache, "Allow", allow, ...patch, ...preflight] };
  }

  /** Throws Problem 429. */
  #limitRate(limit: RateLimit | null, exchange: Exchange): void {
    const wait = limit?.(this.#clientOf(exchange)) ?? 0;
    if (wait === 0) return;
    throw new Problem("rate-limited", `too many requests; come back in ${wait} s`, {
      headers: { "Retry-After": `${wait}` },
    });
  }

  #clientOf(exchange: Exchange): string {
    const { incoming, headers } = exchange;
    const { remoteAddress } = incoming.socket;
    const { trustProxy } = this.#options;
    exchange.client = clientOf(remoteAddress, headers["x-forwarded-for"], trustProxy);
    return exchange.client;
  }

  /** Throws Problem 429. */
  #countStream(exchange: Exchange): void {
    const { method, outgoing } = exchange;
    if (method === "HEAD") return;
    const client = this.#clientOf(exchange);
    const open = this.#streams.get(client) ?? 0;
    if (open >= maxStreams) {
      const detail = `too many open streams: expected at most ${maxStreams} of one client`;
      throw new Problem("rate-limited", detail, { headers: { "Retry-After": "60" } });
    }
    this.#streams.set(client, open + 1);
    outgoing.once("close", () => {
      const left = (this.#streams.get(client) ?? 0) - 1;
      if (left > 0) this.#streams.set(client, left);
      else this.#streams.delete(client);
    });
  }

  #warnOfProxy({ headers }: Exchange): void {
    if (headers["x-forwarded-for"] === undefined) return;
    if (this.#options.trustProxy || this.#hasWarnedOfProxy) return;
    this.#hasWarnedOfProxy = true;
    this.#options.log.error(
      "received X-Forwarded-For, but TRUST_PROXY is off: behind a proxy all clients look like one",
    );
  }
}

/** The detail and the Retry-After of a write that was not stored. */
function unavailable({ code }: StoreError): readonly [detail: string, seconds: number] {
  switch (code) {
    case "busy":
      return ["too many writes are waiting for the disk; nothing was stored, try again shortly", 1];
    case "unconfirmed":
      return ["the disk failed, and the write is not confirmed: only a restart can tell", 60];
    case "closed":
      return ["the server is stopping; nothing was stored, send it again", 5];
    case "refused":
      return ["the store has failed: nothing is stored until the server is restarted", 60];
    default:
      return ["the write could not be stored, and is not in the store; try again later", 10];
  }
}
