/**
 * What a handler answers, and the sole writer of answers: status, header fields, bytes.
 *
 * A text that is short goes out in one piece with its header; long ones go as bytes, and those
 * that would not fit memory piece by piece, as fast as the client takes them.
 */

import type { ServerResponse } from "node:http";
import type { Problem } from "../problem.ts";
import { withoutTokens } from "../redact.ts";

/** Name, value, name, value … */
export type HeaderList = readonly string[];

export interface Reply {
  readonly status: number;
  /** Beyond the ones every answer has. Content-Length is added where it is known. */
  readonly headers: HeaderList;
  /** Undefined: none. Pieces are made as they are sent. A Live one is written as things happen. */
  readonly body?: string | Uint8Array | Iterable<string> | Live;
}

/** An answer that goes on: `start` is called once the header is sent. */
export interface Live {
  start(outlet: Outlet): void;
}

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

export const jsonType: HeaderList = ["Content-Type", "application/json; charset=utf-8"];
const problemHeaders: HeaderList = [
  ...["Content-Type", "application/problem+json; charset=utf-8"],
  ...["Cache-Control", "no-cache"],
];

/** `json`: JSON text without its final newline. */
export function jsonReply(status: number, json: string, headers: HeaderList = []): Reply {
  return { status, headers: [...jsonType, ...headers], body: `${json}\n` };
}

export function problemReply(problem: Problem): Reply {
  const headers = Object.entries(problem.headers).flat();
  const body = `${withoutTokens(JSON.stringify(problem))}\n`;
  return { status: problem.status, headers: [...problemHeaders, ...headers], body };
}

export interface Sending {
  /** All of them; may be added to. */
  readonly headers: string[];
  /** HEAD: the header alone. */
  readonly withoutBody: boolean;
  /** Called when the bytes of the answer are all handed over; until then it is not ended. */
  readonly beforeEnd?: (end: () => void) => void;
}

/** Writes the answer. Returns its body's length in bytes, as far as it is known. */
export function send(response: ServerResponse, reply: Reply, sending: Sending): number {
  const { body } = reply;
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    return sendWhole(response, reply.status, body, sending);
  }
  response.writeHead(reply.status, sending.headers);
  if (sending.withoutBody) response.end();
  else if (isLive(body)) body.start(new ResponseOutlet(response));
  else sendPieces(response, body[Symbol.iterator]());
  return 0;
}

function sendWhole(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array | undefined,
  { headers, withoutBody, beforeEnd }: Sending,
): number {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // RFC 9110 section 8.6: none in a 204; a 304's would be that of the 200.
  if (status !== 204 && status !== 304) headers.push("Content-Length", `${length}`);
  response.writeHead(status, headers);
  const content = withoutBody ? undefined : body;
  // As many bytes as UTF-16 units: ASCII, which is copied as it is.
  const encoding = content?.length === length ? "latin1" : "utf8";
  if (beforeEnd === undefined) {
    response.end(content, encoding);
  } else {
    if (content === undefined) response.flushHeaders();
    else response.write(content, encoding);
    beforeEnd(() => response.end());
  }
  return length;
}

function sendPieces(response: ServerResponse, pieces: Iterator<string>): void {
  const next = (): void => {
    for (;;) {
      const { done, value } = pieces.next();
      if (done === true) return void response.end();
      if (!response.write(value)) return void response.once("drain", next);
    }
  };
  next();
}

function isLive(body: Iterable<string> | Live): body is Live {
  return "start" in body;
}

class ResponseOutlet implements Outlet {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.flushHeaders();
  }

  write(piece: string | Uint8Array): boolean {
    // Between its end and its close there is nobody who could be told of an error.
    return this.#response.writableEnded || this.#response.write(piece);
  }

  get waitingBytes(): number {
    return this.#response.writableLength;
  }

  end(): void {
    this.#response.end();
  }

  drop(): void {
    this.#response.destroy();
  }

  onDrain(listener: () => void): void {
    this.#response.once("drain", listener);
  }

  onClose(listener: () => void): void {
    this.#response.once("close", listener);
  }
}
