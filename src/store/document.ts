/**
 * Reads a JSON document (MENU_FILE): a menu, perhaps with orders, in any layout. Backups of Forno 1
 * and 2 are such documents. Each resource has the members of the API, and may have the hidden ones:
 * `kept` in data/README.md.
 */

import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import { crc32 } from "node:zlib";
import { messageOf } from "../log/system-error.ts";
import { didYouMean, inWords, isObject } from "../problems/faults.ts";
import type { StoredKind } from "./stored-kind.ts";
import { isSeq, storeFormat, storeName } from "./line.ts";
import { faultOf, StoreError } from "./store-error.ts";
import { Tables } from "./tables.ts";

/** The value of `forno` in a backup of Forno 1 or 2. */
const documentFormat = 1;

/** Throws the error of a document. */
export type Fail = (detail: string, line?: number) => never;

/** Throws StoreError "document" if the file cannot be read or has an error. */
export function readDocument(path: string, kinds: readonly StoredKind[]): Tables {
  const fail: Fail = (detail, line) => {
    throw new StoreError("document", detail, { file: path, line });
  };
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(path);
  } catch (error) {
    return fail(messageOf(error));
  }
  return parseDocument(bytes, kinds, fail).tables;
}

/** The document's rows, and the last change in them: 0 if a person wrote it. */
export function parseDocument(
  bytes: Buffer,
  kinds: readonly StoredKind[],
  fail: Fail,
): { readonly tables: Tables; readonly seq: number } {
  const document = parse(bytes, fail);
  if (!isObject(document)) {
    return fail(`expected an object with a list for each kind, got ${inWords(document)}`);
  }
  const { forno = documentFormat, seq, lastChange: _, takenAt: __, crc: ___, ...members } =
    document;
  if (forno !== documentFormat) {
    return fail(`"forno": expected a document of format ${documentFormat}, got ${inWords(forno)}`);
  }
  const names = kinds.map(({ name }) => name);
  const unknown = Object.keys(members).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    return fail(`"${unknown}": no member has this name${didYouMean(unknown, names)}`);
  }
  const tables = new Tables(kinds);
  const load = (place: string, kind: StoredKind, value: unknown): void => {
    const seq = isObject(value) && isSeq(value["seq"]) ? value["seq"] : 0;
    // A person may have moved it. Its place in the document counts then.
    const isNext = kind.singleton !== undefined || seq > tables.of(kind).lastSeq;
    try {
      tables.load(kind.name, isNext ? seq : undefined, value);
    } catch (error) {
      fail(`${place}: ${faultOf(error)}`);
    }
  };
  // The menu comes before the orders, which copy the names of its items.
  for (const kind of kinds) {
    const member = members[kind.name];
    if (!Object.hasOwn(members, kind.name)) continue;
    if (kind.singleton !== undefined) load(`"${kind.name}"`, kind, member);
    else if (!Array.isArray(member)) {
      fail(`"${kind.name}": expected an array, got ${inWords(member)}`);
    } else member.forEach((value, index) => load(`${kind.name}[${index}]`, kind, value));
  }
  return { tables, seq: isSeq(seq) ? seq : 0 };
}

function parse(bytes: Buffer, fail: Fail): unknown {
  // Without a byte order mark.
  const text = new TextDecoder().decode(bytes);
  if (text.trimStart().startsWith(`{"forno":${storeFormat},`)) {
    fail(`it is a store: copy it into an empty DATA_DIR as ${storeName}, and start there`);
  }
  if (!isUtf8(bytes)) fail("expected UTF-8, got other bytes");
  // A backup ends with the checksum of all bytes before it. A person who changes it deletes that.
  const at = Math.max(0, bytes.lastIndexOf('"crc":"'));
  const [, crc] = /^"crc":"([0-9a-f]{8})"\s*\}\s*$/.exec(bytes.toString("latin1", at)) ?? [];
  if (crc !== undefined && Number.parseInt(crc, 16) !== crc32(bytes.subarray(0, at))) {
    fail('its checksum is wrong; to use a document that you changed, delete its last "crc"');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = messageOf(error);
    const [, position] = / at position (\d+)/.exec(reason) ?? [];
    const line = position ? text.slice(0, Number(position)).split("\n").length : undefined;
    return fail(`expected JSON: ${reason}`, line);
  }
}
