/**
 * A row of the route table: what its handler is given (values, no sockets: the pipeline has checked
 * all that comes before), and what the route says of itself.
 *
 * That is plain data: api/openapi.ts makes the OpenAPI 3.1 document of it, and adds what is true of
 * every route, or follows from its rule and its body. Schemas, parameters and links are OpenAPI's
 * own objects. One with a `$component`, such as "schemas/Order", stands once in the document, under
 * that name, and is referred to from wherever it is used.
 */

import type { Caller, Rule } from "../auth/access.ts";
import type { ProblemType } from "../problems/problem-types.ts";
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

/** One operation (OpenAPI 3.1 section 4.8.10). */
export interface Operation {
  /** operationId: what generated clients call it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  /** What it takes: schemas by media type. */
  readonly body?: Content;
  /** What is answered when nothing is wrong, by status. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** What may go wrong, beyond what may go wrong anywhere, or wherever a body is read. */
  readonly problems?: readonly ProblemType[];
}

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** Section 4.8.12. */
export interface Parameter {
  readonly $component?: string;
  readonly name: string;
  readonly in: "query" | "header" | "path";
  readonly required?: boolean;
  readonly description: string;
  readonly schema: object;
  readonly example?: unknown;
}

export type Content = Readonly<Record<string, object>>;

export interface AnswerDescription {
  readonly description: string;
  /** Names of rows in api/openapi-info.ts, beside those that every answer has. */
  readonly headers?: readonly string[];
  readonly content?: Content;
  readonly links?: object;
}
