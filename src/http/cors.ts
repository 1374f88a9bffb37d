/**
 * The CORS policy (Fetch standard, CORS protocol): pages of the origins in CORS_ORIGIN may call
 * this service and read its responses. Credentials mode is never allowed: tokens are sent in
 * Authorization, and there are no cookies.
 */

import type { Headers } from "./response.ts";

/** The origins whose pages may call; null: none but the service's own. */
export type Origins = readonly string[] | "*" | null;

const exposed: readonly string[] = [
  "Access-Control-Expose-Headers",
  "ETag, Location, Link, X-Request-Id, Retry-After",
];

/** Spelled out, because `*` would not cover Authorization. */
const preflight: Headers = {
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Accept, If-Match, If-None-Match, Last-Event-ID, X-Request-Id",
  "Access-Control-Max-Age": "600",
};

/** The fields of any response to this origin; empty if the origin is not allowed. */
export function corsHeaders(origins: Origins, origin: string | undefined): readonly string[] {
  if (!isAllowed(origins, origin)) return [];
  return ["Access-Control-Allow-Origin", origins === "*" ? "*" : `${origin}`, ...exposed];
}

/**
 * Further fields for a preflight; undefined if the origin is not allowed. `allowMethods`: a list as
 * in `Allow`.
 */
export function preflightHeaders(
  origins: Origins,
  origin: string | undefined,
  allowMethods: string,
): Headers | undefined {
  if (!isAllowed(origins, origin)) return undefined;
  return { "Access-Control-Allow-Methods": allowMethods, ...preflight };
}

function isAllowed(origins: Origins, origin: string | undefined): boolean {
  return origins === "*" || (origin !== undefined && origins?.includes(origin) === true);
}
