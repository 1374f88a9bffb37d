/**
 * The pipeline: `#respond` checks each request from top to bottom and calls its handler;
 * response.ts sends the response. Any error that is thrown on the way becomes a response here.
 *
 *     rate 429 > one Host 400, Expect 417 > fields 431 > not for this machine 403 > starting 503
 *         > path 404 > method 405 (OPTIONS is answered here) > token 401 > role 403 > share 429
 *         > query 400 > handler > streams and long answers 429
 *
 * api/writes.ts has the checks of the handlers that write.
 */

import type { IncomingMessage, Server } from "node:http";
import { authenticate, authorize, rememberedAccount } from "../auth/access.ts";
import type { Callers } from "../auth/callers.ts";
import { Invalid } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { StoreError } from "../store/store-error.ts";
import { BodyAborted, patchType } from "./body.ts";
import { preflightHeaders } from "./cors.ts";
import { OpenStreams } from "./open-streams.ts";
import { type OwnMachine, whyForeign } from "./own-machine.ts";
import { noQuery, parseQuery, Query } from "./query.ts";
import { clientOf, type RateLimit, refuseFor } from "./rate-limit.ts";
import type { Exchange } from "./request.ts";
import {
  type Headers,
  isInPieces,
  isStream,
  noCache,
  problemResponse,
  type Response,
  Sender,
  type SenderOptions,
  shownPath,
} from "./response.ts";
import { allowedMethods, createRouter, type Find, type Match, type Route } from "./router.ts";
import { HttpServer, maxFields, type Timeouts } from "./server.ts";
import { Shares } from "./shares.ts";

/** The limits, and the settings about other machines. */
interface PipelineOptions extends SenderOptions {
  /** The limit of all requests; null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** True if anyone may get a customer's token. */
  readonly servesGuests: boolean;
  /** Null: requests from other machines are served, too. */
  readonly ownMachine: OwnMachine | null;
  /** True: the client is the last hop of X-Forwarded-For. */
  readonly trustProxy: boolean;
  readonly timeouts?: Partial<Timeouts>;
}

/** Where requests go, and who may make them. */
interface Routing {
  readonly callers: Callers;
  readonly find: Find;
  /** The paths of the health checks, which anyone may ask, as often as they like. */
  readonly healthChecks: ReadonlySet<string | undefined>;
}

/** The server with its pipeline. */
export class Pipeline {
  readonly #options: PipelineOptions;
  /** Undefined while the server starts. */
  #routing: Routing | undefined;
  readonly #streams = new OpenStreams();
  readonly #shares = new Shares();
  readonly #sender: Sender;
  readonly #http: HttpServer;
  /** True if a first request through a proxy, or for another host, was logged. */
  #hasWarned = false;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#sender = new Sender(options);
    this.#http = new HttpServer(
      (exchange) => this.#arrive(exchange),
      (exchange) => void this.#serve(exchange),
      options.timeouts,
    );
  }

  /** Until then requests are answered with 503. */
  open(routes: readonly Route[], callers: Callers): void {
    const healthChecks = new Set(routes.filter((one) => one.isUnlimited).map(({ path }) => path));
    this.#routing = { callers, find: createRouter(routes), healthChecks };
  }

  /** Its owner calls `listen`. */
  get server(): Server {
    return this.#http.server;
  }

  /** Ends all streams, then stops as HttpServer does. */
  stop(graceMs: number): Promise<void> {
    this.#sender.stop();
    return this.#http.stop(graceMs);
  }

  #arrive(exchange: Exchange): void {
    const { authorization } = exchange.headers;
    exchange.client = this.#clientOf(exchange);
    this.#shares.receive(exchange, () => this.#knownAccount(authorization));
  }

  /** The account of a token that was verified before. */
  #knownAccount(authorization: string | undefined): string | undefined {
    const callers = this.#routing?.callers;
    return callers && rememberedAccount(authorization, callers);
  }

  async #serve(exchange: Exchange): Promise<void> {
    try {
      const response = await this.#respond(exchange);
      if (isStream(exchange, response)) this.#streams.add(exchange);
      else if (isInPieces(exchange, response)) this.#shares.addLongAnswer(exchange);
      this.#sender.send(exchange, response);
      this.#shares.countUnread(exchange, exchange.outgoing.writableLength);
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
    const { servesGuests } = this.#options;
    const { authorization } = headers;
    const isLimited = !this.#isNeverLimited(exchange);
    if (isLimited) this.#limitRate(exchange);
    const refusal = refusalOf(exchange);
    exchange.endsAtOnce = refusal !== undefined;
    if (refusal !== undefined) return { status: refusal, headers: { Connection: "close" } };
    if (incoming.rawHeaders.length > 2 * maxFields) {
      const detail = `expected at most ${maxFields} header fields, got more`;
      throw new Problem("headers-too-large", detail);
    }
    this.#requireOwnMachine(exchange);
    if (this.#routing === undefined) throw starting();
    const { callers, find } = this.#routing;
    const match = find(path);
    if (match === undefined) {
      throw new Problem("not-found", `nothing is at ${shownPath(path)} (see /api)`);
    }
    const route = routeOf(match, exchange);
    if (route === undefined) return this.#optionsResponse(match, exchange);
    const { param } = match;
    exchange.param = param;
    exchange.vary = route.vary;
    const caller = authenticate(authorization, callers);
    exchange.caller = caller;
    exchange.requireSignedIn = () => {
      // Throws the 401 that says why.
      if (!callers.mayGoOn(caller)) authenticate(authorization, callers);
    };
    authorize(route.rule, { caller, authorization, param, servesGuests });
    if (isLimited) this.#shares.requireRoom(exchange);
    exchange.query = queryOf(exchange, route);
    return route.handle(exchange);
  }

  /** True for health checks without a query, and for preflights, whose 429 no page could read. */
  #isNeverLimited({ incoming, headers, method }: Exchange): boolean {
    if (method === "GET" || method === "HEAD") return this.#isHealthCheck(incoming.url);
    return method === "OPTIONS" && this.#preflightHeaders(headers, "") !== undefined;
  }

  #isHealthCheck(path: string | undefined): boolean {
    return this.#routing?.healthChecks.has(path) === true;
  }

  /** The CORS fields for a preflight from an allowed origin. */
  #preflightHeaders(headers: Exchange["headers"], allow: string): Headers | undefined {
    if (headers["access-control-request-method"] === undefined) return undefined;
    return preflightHeaders(this.#options.corsOrigins, headers.origin, allow);
  }

  /** Throws Problem 403 if the server is for its own machine, and the request is not. */
  #requireOwnMachine(exchange: Exchange): void {
    const { ownMachine, log } = this.#options;
    if (ownMachine === null) return;
    const why = whyForeign(exchange, ownMachine);
    if (why === undefined) return;
    const { method, path } = exchange;
    if (this.#isHealthCheck(path) && (method === "GET" || method === "HEAD")) return;
    const detail = `this server is only for its own machine, and the request ${why}`;
    if (!this.#hasWarned) log.error(detail);
    this.#hasWarned = true;
    throw new Problem("not-exposed", detail);
  }

  #optionsResponse({ methods }: Match, { headers }: Exchange): Response {
    const Allow = allowedMethods(methods);
    const patch = methods.has("PATCH") && { "Accept-Patch": patchType };
    const preflight = this.#preflightHeaders(headers, Allow);
    return { status: 204, headers: { ...noCache, Allow, ...patch, ...preflight } };
  }

  /**
   * Counts a request for its client. If the client has used up its rate, a board that is open
   * counts for its own account: guests on the same Wi-Fi cannot shut it out. Throws Problem 429.
   */
  #limitRate({ client, body, headers: { authorization } }: Exchange): void {
    const { rateLimit } = this.#options;
    if (rateLimit === null) return;
    const count = body.size > dearBytes ? 10 : 1;
    const wait = rateLimit.take(client, count);
    if (wait === 0) return;
    const account = this.#knownAccount(authorization);
    refuseFor(account === undefined ? wait : rateLimit.take(account, count));
  }

  #clientOf({ incoming, headers }: Exchange): string {
    const forwardedFor = this.#options.trustProxy ? headers["x-forwarded-for"] : undefined;
    return clientOf(incoming.socket.remoteAddress, forwardedFor);
  }
}

function starting(): Problem {
  const detail = "the server is starting: it reads its file; try again shortly";
  return new Problem("starting", detail, { headers: { "Retry-After": "1" } });
}

/** A longer body costs as much as ten requests, and counts so. */
const dearBytes = 16_384;

/** The status of a request that Node would refuse by itself, with no rate limit counting it. */
function refusalOf({ incoming, headers, expectation }: Exchange): 400 | 417 | undefined {
  if (incoming.httpVersion !== "1.0" && headers.host === undefined) return 400;
  // RFC 9112 section 3.2. Node takes the first one.
  if (hostsOf(incoming) > 1) return 400;
  if (expectation === undefined || expectation.toLowerCase() === "100-continue") return undefined;
  return 417;
}

/** The number of Host fields. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count;
}

/** Undefined for OPTIONS. Throws Problem 405. */
function routeOf({ methods }: Match, { method }: Exchange): Route | undefined {
  const route = methods.get(method === "HEAD" ? "GET" : method);
  if (route !== undefined || method === "OPTIONS") return route;
  const allow = allowedMethods(methods);
  const detail = `${method} is not allowed here; allowed are ${allow}`;
  throw new Problem("method-not-allowed", detail, { headers: { Allow: allow } });
}

/** Outside /api, a query means nothing: links carry tracking parameters. */
function queryOf({ queryText: text }: Exchange, route: Route): Query {
  if (text === "") return noQuery;
  return isOfApi(route) ? parseQuery(text, route.query) : new Query(text);
}

function isOfApi({ path }: Route): boolean {
  return path === "/api" || path.startsWith("/api/");
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
