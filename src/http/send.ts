/**
 * The sole writer of answers. A short one goes out in one piece, header and all; long ones go as
 * bytes, and those that would not fit memory piece by piece, as fast as the client takes them.
 */

import type { ServerResponse } from "node:http";
import type { Exchange } from "./exchange.ts";
import { http, setHeadText } from "./node-internals.ts";
import type { Answer, HeaderList } from "./answer.ts";
import { turn } from "./turns.ts";

/** Header fields, one per line: "Allow: GET, HEAD\r\n". */
export type HeadLines = string;

/** What a field's value may not hold: RFC 9110 section 5.5. */
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws Error for a value that would end its line, or is no Latin-1. */
export function headLines(headers: HeaderList): HeadLines {
  let lines = "";
  for (let index = 0; index < headers.length; index += 2) {
    const [name = "", value = ""] = [headers[index], headers[index + 1]];
    if (notInValue.test(value)) {
      throw new Error(`the value of ${name} has a character that no field value may have`);
    }
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** What is the same of all answers. */
export interface Sending {
  /** Says how long the connection is kept after an answer that does not close it. */
  readonly keepAlive: HeadLines;
  /** Told what was thrown when the header had been sent. */
  onBroken(exchange: Exchange, error: unknown): void;
}

/** A longer text is not worth being copied after its header: bytes, made once, are better. */
const shortText = 65_536;

/**
 * Writes the answer. Returns its body's length in bytes, as far as it is known. `lines`: all fields
 * but those that say how long it is and what becomes of the connection.
 */
export function send(
  exchange: Exchange,
  reply: Answer,
  lines: HeadLines,
  { keepAlive, onBroken }: Sending,
): number {
  const { response, method, closes } = exchange;
  const { status, body } = reply;
  const connection = closes ? "Connection: close\r\n" : keepAlive;
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    // RFC 9110 section 8.6: none in a 204; a 304's would be that of the 200.
    const size = status === 204 || status === 304 ? "" : `Content-Length: ${length}\r\n`;
    const all = lines + size + connection;
    const content = method === "HEAD" ? undefined : body;
    const isText = !closes && !(content instanceof Uint8Array) && length <= shortText;
    const isUnread = exchange.body?.isUnread === true;
    if (!isText || isUnread || !endAsText(response, status, all, content ?? "", length)) {
      writeHead(response, status, all);
      end(exchange, content).catch((error: unknown) => onBroken(exchange, error));
    }
    return length;
  }
  writeHead(response, status, closes ? lines + connection : lines);
  if (method === "HEAD") {
    response.end();
  } else if (typeof body === "function") {
    response.flushHeaders();
    body(response);
  } else {
    sendPieces(exchange, body).catch((error: unknown) => onBroken(exchange, error));
  }
  return 0;
}

/** A whole short answer as it goes over the wire, for a connection that closes after it. */
export function closingAnswer(
  reply: Answer & { readonly body: string },
  head: HeadLines,
): string {
  const framing = `Content-Length: ${Buffer.byteLength(reply.body)}\r\nConnection: close\r\n`;
  return headText(reply.status, head + framing) + reply.body;
}

function writeHead(response: ServerResponse, status: number, lines: HeadLines): void {
  response.writeHead(status, pairsOf(lines));
}

/** Name, value, name, value … as node takes them, who then writes the header itself. */
function pairsOf(lines: HeadLines): string[] {
  const fields = lines.matchAll(/(.+?): (.*)\r\n/g);
  return [...fields].flatMap(([, name = "", value = ""]) => [name, value]);
}

/** Ends the answer with header and body in one text and one write; false: it cannot be done. */
function endAsText(
  response: ServerResponse,
  status: number,
  lines: HeadLines,
  body: string,
  length: number,
): boolean {
  const head = headText(status, `${lines}Connection: keep-alive\r\n`);
  // The UTF-8 bytes of the body, a character each.
  const bytes = body.length === length ? body : Buffer.from(body).toString("latin1");
  if (!setHeadText(response, status, head + bytes)) return false;
  response.end();
  return true;
}

/** Ends the answer; where nobody has read the request's body to its end, behind that. */
async function end(
  { request, response, body }: Exchange,
  content: string | Uint8Array | undefined,
): Promise<void> {
  if (body?.isUnread !== true) return void response.end(content);
  if (content === undefined) response.flushHeaders();
  else response.write(content);
  const hasEnded = await body.drop();
  response.end();
  if (!hasEnded) request.socket.destroySoon();
}

/**
 * A piece is asked for when the client has taken the last one, in a turn to come: node says of a
 * client that keeps up that it has taken it at once, and nobody else would have a turn.
 */
async function sendPieces(
  exchange: Exchange,
  pieces: Iterable<string | Uint8Array>,
): Promise<void> {
  const { response } = exchange;
  const source = pieces[Symbol.iterator]();
  for (;;) {
    await turn();
    if (response.destroyed) return;
    const { done, value } = source.next();
    if (done === true) return end(exchange, undefined);
    if (!response.write(value)) await new Promise((resolve) => response.once("drain", resolve));
  }
}

/** The whole header: status line, fields, Date, and the empty line behind them. */
function headText(status: number, lines: HeadLines): string {
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines}Date: ${httpDate()}\r\n\r\n`;
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
