/**
 * The error class for the client. A thrown Problem becomes the response (RFC 9457). The table has
 * all problem types; data/problems.txt says what each means and what to do.
 */

import type { BodyFault } from "./faults.ts";

/** By the name in a problem's `type`: "/problems#not-found". */
export const problemTypes = {
  "invalid-body": { status: 400, title: "The body does not fit the resource" },
  "invalid-json": { status: 400, title: "The body is not JSON" },
  "invalid-query": { status: 400, title: "The query was not understood" },
  "not-authenticated": { status: 401, title: "A valid token is required" },
  forbidden: { status: 403, title: "Your role may not do this" },
  "not-exposed": { status: 403, title: "This server is for its own machine" },
  "not-found": { status: 404, title: "Not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed here" },
  "id-taken": { status: 409, title: "The id is taken" },
  "status-not-allowed": { status: 409, title: "The order cannot go to that status" },
  "order-closed": { status: 409, title: "The order is closed" },
  "shop-closed": { status: 409, title: "The shop is closed" },
  "sold-out": { status: 409, title: "Something in the order is sold out" },
  "too-many-devices": { status: 409, title: "There are too many devices" },
  "precondition-failed": { status: 412, title: "The resource has changed" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": {
    status: 415,
    title: "The body's media type or encoding is not supported",
  },
  "rate-limited": { status: 429, title: "Too many requests" },
  "headers-too-large": { status: 431, title: "The request has too many header fields" },
  internal: { status: 500, title: "Something went wrong in the server" },
  starting: { status: 503, title: "The server is starting" },
  "storage-unavailable": { status: 503, title: "Writes cannot be stored right now" },
} as const;

export type ProblemType = keyof typeof problemTypes;

/** One fault of a body or a query. */
type Fault = BodyFault | QueryFault;

/** `parameter`: its name. */
export interface QueryFault {
  readonly parameter: string;
  readonly detail: string;
}

/** Members beside RFC 9457's own. */
interface ProblemExtensions {
  readonly errors?: readonly Fault[];
  readonly allowed?: readonly string[];
  readonly identical?: boolean;
}

interface ProblemOptions extends ProblemExtensions {
  /** Header fields of the response, such as Allow, Location and Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error for the client. `detail` alone must be enough for a person to understand it. */
export class Problem extends Error {
  readonly type: ProblemType;
  readonly extensions: ProblemExtensions;
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: ProblemType, detail: string, options: ProblemOptions = {}) {
    const { headers = {}, ...extensions } = options;
    super(detail);
    this.type = type;
    this.extensions = extensions;
    this.headers = headers;
  }

  get status(): number {
    return problemTypes[this.type].status;
  }

  /** The `application/problem+json` body (RFC 9457 section 3.1), without its final newline. */
  toJSON(): object {
    const { status, title } = problemTypes[this.type];
    const type = `/problems#${this.type}`;
    return { type, title, status, detail: this.message, ...this.extensions };
  }
}
