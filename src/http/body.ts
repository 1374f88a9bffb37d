/**
 * Receives the body of a request, at most 64 KiB on most routes. A Content-Type is optional, but
 * must not name another format than JSON.
 */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { MIMEType } from "node:util";
import { Problem } from "../problems/problem.ts";

/** The client has gone, so there is nobody to answer. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
}

/** The most bytes of a body, unless its handler asks for more. */
export const usualBytes = 65_536;
/** The most that a handler may ask for. */
export const mostBytes = 131_072;
/**
 * Each piece takes processor time, however few bytes it has. Python's json.iterencode makes a
 * thousand of a large order.
 */
const maxPieces = 2_048;

/** The part of a body that is read and dropped, if it is too large or its request was answered. */
const maxDroppedBytes = 8_388_608;
const maxDroppedPieces = 8_192;

/** The body of a request on its way. */
export interface Body {
  /** The bytes of memory that it holds until it is dropped. */
  readonly size: number;
  /** Called when it is dropped. */
  onDrop: () => void;
  /** The whole body of up to `maxBytes`, or why there is none. Never rejects. */
  received(maxBytes: number): Promise<Received>;
  /** Frees its memory, once it was parsed or answered. What still arrives is dropped. */
  drop(): void;
  /** True once all of it has arrived. */
  readonly isComplete: boolean;
  /** Drops the rest. Calls `then` once it has arrived, or nothing of it comes any more. */
  afterRest(then: () => void): void;
}

type Received = Buffer | "too large" | "too many pieces" | "aborted";

/** The body of a request without one. */
export const noBody: Body = {
  size: 0,
  onDrop() {},
  received: async () => Buffer.alloc(0),
  drop() {},
  isComplete: true,
  afterRest: (then) => then(),
};

/** Throws Problem 413 if the declared length is beyond the limit. */
export function requireLength(
  { "content-length": length }: IncomingHttpHeaders,
  maxBytes: number,
): void {
  if (Number(length) > maxBytes) throw tooLarge(maxBytes, `${length} bytes`);
}

/**
 * Receives the body into one buffer. Make it when the request arrives: another listener for "data"
 * may start the flow. What comes after the answer is read and dropped, so that a client that is
 * still sending sees the answer and not a reset. After 8 MiB of that the connection is closed.
 */
export class IncomingBody implements Body {
  readonly size: number;
  onDrop: () => void = () => {};
  readonly #request: IncomingMessage;
  readonly #restMs: number;
  readonly #received: Promise<Received>;
  #settle!: (received: Received) => void;
  #bytes: Buffer | undefined;
  #maxBytes = mostBytes;
  #length = 0;
  #pieces = 0;

  /** `restMs`: the time without a piece after which no more is expected. */
  constructor(request: IncomingMessage, restMs: number) {
    const declared = Number(request.headers["content-length"] ?? usualBytes);
    this.size = Math.min(declared, mostBytes);
    this.#request = request;
    this.#restMs = restMs;
    this.#bytes = Buffer.allocUnsafe(this.size);
    this.#received = new Promise((resolve) => (this.#settle = resolve));
    request.on("data", (piece: Buffer) => this.#take(piece));
    request.on("end", () => this.#settle(this.#bytes?.subarray(0, this.#length) ?? "aborted"));
    request.on("close", () => this.#settle("aborted"));
  }

  get isComplete(): boolean {
    return this.#request.readableEnded;
  }

  received(maxBytes: number): Promise<Received> {
    this.#maxBytes = maxBytes;
    if (this.#length > maxBytes) this.#settle("too large");
    return this.#received;
  }

  drop(): void {
    if (this.#bytes === undefined) return;
    this.#bytes = undefined;
    this.onDrop();
  }

  afterRest(then: () => void): void {
    this.drop();
    const silence = setTimeout(then, this.#restMs);
    this.#request.on("data", () => silence.refresh());
    this.#request.on("close", () => {
      clearTimeout(silence);
      then();
    });
  }

  #take(piece: Buffer): void {
    const end = this.#length + piece.length;
    if (this.#bytes !== undefined && end <= this.#maxBytes) {
      if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], mostBytes);
      piece.copy(this.#bytes, this.#length);
    }
    this.#length = end;
    this.#pieces += 1;
    if (end > this.#maxBytes) this.#settle("too large");
    if (this.#pieces > maxPieces) this.#settle("too many pieces");
    const isTooMuch = end > this.#maxBytes + maxDroppedBytes || this.#pieces > maxDroppedPieces;
    if (isTooMuch) this.#request.destroy();
  }
}

/** `maxBytes`: as it was received. Throws Problem 413, or BodyAborted. */
export function requireReceived(received: Received, maxBytes: number): Buffer {
  if (received === "aborted") throw new BodyAborted("the body ended too early");
  if (received === "too large") throw tooLarge(maxBytes, "more");
  if (received === "too many pieces") throw tooManyPieces();
  return received;
}

function tooLarge(maxBytes: number, got: string): Problem {
  return new Problem("body-too-large", `expected a body of at most ${maxBytes} bytes, got ${got}`);
}

function tooManyPieces(): Problem {
  const detail =
    `expected a body in at most ${maxPieces} pieces, got more: send it in larger chunks, or ` +
    "whole with a Content-Length";
  return new Problem("body-too-large", detail, { headers: { Connection: "close" } });
}

/**
 * Media types that are read as JSON. They include the defaults of clients that send a plain string:
 * curl -d sends x-www-form-urlencoded, fetch sends text/plain.
 */
const jsonTypes = /^(application\/(json|x-www-form-urlencoded)|text\/plain|.+\+json)$/;
/** The media type for PATCH, as in Accept-Patch (RFC 7396). */
export const patchType = "application/merge-patch+json";

/**
 * Throws Problem 415 for a Content-Encoding, and for a Content-Type that is not JSON. The response
 * names what is accepted (RFC 9110 section 15.5.16, RFC 5789 section 2.2).
 */
export function requireJsonType(headers: IncomingHttpHeaders): void {
  const { "content-type": type = "", "content-encoding": coding = "" } = headers;
  if (!/^(identity)?$/i.test(coding.trim())) {
    const got = coding.slice(0, 200);
    throw unsupported(`a body without Content-Encoding, got "${got}": send it uncompressed`);
  }
  if (type === "" || isJsonType(type)) return;
  throw unsupported(`Content-Type: application/json in UTF-8, got "${type.slice(0, 200)}"`);
}

function unsupported(expected: string): Problem {
  const accepted = { "Accept": "application/json", "Accept-Patch": patchType };
  return new Problem("unsupported-media-type", `expected ${expected}`, {
    headers: { ...accepted, "Accept-Encoding": "identity" },
  });
}

/** MIMEType takes time that grows with the square of the spaces in the text. */
const maxTypeLength = 200;

function isJsonType(contentType: string): boolean {
  if (contentType === "application/json") return true;
  if (contentType.length > maxTypeLength) return false;
  try {
    const { essence, params } = new MIMEType(contentType);
    return jsonTypes.test(essence) && /^utf-?8$/i.test(params.get("charset") ?? "utf-8");
  } catch {
    // Not a media type.
    return false;
  }
}
