/** The response of a handler: status, header fields, body. Handlers never touch the socket. */

import type { Writable } from "node:stream";
import { withoutTokens } from "../log/redact.ts";
import type { Problem } from "../problems/problem.ts";

/** Name, value, name, value …, as node's `writeHead` takes them. */
export type HeaderList = readonly string[];

export interface Response {
  readonly status: number;
  /**
   * Content-Type, ETag, Cache-Control … send.ts adds Content-Length, Vary and the fields that are
   * in every response.
   */
  readonly headers: HeaderList;
  /** For the Vary field: request fields that the response depends on, beside the route's. */
  readonly vary?: string;
  /** Text, bytes, pieces (made one by one while the response is sent), or a stream. */
  readonly body?: string | Uint8Array | Iterable<Uint8Array> | Stream;
  /** True if the connection closes after the response. */
  readonly closes?: boolean;
}

/**
 * A body without a known end. It is called once and writes to `out` until one side ends the
 * response; it must not write after `out` has ended or closed.
 */
export type Stream = (out: Writable) => void;

/** RFC 8259 defines no charset parameter, but some clients guess wrong without it. */
export const jsonType = "application/json; charset=utf-8";
const problemType = "application/problem+json; charset=utf-8";
/** May be stored, but must be revalidated on each use (RFC 9111 section 5.2.2.4). */
export const noCache: HeaderList = ["Cache-Control", "no-cache"];
/** Must not be stored: the response has a token or a backup (section 5.2.2.5). */
export const noStore: HeaderList = ["Cache-Control", "no-store"];

/** `json`: JSON text without its final newline. `headers`: all but Content-Type. */
export function jsonResponse(status: number, json: string, headers: HeaderList): Response {
  return { status, headers: ["Content-Type", jsonType, ...headers], body: `${json}\n` };
}

/** The problem as application/problem+json (RFC 9457). */
export function problemResponse(problem: Problem): Response & { readonly body: string } {
  const own = Object.entries(problem.headers).flat();
  return {
    status: problem.status,
    headers: ["Content-Type", problemType, ...noCache, ...own],
    body: `${withoutTokens(JSON.stringify(problem))}\n`,
  };
}
