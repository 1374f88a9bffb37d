/**
 * The body of a request: read up to a length and a time, and parsed as JSON (RFC 8259): labelled as
 * such or not at all, in UTF-8, not nested too deeply. A body that nobody reads is read and dropped
 * by node.
 */

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { messageOf } from "../log/system-error.ts";
import { Problem } from "../problems/problem.ts";

/** The sender went away: nobody is left to answer. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
}

/** Throws Problem 413 if the declared length is beyond the limit. */
export function requireLength(headers: IncomingHttpHeaders, limitBytes: number): void {
  const length = headers["content-length"];
  if (Number(length) > limitBytes) throw tooLarge(limitBytes, `${length} bytes`);
}

/**
 * Reads a body whole. Rejects with Problem 413 if it is longer than `limitBytes`, with 408 if it
 * takes longer than `timeoutMs`, and with BodyAborted if it is cut off.
 */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  timeoutMs: number,
): Promise<Buffer> {
  // By the end of this tick node has parsed all that came together with the header: most bodies
  // are there, and need no timer and no events.
  await undefined;
  if (request.complete) {
    const bytes: Buffer = request.read() ?? Buffer.alloc(0);
    if (bytes.length > limitBytes) throw tooLarge(limitBytes, "more");
    return bytes;
  }
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    // Unref'd: node does not close a request that was answered and whose body then breaks.
    const timer = setTimeout(() => {
      const seconds = timeoutMs / 1_000;
      reject(new Problem("request-timeout", `expected the whole body within ${seconds} s`));
    }, timeoutMs).unref();
    request.on("data", (piece: Buffer) => {
      length += piece.length;
      // The rest is read and dropped, so that the client sees the answer and not a reset.
      if (length > limitBytes) reject(tooLarge(limitBytes, "more"));
      else pieces.push(piece);
    });
    request.on("end", () => resolve(Buffer.concat(pieces)));
    request.on("error", () => {});
    request.on("close", () => {
      clearTimeout(timer);
      if (!request.complete) reject(new BodyAborted("the body ended too early"));
    });
  });
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
export function requireJsonType(headers: IncomingHttpHeaders, method: string): void {
  const { "content-type": contentType, "content-encoding": contentEncoding } = headers;
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
