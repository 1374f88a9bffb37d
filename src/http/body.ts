/**
 * Reads the body of a request, with a limit of length and time, and parses it as JSON (RFC 8259) in
 * UTF-8, with a limit of nesting. A Content-Type is optional, but must not say something else.
 * Node itself drops bodies that no handler reads.
 */

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { messageOf } from "../log/system-error.ts";
import { Problem } from "../problems/problem.ts";

/** The client has gone, so there is nobody to answer. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
}

/** Throws Problem 413 if the declared length is beyond the limit. */
export function requireLength(headers: IncomingHttpHeaders, limitBytes: number): void {
  const length = headers["content-length"];
  if (Number(length) > limitBytes) throw tooLarge(limitBytes, `${length} bytes`);
}

/**
 * Reads the whole body. Rejects with Problem 413 if it is longer than `limitBytes`, with 408 if it
 * takes longer than `timeoutMs`, and with BodyAborted if the client goes away.
 */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  timeoutMs: number,
): Promise<Buffer> {
  // By the end of this tick node has parsed everything that came with the header. Most bodies are
  // complete then, and need no timer and no events.
  await undefined;
  if (request.complete) {
    const bytes: Buffer = request.read() ?? Buffer.alloc(0);
    if (bytes.length > limitBytes) throw tooLarge(limitBytes, "more");
    return bytes;
  }
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    // Unref'd, because an answered request whose body breaks off may never emit "close".
    const timer = setTimeout(() => {
      const seconds = timeoutMs / 1_000;
      reject(new Problem("request-timeout", `expected the whole body within ${seconds} s`));
    }, timeoutMs).unref();
    request.on("data", (piece: Buffer) => {
      length += piece.length;
      // The rest is read and dropped, so that the client sees the response and not a reset.
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
 * Media types that are read as JSON. They include the defaults of clients that send a plain string:
 * curl -d sends x-www-form-urlencoded, fetch sends text/plain.
 */
const jsonTypes =
  /^(application\/(json|x-www-form-urlencoded)|text\/plain|[\w!#$&^.-]+\/[\w!#$&^.-]+\+json)$/i;
/** The media type for PATCH, as in Accept-Patch (RFC 7396). */
export const patchType = "application/merge-patch+json";
/** Levels of arrays and objects in a body; the body itself is level 1. */
export const maxNesting = 32;
const charsetUtf8 = /^"?utf-?8"?$/i;

/**
 * Throws Problem 415 for a Content-Encoding, and for a Content-Type that is not JSON. The response
 * names the accepted type in Accept (RFC 9110 section 15.5.16), for a PATCH in Accept-Patch
 * (RFC 5789 section 2.2).
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

/** The message of JSON.parse, without the part of the body that it may quote. */
function syntaxError(error: unknown, json: string): string {
  const message = messageOf(error);
  const words = /^(?:[^"]* at position (\d+)|Unexpected token '[!-~]')/;
  const [said, at] = words.exec(message) ?? ["unexpected text"];
  const endsTooEarly = at === `${json.length}` || message.endsWith("end of JSON input");
  return endsTooEarly ? "the text ends too early" : said;
}

/** Stops at the first array or object beyond `levels`; its contents are not examined. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(levels - 1, item));
  // Not Object.values: its array would take half as long as parsing the body.
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) if (isDeeperThan(levels - 1, members[name])) return true;
  return false;
}
