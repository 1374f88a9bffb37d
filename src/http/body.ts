/**
 * The body of a request: read up to a length and a time, or dropped; and as JSON (RFC 8259):
 * labelled as such, or not at all, in UTF-8, not nested too deep.
 */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { messageOf } from "../log/system-error.ts";
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

/**
 * Media types that are read as JSON, those among them that clients put on a bare string: curl -d
 * says x-www-form-urlencoded, fetch says text/plain.
 */
const jsonTypes =
  /^(application\/(json|x-www-form-urlencoded)|text\/plain|[\w!#$&^.-]+\/[\w!#$&^.-]+\+json)$/i;
/** The type of a PATCH, as Accept-Patch says (RFC 7396). */
export const patchType = "application/merge-patch+json";
/** Levels of arrays and objects in a body; the body itself is level 1. */
export const maxNesting = 32;
const charsetUtf8 = /^"?utf-?8"?$/i;

/**
 * Throws Problem 415 for a Content-Encoding, or for a Content-Type that is not JSON, and says what
 * is accepted (RFC 9110 section 15.5.16); of a PATCH in Accept-Patch (RFC 5789 section 2.2).
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

const byteOrderMark = "\ufeff";

/** Throws Problem 400 "invalid-json". */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalidJson("got an empty body");
  if (!isUtf8(bytes)) throw invalidJson("got bytes that are not UTF-8");
  const text = bytes.toString("utf8");
  const json = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw invalidJson(`got a syntax error: ${syntaxError(error, json)}`);
  }
  if (isDeeperThan(maxNesting, value)) {
    throw invalidJson(`got more than ${maxNesting} levels of nesting`);
  }
  return value;
}

function invalidJson(got: string): Problem {
  return new Problem("invalid-json", `expected JSON (RFC 8259) in UTF-8, ${got}`, {
    errors: [{ pointer: "#", detail: `expected JSON, ${got}` }],
  });
}

/** What the engine says, without the piece of the body that it may quote. */
function syntaxError(error: unknown, json: string): string {
  const message = messageOf(error);
  const words = /^(?:[^"]* at position (\d+)|Unexpected token '[!-~]')/;
  const [said, at] = words.exec(message) ?? ["unexpected text"];
  const endsTooEarly = at === `${json.length}` || message.endsWith("end of JSON input");
  return endsTooEarly ? "the text ends too early" : said;
}

/** An array or object on level 33 is too deep; its contents are not examined. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(levels - 1, item));
  // An array of the values, made for every body, would cost half of what parsing it does.
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) if (isDeeperThan(levels - 1, members[name])) return true;
  return false;
}
