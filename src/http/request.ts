/**
 * One request, as handlers see it: plain values, no sockets. The pipeline has parsed and checked
 * everything that comes before the handler, and reads the body when it is asked for it.
 */

import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "../auth/access.ts";
import type { Query } from "./query.ts";

/** What a handler is given. */
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
  /** Throws Problem 415 if the header does not announce JSON, 413 if it announces too long a body. */
  requireJson(): void;
  /** Rejects with Problem 400, 408 or 413, or with BodyAborted if the client has gone. */
  json(): Promise<unknown>;
}
