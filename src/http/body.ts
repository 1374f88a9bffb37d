/** The body of a request: read up to a length and a time, or dropped. */

import type { IncomingMessage } from "node:http";
import { Problem } from "../problems/problem.ts";
import { endStream } from "./node-internals.ts";
import { announcesBody, type RequestFields } from "./request-fields.ts";

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

/** What is read of a body that nobody wants, so that its sender sees the answer and not a reset. */
const dropLimits: BodyLimits = { limitBytes: 1_048_576, timeoutMs: 2_000 };

/** One request's. */
export class Body {
  /** Whether one was announced that nobody has read to its end. */
  isUnread: boolean;
  readonly #request: IncomingMessage;
  readonly #fields: RequestFields;
  readonly #invite: (() => void) | undefined;
  /** What the parser has refused its rest with. */
  #failure: Problem | undefined;
  #onFailure: ((problem: Problem) => void) | undefined;

  /** `invite` sends 100 Continue; undefined: the client waits for no such thing. */
  constructor(request: IncomingMessage, fields: RequestFields, invite?: () => void) {
    this.#request = request;
    this.#fields = fields;
    this.#invite = invite;
    this.isUnread = announcesBody(fields);
    if (!this.isUnread) endStream(request);
  }

  /** Resolves to all bytes. Rejects with Problem 413, 408 or 400, or with BodyAborted. */
  async read(limits: BodyLimits): Promise<Buffer> {
    if (!this.isUnread) return Buffer.alloc(0);
    requireLength(this.#fields, limits.limitBytes);
    this.#invite?.();
    // A module that was loaded before listens already: it flows, and has to be listened to now.
    const flows = this.#request.readableFlowing !== null;
    const arrived = flows ? undefined : await this.#arrived();
    const pieces = arrived ?? (await this.#collected(limits));
    this.isUnread = false;
    const [only = Buffer.alloc(0), ...others] = pieces;
    return others.length === 0 ? only : Buffer.concat(pieces);
  }

  /**
   * All of it, if it is here once this tick is over: then node has parsed what came together with
   * the header. It is taken without the timer and the events that would cost as much as a read.
   */
  async #arrived(): Promise<Buffer[] | undefined> {
    const request = this.#request;
    await undefined;
    const { readableLength } = request;
    if (readableLength === 0 || `${readableLength}` !== this.#fields.contentLength) return undefined;
    const pieces: Buffer[] = [];
    // Newer nodes give out one piece at a time.
    for (;;) {
      const piece: Buffer | null = request.read();
      if (piece === null) break;
      pieces.push(piece);
    }
    endStream(request);
    return pieces;
  }

  async #collected(limits: BodyLimits): Promise<Buffer[]> {
    const pieces: Buffer[] = [];
    await this.#flow(limits, (piece) => pieces.push(piece));
    return pieces;
  }

  /** Whether its rest can be dropped: it is not known to be too long, and will be sent. */
  get isWorthDropping(): boolean {
    const { contentLength = 0 } = this.#fields;
    return this.#invite === undefined && Number(contentLength) <= dropLimits.limitBytes;
  }

  /**
   * Reads the rest and drops it. Resolves to false when it is too long, too slow or broken: the
   * connection is of no more use.
   */
  drop(): Promise<boolean> {
    return this.#flow(dropLimits, () => {}).then(() => true, () => false);
  }

  /** The parser has refused the rest, which gets no answer of its own: that is what comes of it. */
  fail(problem: Problem): void {
    this.#failure = problem;
    this.#onFailure?.(problem);
  }

  #flow({ limitBytes, timeoutMs }: BodyLimits, take: (piece: Buffer) => void): Promise<void> {
    const request = this.#request;
    return new Promise((resolve, reject) => {
      // The piece beyond a limit was the last one: "end" was emitted, and will not come again.
      if (request.readableEnded) return resolve();
      if (this.#failure !== undefined) return reject(this.#failure);
      let length = 0;
      let isOver = false;
      // The listeners stay: taking them off one by one costs more than what they then ignore.
      const over = (): boolean => {
        if (isOver) return true;
        isOver = true;
        clearTimeout(timer);
        this.#onFailure = undefined;
        return false;
      };
      const fail = (error: Error): void => {
        if (!over()) reject(error);
      };
      const timer = setTimeout(() => {
        const seconds = timeoutMs / 1_000;
        fail(new Problem("request-timeout", `expected the whole body within ${seconds} s`));
      }, timeoutMs);
      this.#onFailure = fail;
      // Called at the end of every request: an error costs a stack, so only where it is needed.
      const onCut = (): void => {
        if (!isOver) fail(new BodyAborted("the body ended too early"));
      };
      request.on("data", (piece: Buffer) => {
        length += piece.length;
        if (length > limitBytes) fail(tooLarge(limitBytes, "more"));
        else if (!isOver) take(piece);
      });
      request.on("end", () => {
        if (!over()) resolve();
      });
      request.on("close", onCut).on("error", onCut);
    });
  }
}
