/**
 * What a handler answers: status, header fields, body. send.ts writes it. Header fields are the
 * text that goes over the wire (RFC 9112 section 2.1).
 */

import { withoutTokens } from "../log/redact.ts";
import type { Problem } from "../problems/problem.ts";
import { http } from "./node-internals.ts";

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
}

/** An answer that goes on: called once the header is sent. */
export type Live = (outlet: Outlet) => void;

/** Where a Live answer goes. */
export interface Outlet {
  /** False when the client should take what it has been given before it is given more. */
  write(piece: string | Uint8Array): boolean;
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number;
  /** Calls the listener once, when the client has taken everything. */
  onDrain(listener: () => void): void;
  /** Ends the answer. */
  end(): void;
  /** Breaks the connection off. */
  drop(): void;
  onClose(listener: () => void): void;
}

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
  return { status: problem.status, type: problemType, head: noCache + lines.join(""), body };
}

/** A query as it may stand in a Link or a Location: what is no part of a URI, percent-encoded. */
export function uriQuery(query: string): string {
  return query.replaceAll(/[^\w\-.~!$&'()*+,;=:@/?%]/g, encodeURIComponent);
}

/** The whole header: status line, fields, Date, and the empty line behind them. */
export function headText(status: number, lines: HeadLines): string {
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines}Date: ${httpDate()}\r\n\r\n`;
}

/** Name, value, name, value … as node's writeHead takes them. */
export function pairsOf(lines: HeadLines): string[] {
  return lines
    .split("\r\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const cut = line.indexOf(": ");
      return [line.slice(0, cut), line.slice(cut + 2)];
    });
}

let second = -1;
let date = "";

/** RFC 9110 section 5.6.7, made once a second. */
function httpDate(): string {
  const nowMs = Date.now();
  const now = Math.floor(nowMs / 1_000);
  if (now !== second) {
    second = now;
    date = new Date(nowMs).toUTCString();
  }
  return date;
}
