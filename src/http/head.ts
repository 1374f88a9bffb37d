/** Headers of answers as the text that goes over the wire (RFC 9112 section 2.1). */

import { STATUS_CODES } from "./node-http.ts";

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

/** A query as it may stand in a Link or a Location: what is no part of a URI, percent-encoded. */
export function uriQuery(query: string): string {
  return query.replaceAll(/[^\w\-.~!$&'()*+,;=:@/?%]/g, encodeURIComponent);
}

/** The whole header: status line, fields, Date, and the empty line behind them. */
export function headText(status: number, lines: HeadLines): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}Date: ${httpDate()}\r\n\r\n`;
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
