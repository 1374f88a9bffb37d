/** A row of the route table: method, path, who may use it, and the handler. */

import type { Rule } from "../auth/access.ts";
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
  /** The query parameters it takes. */
  readonly query?: readonly QueryParameter[];
  /** For the Vary field of all responses, errors too. */
  readonly vary?: string;
  /** Never rate limited. */
  readonly isUnlimited?: boolean;
  /** If guests may order, customers have a second, lower rate limit here. */
  readonly hasGuestLimit?: boolean;
}
