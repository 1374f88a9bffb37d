/**
 * A request and its response, with Node's objects, and what the checks in pipeline.ts find out
 * about it. Handlers see it as a `Request`: values that do not change, and no sockets.
 */

import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { accountOf, type Caller } from "../auth/callers.ts";
import { withoutTokens } from "../log/log.ts";
import {
  type Body,
  IncomingBody,
  noBody,
  requireJsonType,
  requireLength,
  requireReceived,
  usualBytes,
} from "./body.ts";
import { parseJson } from "./json.ts";
import { noQuery, type Query } from "./query.ts";
import { turn } from "./turn.ts";

/** A body of up to so many bytes is parsed at once, in a tenth of a millisecond at most. */
export const smallBytes = 1_024;

/** The request as a handler sees it. */
export type Request = Readonly<Pick<Exchange,
  | "method" | "path" | "param" | "query" | "headers" | "caller" | "client" | "holder"
  | "requireJson" | "json"
>>;

export class Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly method: string;
  /** Without the query, still percent-encoded. */
  readonly path: string;
  /** After the question mark, still encoded; "" without one. */
  readonly queryText: string;
  readonly began: number = performance.now();
  readonly body: Body;
  /** True if another request of the connection has come behind this one. */
  hasNext = false;
  /** True if requests behind this one were dropped: its response closes the connection. */
  isLast = false;

  // The checks set these.

  /** True if its response does not wait for the rest of its body. */
  endsAtOnce = false;
  /** The client's address, or the network that it shares: as rate-limit.ts names it. */
  client = "";
  /** The client or the account whose memory it takes; undefined if both hold their shares. */
  share: string | undefined = undefined;
  caller: Caller = undefined;
  /** The last parameter of the route's path, decoded; "" if the path has none. */
  param = "";
  /** Outside /api its text alone; under it parsed, and checked against the route's parameters. */
  query: Query = noQuery;
  /** The Vary of its route. */
  vary: string | undefined = undefined;
  /** Throws Problem 401 if the caller was signed out since. */
  requireSignedIn: () => void = () => {};
  #requestId: string | undefined;

  /** `restMs`: as in Timeouts. */
  constructor(incoming: IncomingMessage, outgoing: ServerResponse, restMs: number) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.method = incoming.method ?? "";
    const target = originForm(incoming.url ?? "");
    const cut = target.indexOf("?");
    this.path = cut === -1 ? target : target.slice(0, cut);
    this.queryText = cut === -1 ? "" : target.slice(cut + 1);
    const { "content-length": length, "transfer-encoding": coding } = incoming.headers;
    // At once: Node holds an unread body in pieces that take far more memory than their bytes.
    const hasBody = length !== undefined || coding !== undefined;
    this.body = hasBody ? new IncomingBody(incoming, restMs) : noBody;
  }

  /** Node's own. Most fields sent on several lines are joined with ", ". */
  get headers(): IncomingHttpHeaders {
    return this.incoming.headers;
  }

  /** Turns and bytes count for it: the caller's account, or else the client. */
  get holder(): string {
    return accountOf(this.caller) ?? this.client;
  }

  /** The host that it is for (RFC 9112 section 3.2.2); undefined if it names none. */
  get host(): string | undefined {
    const { url = "" } = this.incoming;
    const [, authority] = url.startsWith("/") ? [] : (absoluteForm.exec(url) ?? []);
    return authority ?? this.headers.host;
  }

  /** The value of Expect, which HTTP/1.0 does not know. */
  get expectation(): string | undefined {
    return this.incoming.httpVersion === "1.0" ? undefined : this.headers.expect;
  }

  /** Checks the header only. Throws Problem 415 if the body is not JSON, 413 if it is too long. */
  requireJson(maxBytes: number = usualBytes): void {
    requireJsonType(this.headers);
    requireLength(this.headers, maxBytes);
  }

  /**
   * Rejects with Problem 400 or 413, with 401 if the caller was signed out while the body arrived,
   * or with BodyAborted if the client has gone.
   */
  async json(maxBytes: number = usualBytes): Promise<unknown> {
    // The one expectation that pipeline.ts lets pass is "100-continue".
    if (this.expectation !== undefined) this.outgoing.writeContinue();
    const bytes = requireReceived(await this.body.received(maxBytes), maxBytes);
    if (bytes.length > smallBytes) await turn(this.holder);
    this.requireSignedIn();
    const value = parseJson(bytes);
    this.body.drop();
    return value;
  }

  /** The client's X-Request-Id if it is safe in logs and headers, else a new id. */
  get requestId(): string {
    this.#requestId ??= saneId(this.headers["x-request-id"]) ?? randomUUID();
    return this.#requestId;
  }
}

function saneId(id: unknown): string | undefined {
  if (typeof id !== "string" || !/^[\w.~:+/=@-]{1,128}$/.test(id)) return undefined;
  return withoutTokens(id) === id ? id : undefined;
}

/** The authority of an absolute target, as for a proxy (RFC 9112 section 3.2.2). */
const absoluteForm = /^https?:\/\/([^/?#]*)\/?/i;

/** The path and query of a target. */
function originForm(target: string): string {
  return target.startsWith("/") ? target : target.replace(absoluteForm, "/");
}
