/** One request on its way to its answer: what the pipeline and the handlers know of it. */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../auth/access.ts";
import type { RouteMetrics } from "./metrics.ts";
import { Body, parseJson, requireJsonType } from "./body.ts";
import { endStream } from "./node-internals.ts";
import { announcesBody, readFields, type RequestFields } from "./request-fields.ts";
import { parseQuery, type Query } from "./query.ts";
import type { Request } from "./request.ts";

/** What the bodies of requests may have. */
export interface BodyLimits {
  readonly bodyLimitBytes: number;
  readonly bodyMs: number;
}

/** A request, its response, and what becomes known between them. */
export class Exchange implements Request {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  /** Behind the question mark, still encoded; "" without one. */
  readonly queryText: string;
  readonly fields: RequestFields;
  /** Undefined: the header announces none. */
  readonly body: Body | undefined;
  readonly began: number = performance.now();
  /** Whether the connection closes after this answer. */
  closes: boolean;
  // Set by app.ts as it finds them out.
  param = "";
  query: Query = parseQuery("", []);
  caller: Caller = undefined;
  /** The address, where it has asked too often: who that is belongs in the log. */
  client: string | undefined = undefined;
  metrics: RouteMetrics | undefined = undefined;
  vary: string | undefined = undefined;
  // Set by responder.ts.
  requestId: string | undefined = undefined;
  /** Whether the answer is a stream that goes on until somebody ends it. */
  isEndless = false;
  readonly #limits: BodyLimits;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    limits: BodyLimits,
    expectsContinue: boolean,
  ) {
    this.request = request;
    this.response = response;
    this.closes = !response.shouldKeepAlive;
    this.method = request.method ?? "";
    const target = originForm(request.url ?? "");
    const cut = target.indexOf("?");
    this.path = cut === -1 ? target : target.slice(0, cut);
    this.queryText = cut === -1 ? "" : target.slice(cut + 1);
    this.fields = readFields(request.rawHeaders);
    this.#limits = limits;
    if (announcesBody(this.fields)) {
      const invite = expectsContinue ? () => response.writeContinue() : undefined;
      this.body = new Body(request, this.fields.contentLength, invite);
    } else {
      this.body = undefined;
      endStream(request);
    }
  }

  requireJson(): void {
    requireJsonType(this.fields, this.method);
    this.body?.requireLength(this.#limits.bodyLimitBytes);
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  async json(): Promise<unknown> {
    const { bodyLimitBytes, bodyMs } = this.#limits;
    return parseJson((await this.body?.read(bodyLimitBytes, bodyMs)) ?? Buffer.alloc(0));
  }
}

/** The path and query of any form of request target (RFC 9112 section 3.2). */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const absolute = /^https?:\/\/[^/?#]*/i.exec(target)?.[0];
  if (absolute === undefined) return target;
  const rest = target.slice(absolute.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
