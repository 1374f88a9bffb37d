/**
 * A row of the route table: method, path, who may use it, the handler and the description.
 *
 * The description is plain data. api/openapi.ts makes the OpenAPI 3.1 document of it and adds the
 * parts that follow from path, rule and body. Schemas and parameters are OpenAPI objects; an object
 * with a `$component`, such as "schemas/Order", gets that name in the document's components.
 */

import type { Rule } from "../auth/access.ts";
import type { ProblemType } from "../problems/problem-types.ts";
import type { Response } from "./response.ts";
import type { QueryParameter } from "./query.ts";
import type { Request } from "./request.ts";

/** Called after all checks in app.ts have passed. */
export type Handler = (request: Request) => Response | Promise<Response>;

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly rule: Rule;
  readonly handle: Handler;
  /** The query parameters it takes, for the check and for the description. */
  readonly query?: readonly QueryParameter[];
  readonly requireItem?: unknown;
  /** Undefined if the description leaves the route out. */
  readonly operation?: Operation;
  /** For the Vary field of all responses, errors too. */
  readonly vary?: string;
  /** Never rate limited. */
  readonly isUnlimited?: boolean;
  /** If guests may order, customers have a second, lower rate limit here. */
  readonly hasGuestLimit?: boolean;
}

/** OpenAPI 3.1 section 4.8.10. */
export interface Operation {
  /** operationId: the name of the function in generated clients. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** Header and path parameters. Query parameters are in the route's `query`. */
  readonly parameters?: readonly Parameter[];
  readonly body?: MediaTypes;
  /** True if the operation means something without a body too. */
  readonly isBodyOptional?: boolean;
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
export type MediaTypes = Readonly<Record<string, object>>;

interface Success {
  /** Default: 200. */
  readonly status?: number;
  readonly description: string;
  /** Names of rows in api/openapi.ts. A GET that lists ETag may also answer 304. */
  readonly headers?: readonly string[];
  readonly content?: MediaTypes;
}
