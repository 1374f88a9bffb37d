/**
 * A row of the route table: what its handler is given (values, no sockets: the pipeline has checked
 * all that comes before), and what the route says of itself.
 *
 * That is plain data: api/openapi.ts makes the OpenAPI 3.1 document of it, and adds what is true of
 * every route, or follows from its rule and its body. Schemas, parameters and links are OpenAPI's
 * own objects. One with a `$component`, such as "schemas/Order", stands once in the document, under
 * that name, and is referred to from wherever it is used.
 */

import type { Rule } from "../auth/access.ts";
import type { ProblemType } from "../problems/problem-types.ts";
import type { Answer } from "./answer.ts";
import type { QueryParameter } from "./query.ts";
import type { Request } from "./request.ts";

/** A read answers in the same tick; what has to wait answers with a promise. */
export type Handler = (request: Request) => Answer | Promise<Answer>;

/** One row of the route table. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly rule: Rule;
  readonly handle: Handler;
  /** The query parameters it knows: for the check of a request, and for the description. */
  readonly query?: readonly QueryParameter[];
  /** Throws Problem 404 if the path's parameter names nothing. Called before the query is checked. */
  readonly exists?: (request: Request) => void;
  /** What the route is, for the description. */
  readonly operation: Operation;
  /** The request field that its answers, refusals too, depend on. */
  readonly vary?: string;
  /** Never refused for asking too often. */
  readonly isUnlimited?: boolean;
  /** Customers are limited more closely here if guests may order. */
  readonly isForGuests?: boolean;
}

/** One operation (OpenAPI 3.1 section 4.8.10). */
export interface Operation {
  /** operationId: what generated clients call it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** Header fields and parts of the path; those of the query are the route's `query`. */
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
