/**
 * A row of the route table: what its handler is given (values, no sockets: the pipeline has checked
 * all that comes before), and what the route says of itself.
 *
 * That is plain data: api/openapi.ts makes the OpenAPI 3.1 document of it, and adds what follows from
 * the path, the rule and the body. Schemas and parameters are OpenAPI's own objects. One with a
 * `$component`, such as "schemas/Order", gets that name in the document's components.
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
  /** Called before the query is checked. Throws Problem 404 if the path names nothing. */
  readonly exists?: (request: Request) => void;
  /** For the description; undefined if it leaves the route out. */
  readonly operation?: Operation;
  /** The request field that its answers, refusals too, depend on. */
  readonly vary?: string;
  /** Never refused for asking too often. */
  readonly isUnlimited?: boolean;
  /** Customers are limited more closely here if guests may order. */
  readonly isForGuests?: boolean;
}

/** One operation (OpenAPI 3.1 section 4.8.10). */
export interface Operation {
  /** operationId: the name of the function in generated clients. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** Header fields and parts of the path; those of the query are the route's `query`. */
  /** Of the header and the path. The query's are in the route's `query`. */
  readonly parameters?: readonly Parameter[];
  readonly body?: Content;
  readonly success: Success;
  /** Problems beside those that api/openapi.ts adds for every route. */
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
  readonly in: "header" | "path";
  readonly required?: boolean;
  readonly description: string;
  readonly schema: object;
  readonly example?: unknown;
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, object>>;

export interface Success {
  /** Default: 200. */
  readonly status?: number;
  readonly description: string;
  /** Names of rows in api/openapi.ts. A GET that lists ETag may also answer 304. */
  readonly headers?: readonly string[];
  readonly content?: Content;
}
