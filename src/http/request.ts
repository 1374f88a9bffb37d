/**
 * A request. Handlers see a `Request`: plain values, no sockets. The pipeline uses `Exchange`, the
 * same request with its node objects and the results of the checks in app.ts.
 */

import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../auth/access.ts";
import { withoutTokens } from "../log/redact.ts";
import { quoted } from "../problems/faults.ts";
import { Problem } from "../problems/problem.ts";
import { parseJson, readBody, requireJsonType, requireLength } from "./body.ts";
import type { RouteMetrics } from "./metrics.ts";
import { noQuery, type Query } from "./query.ts";

/** The request as a handler sees it. */
export interface Request {
  readonly method: string;
  /** Without the query, still percent-encoded. */
  readonly path: string;
  /** The last parameter of the route's path, decoded; "" if the path has none. */
  readonly param: string;
  /** Parsed and checked against the parameters that the route declares. */
  readonly query: Query;
  /** Node's own. Fields sent on several lines are joined with ", " (RFC 9110 section 5.3). */
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  /** Checks the header only. Throws Problem 415 if the body is not JSON, 413 if it is too long. */
  requireJson(): void;
  /** Rejects with Problem 400, 408 or 413, or with BodyAborted if the client has gone. */
  json(): Promise<unknown>;
}

/** Limits of request bodies. */
export interface BodyLimits {
  readonly bodyLimitBytes: number;
  readonly bodyMs: number;
}

/** A request and its response. */
export class Exchange implements Request {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  /** After the question mark, still encoded; "" without one. */
  readonly queryText: string;
  readonly began: number = performance.now();
  /** True if another request waits behind this one. */
  isFollowed = false;
  /** True if the connection closes after the response. */
  closes = false;
  // Set by app.ts.
  param = "";
  query: Query = noQuery;
  caller: Caller = undefined;
  metrics: RouteMetrics | undefined = undefined;
  vary: string | undefined = undefined;
  /** For the log: the client's address, set only if it sent too many requests. */
  client: string | undefined = undefined;
  readonly #limits: BodyLimits;
  readonly #expectsContinue: boolean;
  #requestId: string | undefined;

  /** `expectsContinue`: the client sends its body after 100 Continue. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    limits: BodyLimits,
    expectsContinue: boolean,
  ) {
    this.request = request;
    this.response = response;
    this.#limits = limits;
    this.#expectsContinue = expectsContinue;
    this.method = request.method ?? "";
    const target = originForm(request.url ?? "");
    const cut = target.indexOf("?");
    this.path = cut === -1 ? target : target.slice(0, cut);
    this.queryText = cut === -1 ? "" : target.slice(cut + 1);
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  /** The client's X-Request-Id if it is safe in logs and headers, else a new id. */
  get requestId(): string {
    this.#requestId ??= saneId(this.headers["x-request-id"]) ?? randomUUID();
    return this.#requestId;
  }

  requireJson(): void {
    requireJsonType(this.headers, this.method);
    requireLength(this.headers, this.#limits.bodyLimitBytes);
  }

  async json(): Promise<unknown> {
    const { bodyLimitBytes, bodyMs } = this.#limits;
    requireLength(this.headers, bodyLimitBytes);
    if (this.#expectsContinue) this.response.writeContinue();
    return parseJson(await readBody(this.request, bodyLimitBytes, bodyMs));
  }
}

function saneId(id: unknown): string | undefined {
  if (typeof id !== "string" || !/^[\w.~:+/=@-]{1,128}$/.test(id)) return undefined;
  return withoutTokens(id) === id ? id : undefined;
}

/** The path and query of a request target in any form (RFC 9112 section 3.2). */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const absolute = /^https?:\/\/[^/?#]*/i.exec(target)?.[0];
  if (absolute === undefined) return target;
  const rest = target.slice(absolute.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** A host (RFC 3986 section 3.2.2, without a comma) and optionally a port. */
const hostAndPort =
  /^(?:\[[\w.:~%!$&'()*+;=-]+\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * Refuses malformed requests that node's parser accepts: another HTTP version, no Host field or
 * several, a target with a user or without a host, and transfer codings other than chunked.
 * Throws Problem 400 (RFC 9112 sections 2.3, 3.2, 6.1; RFC 9110 sections 4.2.1, 4.2.4).
 */
export function requireWellFormed({ httpVersion, url = "", headers }: IncomingMessage): void {
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    throw malformed(`expected HTTP/1.1, got HTTP/${httpVersion}`);
  }
  const { host, "transfer-encoding": transferEncoding } = headers;
  // Node joins several Host fields with a comma, which the pattern refuses.
  if (host === undefined ? httpVersion === "1.1" : !hostAndPort.test(host)) {
    const got = host === undefined ? "none" : quoted(host);
    throw malformed(`expected one Host field with a host and perhaps a port, got ${got}`);
  }
  const authority = url.startsWith("/") ? undefined : /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (authority !== undefined && !(/^[^:]/.test(authority) && hostAndPort.test(authority))) {
    throw malformed("expected a target such as /api, or one that begins with http:// and a host");
  }
  if (transferEncoding === undefined) return;
  if (httpVersion === "1.0" || !/^chunked$/i.test(transferEncoding)) {
    throw malformed("expected no transfer coding, or chunked in HTTP/1.1");
  }
}

function malformed(detail: string): Problem {
  return new Problem("malformed-request", detail);
}
