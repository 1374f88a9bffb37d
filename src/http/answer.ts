/** What a handler answers: status, header fields, body. Handlers never touch the socket. */

import type { Writable } from "node:stream";
import { withoutTokens } from "../log/redact.ts";
import type { Problem } from "../problems/problem.ts";

/** Name, value, name, value …, as node's `writeHead` takes them. */
export type HeaderList = readonly string[];

/** One answer. */
export interface Answer {
  readonly status: number;
  /**
   * Content-Type, ETag, Cache-Control …: all fields but Content-Length, Vary and those that every
   * answer has.
   */
  readonly headers: HeaderList;
  /** The request fields that the answer depends on, beside those of its route. */
  readonly vary?: string;
  /** Text, bytes, pieces that are asked for one by one as they are sent, or a stream. */
  readonly body?: string | Uint8Array | Iterable<string | Uint8Array> | Stream;
  /** Whether the connection closes after it. */
  readonly closes?: boolean;
}

/**
 * A body that goes on until somebody ends it: called once with where to write it. After `out` has
 * ended or closed, nothing is written to it.
 */
export type Stream = (out: Writable) => void;

/** RFC 8259 has no charset parameter; some clients guess without one. */
export const jsonType = "application/json; charset=utf-8";
const problemType = "application/problem+json; charset=utf-8";
/** May be stored, but must be revalidated on each use (RFC 9111 section 5.2.2.4). */
export const noCache: HeaderList = ["Cache-Control", "no-cache"];
/** Not to be stored: the answer holds a token, or everything (section 5.2.2.5). */
export const noStore: HeaderList = ["Cache-Control", "no-store"];

/** `json`: JSON text without its final newline. `headers`: beside Content-Type. */
export function jsonAnswer(status: number, json: string, headers: HeaderList): Answer {
  return { status, headers: ["Content-Type", jsonType, ...headers], body: `${json}\n` };
}

/** The problem as application/problem+json (RFC 9457). */
export function problemAnswer(problem: Problem): Answer & { readonly body: string } {
  const own = Object.entries(problem.headers).flat();
  return {
    status: problem.status,
    headers: ["Content-Type", problemType, ...noCache, ...own],
    body: `${withoutTokens(JSON.stringify(problem))}\n`,
  };
}
