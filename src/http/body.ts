/**
 * The body of a request: read up to a length and a time, or dropped; and as JSON (RFC 8259):
 * labelled as such, or not at all, in UTF-8, not nested too deep.
 */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { messageOf } from "../log/system-error.ts";
import { Problem } from "../problems/problem.ts";
import { endStream } from "./node-internals.ts";
import type { RequestFields } from "./request-fields.ts";

/** The sender went away: nobody is left to answer. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
}

/** What is read of a body that nobody wants, so that its sender sees the answer and not a reset. */
const dropLimitBytes = 1_048_576;
const dropTimeoutMs = 2_000;

/** That of a request whose header announces one. */
export class Body {
  /** Whether nobody has read it to its end. */
  isUnread = true;
  /** Whether its rest is being dropped: all of the answer that comes before its end is out. */
  isDropped = false;
  readonly #request: IncomingMessage;
  readonly #contentLength: string | undefined;
  readonly #invite: (() => void) | undefined;
  /** What the parser has refused its rest with. */
  #failure: Problem | undefined;
  #onFailure: ((problem: Problem) => void) | undefined;

  /** `invite` sends 100 Continue; undefined: the client waits for no such thing. */
  constructor(
    request: IncomingMessage,
    contentLength: string | undefined,
    invite: (() => void) | undefined,
  ) {
    this.#request = request;
    this.#contentLength = contentLength;
    this.#invite = invite;
  }

  /** Throws Problem 413 when the declared length is beyond the limit. */
  requireLength(limitBytes: number): void {
    const length = this.#contentLength;
    if (Number(length) > limitBytes) throw tooLarge(limitBytes, `${length} bytes`);
  }

  /** Resolves to all bytes. Rejects with Problem 413, 408 or 400, or with BodyAborted. */
  async read(limitBytes: number, timeoutMs: number): Promise<Buffer> {
    this.requireLength(limitBytes);
    this.#invite?.();
    // A module that was loaded before listens already: it flows, and has to be listened to now.
    const flows = this.#request.readableFlowing !== null;
    let bytes = flows ? undefined : await arrived(this.#request, Number(this.#contentLength));
    if (bytes === undefined) {
      const pieces: Buffer[] = [];
      await this.#flow(limitBytes, timeoutMs, (piece) => pieces.push(piece));
      bytes = Buffer.concat(pieces);
    }
    this.isUnread = false;
    return bytes;
  }

  /** Whether its rest can be dropped: it is not known to be too long, and will be sent. */
  get isWorthDropping(): boolean {
    return this.#invite === undefined && !(Number(this.#contentLength) > dropLimitBytes);
  }

  /**
   * Reads the rest and drops it. Resolves to false when it is too long, too slow or broken: the
   * connection is of no more use.
   */
  drop(): Promise<boolean> {
    this.isDropped = true;
    return this.#flow(dropLimitBytes, dropTimeoutMs, () => {}).then(() => true, () => false);
  }

  /** The parser has refused the rest, which gets no answer of its own: that is what comes of it. */
  fail(problem: Problem): void {
    this.#failure = problem;
    this.#onFailure?.(problem);
  }

  /** Gives what comes to `take`, piece by piece. Rejects as `read` does. */
  #flow(limitBytes: number, timeoutMs: number, take: (piece: Buffer) => void): Promise<void> {
    const request = this.#request;
    return new Promise((resolve, reject) => {
      // The piece beyond a limit was the last one: "end" was emitted, and will not come again.
      if (request.readableEnded) return resolve();
      if (this.#failure !== undefined) return reject(this.#failure);
      let length = 0;
      // The listeners stay: taking them off one by one costs more than what they then ignore.
      let isOver = false;
      const over = (error?: Error): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        this.#onFailure = undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
      const timer = setTimeout(() => {
        const seconds = timeoutMs / 1_000;
        over(new Problem("request-timeout", `expected the whole body within ${seconds} s`));
      }, timeoutMs);
      this.#onFailure = over;
      // Called at the end of every request: an error costs a stack, so only where it is needed.
      const onCut = (): void => {
        if (!isOver) over(new BodyAborted("the body ended too early"));
      };
      request.on("data", (piece: Buffer) => {
        length += piece.length;
        if (length > limitBytes) over(tooLarge(limitBytes, "more"));
        else if (!isOver) take(piece);
      });
      request.on("end", () => over());
      request.on("close", onCut).on("error", onCut);
    });
  }
}

/**
 * All of a body, if it is here once this tick is over: then node has parsed what came together with
 * the header. It is taken without the timer and the events that would cost as much as a read.
 */
async function arrived(request: IncomingMessage, length: number): Promise<Buffer | undefined> {
  await undefined;
  if (request.readableLength !== length) return undefined;
  const bytes: Buffer | null = request.read(length);
  endStream(request);
  return bytes ?? undefined;
}

function tooLarge(limitBytes: number, got: string): Problem {
  const expected = `expected a body of at most ${limitBytes} bytes`;
  return new Problem("body-too-large", `${expected}, got ${got}`);
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
