/** What a handler is given: values, no sockets. The pipeline has checked all that comes before. */

import type { Caller, Rule } from "../auth/access.ts";
import type { Operation } from "./operation.ts";
import type { Reply } from "./reply.ts";
import type { RequestFields } from "./request-fields.ts";

/** One request, as far as handlers need to know it. */
export interface Request {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Behind the question mark, still encoded; "" without one. */
  readonly query: string;
  /** The `:id` of the route, decoded; "" where it has none. */
  readonly param: string;
  readonly fields: RequestFields;
  readonly caller: Caller;
  /**
   * Throws Problem 415 when the header announces a body that is no JSON, 413 when it announces too
   * long a one.
   */
  requireJson(): void;
  /** Rejects with Problem 413, 408 or 400, or with BodyAborted when the client has gone. */
  readJson(): Promise<unknown>;
}

/** A read answers in the same tick; what has to wait answers with a promise. */
export type Handler = (request: Request) => Reply | Promise<Reply>;

/** One row of the route table. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly rule: Rule;
  readonly handle: Handler;
  /** What the route is, for the description. */
  readonly operation: Operation;
  /** The request field that its answers, refusals too, depend on. */
  readonly vary?: string;
  /** Never refused for asking too often. */
  readonly isUnlimited?: boolean;
  /** What strangers can do where guests may order: limited more closely. */
  readonly isForGuests?: boolean;
}
