/**
 * Parses a body as JSON (RFC 8259) in UTF-8. JSON.parse takes far longer for names of members that
 * it has not met than for anything else, so bodies with very many of them are refused before it is
 * called, as are those that are nested too deeply.
 */

import { isUtf8 } from "node:buffer";
import { messageOf } from "../log/system-error.ts";
import { Problem } from "../problems/problem.ts";

/** Levels of arrays and objects in a body; the body itself is level 1. */
const maxNesting = 32;
/** Also within texts: they are counted without a look at what is around them. */
const maxColons = 20_000;
/** Different names of members. An array of orders has some twenty. */
const maxNames = 500;

const byteOrderMark = "\ufeff";

/** Throws Problem 400 "invalid-json". */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalidJson("got an empty body");
  if (!isUtf8(bytes)) throw invalidJson("got bytes that are not UTF-8");
  const excess = excessOf(bytes);
  if (excess !== undefined) throw invalidJson(`got more than ${excess}`);
  const text = bytes.toString();
  const json = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  try {
    return JSON.parse(json);
  } catch (error) {
    throw invalidJson(`got ${json.startsWith("'") ? singleQuote : syntaxFault(error, json)}`);
  }
}

const [quote, backslash, colon] = Buffer.from('"\\:');
const [arrayStart, arrayEnd, objectStart, objectEnd] = Buffer.from("[]{}");

/** One bit of the hash of a name each. Random, so that nobody can find names with equal hashes. */
const names = new Uint8Array(8_192);
const factor = Math.floor(Math.random() * 2 ** 31) | 1;

/** The limit that the text exceeds; undefined if it is small enough to be parsed. */
function excessOf(bytes: Uint8Array): string | undefined {
  let nesting = 0;
  let colons = 0;
  let nameCount = 0;
  let isInText = false;
  /** The hash of the last text. */
  let hash = 0;
  names.fill(0);
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === colon) colons += 1;
    if (isInText) {
      hash = Math.imul(hash ^ byte, factor);
      if (byte === quote) isInText = false;
      else if (byte === backslash) at += 1;
    } else if (byte === quote) {
      isInText = true;
      hash = 0;
    } else if (byte === arrayStart || byte === objectStart) {
      nesting += 1;
      if (nesting > maxNesting) return `${maxNesting} levels of nesting`;
    } else if (byte === arrayEnd || byte === objectEnd) {
      nesting -= 1;
    } else if (byte === colon) {
      const place = hash >>> 19;
      nameCount += 1 - (names[place] ?? 0);
      names[place] = 1;
    }
  }
  if (colons > maxColons) return `${maxColons} colons`;
  return nameCount > maxNames ? `${maxNames} different names of members` : undefined;
}

function invalidJson(got: string): Problem {
  return new Problem("invalid-json", `expected JSON (RFC 8259) in UTF-8, ${got}`, {
    errors: [{ pointer: "#", detail: `expected JSON, ${got}` }],
  });
}

/** From cmd.exe, which keeps single quotes and cuts the body at its spaces. */
const singleQuote =
  'a single quote at the beginning: on Windows put the body in double quotes, and \\" for each ' +
  "quote inside";

/** The message of JSON.parse, without the part of the body that it may quote. */
function syntaxFault(error: unknown, json: string): string {
  const message = messageOf(error);
  const words = /^(?:[^"]* at position (\d+)|Unexpected token '[!-~]')/;
  const [reason, at] = words.exec(message) ?? ["unexpected text"];
  const endsTooEarly = at === `${json.length}` || message.endsWith("end of JSON input");
  return `a syntax error: ${endsTooEarly ? "the text ends too early" : reason}`;
}
