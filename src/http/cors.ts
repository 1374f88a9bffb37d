/**
 * The CORS policy (Fetch standard, CORS protocol): pages of the origins in CORS_ORIGIN may call
 * this service and read its responses. Credentials mode is never allowed: tokens are sent in
 * Authorization, and there are no cookies.
 */

/** The policy for pages of other origins. */
export interface Cors {
  /** True if responses depend on the request's Origin, so that `Vary` must name it. */
  readonly varyOrigin: boolean;
  /** The fields of any response to this origin; empty if the origin is not allowed. */
  headersFor(origin: string | undefined): readonly string[];
  /**
   * Further fields of the response to a preflight; empty if the origin is not allowed.
   * `allowMethods`: a list as in `Allow`.
   */
  preflightHeaders(origin: string | undefined, allowMethods: string): readonly string[];
}

const exposed: readonly string[] = [
  "Access-Control-Expose-Headers",
  "ETag, Location, Link, X-Total-Count, X-Request-Id, Retry-After",
];

/** Spelled out, because `*` would not cover Authorization. */
const preflight: readonly string[] = [
  "Access-Control-Allow-Headers",
  "Authorization, Content-Type, Accept, If-Match, If-None-Match, Last-Event-ID, X-Request-Id",
  "Access-Control-Max-Age",
  "600",
];

/** Null if only the service's own pages may call it. */
export function createCors(origins: readonly string[] | "*" | null): Cors | null {
  if (origins === null) return null;
  const allowed = new Set(origins === "*" ? [] : origins);

  function allowOrigin(origin: string | undefined): readonly string[] {
    if (origins === "*") return ["Access-Control-Allow-Origin", "*"];
    if (origin === undefined || !allowed.has(origin)) return [];
    return ["Access-Control-Allow-Origin", origin];
  }

  return {
    varyOrigin: origins !== "*",
    headersFor(origin) {
      const allow = allowOrigin(origin);
      return allow.length === 0 ? [] : [...allow, ...exposed];
    },
    preflightHeaders(origin, allowMethods) {
      if (allowOrigin(origin).length === 0) return [];
      return ["Access-Control-Allow-Methods", allowMethods, ...preflight];
    },
  };
}
