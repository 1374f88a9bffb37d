/**
 * What a handler answers: status, header fields, body. send.ts writes it. Header fields are the
 * text that goes over the wire (RFC 9112 section 2.1).
 */

import type { Writable } from "node:stream";
import { withoutTokens } from "../log/redact.ts";
import type { Problem } from "../problems/problem.ts";

/**
 * Header fields, one per line: "Allow: GET, HEAD\r\n". Made by `headLine`, or of values known to
 * be safe.
 */
export type HeadLines = string;

/** What a field's value may not hold: RFC 9110 section 5.5. */
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws Error for a value that would end its line, or is no Latin-1. */
export function headLine(name: string, value: string): HeadLines {
  if (notInValue.test(value)) {
    throw new Error(`the value of ${name} has a character that no field value may have`);
  }
  return `${name}: ${value}\r\n`;
}

/** One answer. */
export interface Reply {
  readonly status: number;
  /** The media type of the body. */
  readonly type?: string;
  /** Further fields, beyond those that every answer has and Content-Length where it is known. */
  readonly head: HeadLines;
  readonly etag?: string;
  /** The request fields that the answer depends on, beside those of its route. */
  readonly vary?: string;
  /** Whether the connection closes after it. */
  readonly closes?: boolean;
  /**
   * Undefined: none. Pieces are asked for one by one, as they are sent. A Live one is written as
   * things happen.
   */
  readonly body?: string | Uint8Array | Iterable<string | Uint8Array> | Live;
  /** What it tells of, where something has gone wrong. */
  readonly problem?: Problem;
}

/**
 * An answer that goes on: given where to write it, once its header is sent. Between the end and the
 * close of that there is nobody who could be told of an error: nothing is written any more.
 */
export type Live = (answer: Writable) => void;

/** RFC 8259 has no charset parameter; some clients guess without one. */
export const jsonType = "application/json; charset=utf-8";
const problemType = "application/problem+json; charset=utf-8";
/** May be stored, but must be revalidated on each use (RFC 9111 section 5.2.2.4). */
export const noCache: HeadLines = headLine("Cache-Control", "no-cache");
/** Kept by nobody: there is a token, or everything, in it (section 5.2.2.5). */
export const noStore: HeadLines = headLine("Cache-Control", "no-store");

/** `json`: JSON text without its final newline. */
export function jsonReply(status: number, json: string, head: HeadLines): Reply {
  return { status, type: jsonType, head, body: `${json}\n` };
}

/** The problem as application/problem+json (RFC 9457). */
export function problemReply(problem: Problem): Reply & { readonly body: string } {
  const lines = Object.entries(problem.headers).map(([name, value]) => headLine(name, value));
  const body = `${withoutTokens(JSON.stringify(problem))}\n`;
  const head = noCache + lines.join("");
  return { status: problem.status, type: problemType, head, body, problem };
}

/** A query as it may stand in a Link or a Location: what is no part of a URI, percent-encoded. */
export function uriQuery(query: string): string {
  return query.replaceAll(/[^\w\-.~!$&'()*+,;=:@/?%]/g, encodeURIComponent);
}
