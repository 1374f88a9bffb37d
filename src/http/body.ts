/** The bytes of a request to an unknown value: 415, 413, 408, UTF-8, JSON (RFC 8259). */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { bounds } from "../model.ts";
import { Problem } from "../problem.ts";
import { onBrokenBody } from "./connections.ts";
import { announcesBody, type RequestFields } from "./request-fields.ts";

/** The sender went away, or sent what is no HTTP: there is nobody to answer, or it is answered. */
export class BodyAborted extends Error {}

/**
 * Whether the body is labelled as JSON. Labels that clients put on a bare string count as none:
 * curl -d says x-www-form-urlencoded, fetch says text/plain.
 */
const jsonTypes =
  /^(application\/(json|x-www-form-urlencoded|[\w!#$&^.-]+\+json)|text\/plain|[\w!#$&^.-]+\/[\w!#$&^.-]+\+json)$/i;
/** Of a PATCH, as Accept-Patch says (RFC 7396). */
export const patchType = "application/merge-patch+json";
const charsetUtf8 = /^"?utf-?8"?$/i;

/**
 * Throws Problem 415, which says what is accepted (RFC 9110 section 15.5.16); of a PATCH in
 * Accept-Patch (RFC 5789 section 2.2).
 */
export function requireJsonType(
  { contentType, contentEncoding }: RequestFields,
  method: string,
): void {
  if (contentEncoding !== undefined && !/^(identity)?$/i.test(contentEncoding.trim())) {
    throw new Problem(
      "unsupported-media-type",
      `expected a body without Content-Encoding, got "${contentEncoding}": send it uncompressed`,
      { headers: { "Accept-Encoding": "identity" } },
    );
  }
  if (contentType === undefined || contentType === "application/json") return;
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  if (type !== "" && !jsonTypes.test(type)) throw wrongType(contentType, method);
  for (const parameter of parameters) {
    const [name = "", value = ""] = parameter.split("=").map((part) => part.trim());
    if (/^charset$/i.test(name) && !charsetUtf8.test(value)) throw wrongType(contentType, method);
  }
}

function wrongType(contentType: string, method: string): Problem {
  return new Problem(
    "unsupported-media-type",
    `expected Content-Type: application/json in UTF-8, got "${contentType.slice(0, 200)}"`,
    {
      headers:
        method === "PATCH" ? { "Accept-Patch": patchType } : { Accept: "application/json" },
    },
  );
}

/** Throws Problem 413 when the declared length is beyond the limit. */
export function requireLength({ contentLength }: RequestFields, limitBytes: number): void {
  if (contentLength !== undefined && Number(contentLength) > limitBytes) {
    throw tooLarge(limitBytes, `${contentLength} bytes`);
  }
}

function tooLarge(limitBytes: number, got: string): Problem {
  return new Problem("body-too-large", `expected a body of at most ${limitBytes} bytes, got ${got}`);
}

/** Of a body that is read. */
export interface BodyLimits {
  readonly limitBytes: number;
  readonly timeoutMs: number;
}

/** Resolves to all bytes. Rejects with Problem 413 or 408, or with BodyAborted. */
export async function readBytes(
  request: IncomingMessage,
  fields: RequestFields,
  limits: BodyLimits,
): Promise<Buffer> {
  if (!announcesBody(fields)) return Buffer.alloc(0);
  // Once this tick is over, node has parsed what came together with the header: mostly all of it.
  // It is there to be taken, without the timer and the events that would cost as much as a read.
  await undefined;
  const isHere = request.readableLength > 0 && `${request.readableLength}` === fields.contentLength;
  if (!isHere) return readPieces(request, limits);
  const pieces = takeBuffered(request);
  // Lets it end.
  request.resume();
  return joined(pieces);
}

/** What has come, in the pieces that it came in: newer Nodes give out one at a time. */
function takeBuffered(request: IncomingMessage): Buffer[] {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece: Buffer | null = request.read();
    if (piece === null) return pieces;
    pieces.push(piece);
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only = Buffer.alloc(0), ...others] = pieces;
  return others.length === 0 ? only : Buffer.concat(pieces);
}

function readPieces(
  request: IncomingMessage,
  { limitBytes, timeoutMs }: BodyLimits,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    let isOver = false;
    // The listeners stay: taking them off one by one costs more than what they then ignore.
    const over = (): boolean => {
      if (isOver) return true;
      isOver = true;
      clearTimeout(timer);
      forgetBroken();
      return false;
    };
    const fail = (error: Error): void => {
      if (!over()) reject(error);
    };
    const timer = setTimeout(() => {
      const seconds = timeoutMs / 1_000;
      fail(new Problem("request-timeout", `expected the whole body within ${seconds} s`));
    }, timeoutMs);
    const forgetBroken = onBrokenBody(request, fail);
    // Of every request at its end: an error costs a stack, so it is made only where it is needed.
    const onCut = (): void => {
      if (!isOver) fail(new BodyAborted("the body ended too early"));
    };
    request.on("data", (piece: Buffer) => {
      length += piece.length;
      if (length > limitBytes) fail(tooLarge(limitBytes, "more"));
      else if (!isOver) pieces.push(piece);
    });
    request.on("end", () => {
      if (!over()) resolve(joined(pieces));
    });
    request.on("close", onCut).on("error", onCut);
  });
}

/** Of a body that nobody reads. */
export interface DropLimits {
  readonly limitBytes: number;
  readonly timeoutMs: number;
}

/**
 * Reads the rest of a body and drops it, so that a client in the middle of sending it sees the
 * answer and not a reset. Calls `done` once: true when the body has ended, false when it is too
 * long, too slow or broken, and the connection is of no more use.
 */
export function dropBody(
  request: IncomingMessage,
  { limitBytes, timeoutMs }: DropLimits,
  done: (hasEnded: boolean) => void,
): void {
  let length = 0;
  const finish = (hasEnded: boolean) => (): void => {
    clearTimeout(timer);
    forgetBroken();
    request.off("data", onData).off("end", onEnd).off("close", onCut).off("error", onCut);
    done(hasEnded);
  };
  const onEnd = finish(true);
  const onCut = finish(false);
  const onData = (piece: Buffer): void => {
    length += piece.length;
    if (length > limitBytes) onCut();
  };
  const timer = setTimeout(onCut, timeoutMs);
  const forgetBroken = onBrokenBody(request, onCut);
  request.on("data", onData).on("end", onEnd).on("close", onCut).on("error", onCut);
  request.resume();
}

const byteOrderMark = "\ufeff";

/** Throws Problem 400 "invalid-json". */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalidJson("got an empty body");
  if (!isUtf8(bytes)) throw invalidJson("got bytes that are not UTF-8");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  } catch (error) {
    throw invalidJson(`got a syntax error: ${syntaxError(error)}`);
  }
  if (isDeeperThan(bounds.nesting, value)) {
    throw invalidJson(`got more than ${bounds.nesting} levels of nesting`);
  }
  return value;
}

function invalidJson(got: string): Problem {
  return new Problem("invalid-json", `expected JSON (RFC 8259) in UTF-8, ${got}`, {
    errors: [{ pointer: "#", detail: `expected JSON, ${got}` }],
  });
}

/** Where it is wrong; without the piece of the body that newer engines quote. */
function syntaxError(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const place = /position \d+( \(line \d+ column \d+\))?/.exec(message)?.[0];
  if (place !== undefined) return `unexpected text at ${place}`;
  return /end of JSON/.test(message) ? "the text ends too early" : "unexpected text";
}

/** An array or object on level 33 is too deep; what it holds is not looked at. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const below = (member: unknown): boolean =>
    typeof member === "object" && isDeeperThan(levels - 1, member);
  return Array.isArray(value) ? value.some(below) : Object.values(value).some(below);
}
