/**
 * What a client is told when something cannot be done: the rows of RFC 9457 problem types, and the
 * one error class that carries them. `answers.ts` turns a thrown Problem into an answer.
 */

/** Every problem type: the row's HTTP status and its title. `type` is "/problems/" and the key. */
const rows = {
  "invalid-body": { status: 400, title: "The body does not fit the resource" },
  "invalid-json": { status: 400, title: "The body is not JSON" },
  "invalid-query": { status: 400, title: "The query is not understood" },
  "malformed-request": { status: 400, title: "The HTTP request is malformed" },
  "not-authenticated": { status: 401, title: "A valid token is needed" },
  forbidden: { status: 403, title: "Your role may not do this" },
  "not-found": { status: 404, title: "Not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed here" },
  "request-timeout": { status: 408, title: "The request took too long to arrive" },
  "id-taken": { status: 409, title: "The id is taken" },
  "status-not-allowed": { status: 409, title: "The order cannot go to that status" },
  "order-closed": { status: 409, title: "The order is closed" },
  "shop-closed": { status: 409, title: "The shop is closed" },
  "sold-out": { status: 409, title: "Something in the order is sold out" },
  "precondition-failed": { status: 412, title: "The resource is not in the state you named" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": {
    status: 415,
    title: "The body's media type or encoding is not supported",
  },
  "rate-limited": { status: 429, title: "Too many requests" },
  "headers-too-large": { status: 431, title: "The request line and headers are too large" },
  internal: { status: 500, title: "Something went wrong inside the server" },
  "storage-unavailable": { status: 503, title: "Writes cannot be stored right now" },
} as const;

/** The last part of a problem's type: "/problems/not-found". */
export type ProblemType = keyof typeof rows;

/** Status and title, by type. */
export const problemTypes: Readonly<
  Record<ProblemType, { readonly status: number; readonly title: string }>
> = rows;

/** One thing that is wrong with a body or a query. */
export type Fault = BodyFault | QueryFault;

/** `pointer`: RFC 6901 section 6, "#/toppings/0/id". */
export interface BodyFault {
  readonly pointer: string;
  readonly detail: string;
}

/** `parameter`: the name of one. */
export interface QueryFault {
  readonly parameter: string;
  readonly detail: string;
}

/** Members beside RFC 9457's own. */
export interface ProblemExtensions {
  readonly errors?: readonly Fault[];
  readonly allowed?: readonly string[];
  readonly identical?: boolean;
}

export interface ProblemOptions extends ProblemExtensions {
  /** Sent with the answer: Allow, Location, Retry-After, WWW-Authenticate … */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal meant for the client. `detail` is enough on its own for a person. */
export class Problem extends Error {
  override readonly name = "Problem";
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
    const type = `/problems/${this.type}`;
    return { type, title, status, detail: this.message, ...this.extensions };
  }
}
