/**
 * The sole writer of answers. A short one goes out in one piece, header and all; long ones go as
 * bytes, and those that would not fit memory piece by piece, as fast as the client takes them.
 */

import type { ServerResponse } from "node:http";
import { setHeadText } from "./node-internals.ts";
import { type HeadLines, headText, type Outlet, pairsOf, type Reply } from "./reply.ts";
import { inTurn } from "./turns.ts";

/** What belongs to this one sending of a reply. */
export interface Sending {
  /** All fields but Content-Length and Connection. */
  readonly head: HeadLines;
  /** HEAD: the header alone. */
  readonly withoutBody: boolean;
  /** How long the connection is kept after this answer; undefined: it is closed. */
  readonly keepAlive: HeadLines | undefined;
  /** Called when the bytes of the answer are all handed over; until then it is not ended. */
  readonly beforeEnd: ((end: () => void) => void) | undefined;
  /** Told what the pieces of a body have thrown after the first of them. */
  readonly onBroken: (error: unknown) => void;
}

/** Writes the answer. Returns its body's length in bytes, as far as it is known. */
export function send(response: ServerResponse, reply: Reply, sending: Sending): number {
  const { status, body } = reply;
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    return sendWhole(response, status, body, sending);
  }
  writeHead(response, status, sending.head, sending.keepAlive === undefined);
  if (sending.withoutBody) response.end();
  else if (typeof body === "function") body(new ResponseOutlet(response));
  else sendPieces(response, body[Symbol.iterator](), sending);
  return 0;
}

function sendWhole(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array | undefined,
  { head, withoutBody, keepAlive, beforeEnd }: Sending,
): number {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // RFC 9110 section 8.6: none in a 204; a 304's would be that of the 200.
  const lines = status === 204 || status === 304 ? head : `${head}Content-Length: ${length}\r\n`;
  const content = withoutBody ? undefined : body;
  if (keepAlive !== undefined && beforeEnd === undefined && typeof content !== "object") {
    if (endAsText(response, status, lines + keepAlive, content, length)) return length;
  }
  writeHead(response, status, lines + (keepAlive ?? ""), keepAlive === undefined);
  if (beforeEnd === undefined) {
    response.end(content);
  } else {
    if (content === undefined) response.flushHeaders();
    else response.write(content);
    beforeEnd(() => response.end());
  }
  return length;
}

/** A whole short answer as it goes over the wire, for a connection that closes after it. */
export function closingAnswer(reply: Reply & { readonly body: string }, head: HeadLines): string {
  const framing = `Content-Length: ${Buffer.byteLength(reply.body)}\r\nConnection: close\r\n`;
  return headText(reply.status, reply.head + head + framing) + reply.body;
}

function writeHead(
  response: ServerResponse,
  status: number,
  lines: HeadLines,
  closes: boolean,
): void {
  response.writeHead(status, pairsOf(closes ? `${lines}Connection: close\r\n` : lines));
}

/** A longer text is not worth being copied after its header: bytes, made once, are better. */
const shortText = 65_536;

/** Ends the answer with header and body in one text and one write; false: it cannot be done. */
function endAsText(
  response: ServerResponse,
  status: number,
  lines: HeadLines,
  body: string | undefined,
  length: number,
): boolean {
  if (length > shortText) return false;
  const head = headText(status, `${lines}Connection: keep-alive\r\n`);
  if (!setHeadText(response, status, head + bytesAsText(body ?? "", length))) return false;
  response.end();
  return true;
}

/** The UTF-8 bytes of a text, a character each. */
function bytesAsText(text: string, bytes: number): string {
  return text.length === bytes ? text : Buffer.from(text).toString("latin1");
}

/**
 * A piece is asked for when the client has taken the last one, in a turn to come: node says of a
 * client that keeps up that it has taken it at once, and nobody else would have a turn.
 */
function sendPieces(
  response: ServerResponse,
  pieces: Iterator<string | Uint8Array>,
  { beforeEnd = (end) => end(), onBroken }: Sending,
): void {
  const next = (): void => {
    if (response.destroyed) return;
    const { done, value } = pieces.next();
    if (done === true) beforeEnd(() => void response.end());
    else if (response.write(value)) goOn();
    else response.once("drain", goOn);
  };
  const goOn = (): void => {
    inTurn(() => {
      try {
        next();
      } catch (error) {
        onBroken(error);
      }
    });
  };
  goOn();
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
