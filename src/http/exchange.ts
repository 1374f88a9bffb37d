/** One request on its way to its answer: what the pipeline and the handlers know of it. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../auth/access.ts";
import type { Request } from "./route.ts";
import { type BodyLimits, readBytes, requireLength } from "./body.ts";
import { parseJson, requireJsonType } from "./json-body.ts";
import { announcesBody, readFields, type RequestFields } from "./request-fields.ts";
import { endStream } from "./request-stream.ts";
import type { RouteMetrics } from "../metrics.ts";
import type { Problem } from "../problems/problem.ts";

/** A request, its response, and what becomes known between them. */
export class Exchange implements Request {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly fields: RequestFields;
  readonly began: number = performance.now();
  readonly expectsContinue: boolean;
  // Set by app.ts as it finds them out.
  param = "";
  caller: Caller = undefined;
  /** The address, where it has asked too often: who that is belongs in the log. */
  client: string | undefined = undefined;
  metrics: RouteMetrics | undefined = undefined;
  vary: string | undefined = undefined;
  // Set by answers.ts.
  requestId: string | undefined = undefined;
  problem: Problem | undefined = undefined;
  mustClose = false;
  /** Whether a body was announced that nobody has read to its end. */
  hasUnreadBody: boolean;
  readonly #limits: BodyLimits;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    limits: BodyLimits,
    expectsContinue: boolean,
  ) {
    this.request = request;
    this.response = response;
    this.method = request.method ?? "";
    const target = originForm(request.url ?? "");
    const cut = target.indexOf("?");
    this.path = cut === -1 ? target : target.slice(0, cut);
    this.query = cut === -1 ? "" : target.slice(cut + 1);
    this.fields = readFields(request.rawHeaders);
    this.hasUnreadBody = announcesBody(this.fields);
    if (!this.hasUnreadBody) endStream(request);
    this.expectsContinue = expectsContinue;
    this.#limits = limits;
  }

  requireJson(): void {
    requireJsonType(this.fields, this.method);
    requireLength(this.fields, this.#limits.limitBytes);
  }

  readJson(): Promise<unknown> {
    if (this.expectsContinue) this.response.writeContinue();
    return readBytes(this.request, this.fields, this.#limits).then((bytes) => {
      this.hasUnreadBody = false;
      return parseJson(bytes);
    });
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
