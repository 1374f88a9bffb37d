/** The bytes of a request: read up to a length and a time, or dropped. */

import type { IncomingMessage } from "node:http";
import { Problem } from "../problems/problem.ts";
import { onBrokenBody } from "./pipelining.ts";
import { announcesBody, type RequestFields } from "./request-fields.ts";
import { endStream } from "./request-stream.ts";

/** The sender went away: nobody is left to answer. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
}

/** Throws Problem 413 when the declared length is beyond the limit. */
export function requireLength({ contentLength }: RequestFields, limitBytes: number): void {
  if (contentLength !== undefined && Number(contentLength) > limitBytes) {
    throw tooLarge(limitBytes, `${contentLength} bytes`);
  }
}

function tooLarge(limitBytes: number, got: string): Problem {
  const expected = `expected a body of at most ${limitBytes} bytes`;
  return new Problem("body-too-large", `${expected}, got ${got}`);
}

/** Limits of a body that is read or dropped. */
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
  requireLength(fields, limits.limitBytes);
  // Once this tick is over, node has parsed what came together with the header: mostly all of it.
  // It is there to be taken, without the timer and the events that would cost as much as a read.
  await undefined;
  const isHere = request.readableLength > 0 && `${request.readableLength}` === fields.contentLength;
  if (!isHere) return collectBody(request, limits);
  const pieces = takeBuffered(request);
  endStream(request);
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

function collectBody(
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
    // Called at the end of every request: an error costs a stack, so it is made only where needed.
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

/**
 * Reads the rest of a body and drops it, so that a client in the middle of sending it sees the
 * answer and not a reset. Calls `done` once: true when the body has ended, false when it is too
 * long, too slow or broken, and the connection is of no more use.
 */
export function dropBody(
  request: IncomingMessage,
  { limitBytes, timeoutMs }: BodyLimits,
  done: (hasEnded: boolean) => void,
): void {
  // The piece beyond the limit was the last one: "end" was emitted, and will not come again.
  if (request.readableEnded) return done(true);
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
