/** The error class for the client. A thrown Problem becomes the response (RFC 9457). */

import type { BodyFault } from "./faults.ts";
import { type ProblemType, problemTypes } from "./problem-types.ts";

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
  /** Sent with the response: Allow, Location, Retry-After, WWW-Authenticate … */
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
    const type = `/problems/${this.type}`;
    return { type, title, status, detail: this.message, ...this.extensions };
  }
}
