/**
 * The format of store.ndjson: one JSON object a line, encoded and decoded. data/README.md describes
 * it for people and other programs.
 *
 *     {"forno":1,"seq":12,"resources":1,"at":"2026-11-23T12:00:00.000Z","crc":"…"}       header
 *     {"seq":12,"event":"toppings.created","data":{…},"crc":"…"}                         resource
 *     {"seq":13,"after":12,"event":"orders.created","data":{…},"kept":{…},"crc":"…"}     change
 *     {"seq":14,"after":13,"upTo":15,"event":"orders.created","data":{…},"crc":"…"}      of several
 *
 * forno      the format, raised when an older Forno could not read it.
 * seq        header: the last change that the resources include. Resource: its place in lists.
 *            Change: its number, which rises from change to change; also the id of the event.
 * resources  the number of resource lines: a file cut among them is damage, not a smaller shop.
 * after      every change up to this one was synced before this line was written.
 * upTo       the last change of the same write, on each of its lines but that of the last: all of
 *            them count, or none.
 * data       the resource as the API answers it, or the id of a deleted resource.
 * kept       stored and not shown, such as who placed an order.
 * crc        CRC-32 (zlib's) of the line's bytes before it, in eight hexadecimal digits. A person
 *            who changes a line deletes it.
 */

import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { isObject, type JsonObject } from "../problems/faults.ts";

export const storeName = "store.ndjson";
/** The value of `forno`. */
export const storeFormat = 1;

export interface Header {
  readonly forno: number;
  readonly seq: number;
  readonly resources: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
}

/** A resource or, with `after`, a change. */
export interface Entry {
  readonly seq: number;
  readonly after?: number;
  readonly upTo?: number;
  /** `orders.created`, `.updated` or `.deleted`. */
  readonly event: string;
  readonly data: unknown;
  readonly kept?: unknown;
}

/** The parts of a line that is written: `data` and `kept` are JSON text. */
export interface LineParts {
  readonly seq: number;
  readonly event: string;
  readonly data: string;
  readonly kept: string | undefined;
}

/** The length of `"crc":"1c291ca3"}`. */
const sealBytes = 17;

/** `crc`: of all bytes before. */
function seal(crc: number): string {
  return `"crc":"${crc.toString(16).padStart(8, "0")}"}`;
}

function sealed(start: string): string {
  return `${start}${seal(crc32(start))}\n`;
}

/** The header's line. */
export function headerLine(header: Omit<Header, "forno">): string {
  return sealed(`${JSON.stringify({ forno: storeFormat, ...header }).slice(0, -1)},`);
}

/** The line of a resource or, with `after`, of a change; newline included. `upTo`: as above. */
export function lineOf(
  { seq, event, data, kept }: LineParts,
  after?: number,
  upTo?: number,
): string {
  const afterMember = after === undefined ? "" : `"after":${after},`;
  const upToMember = upTo === undefined ? "" : `"upTo":${upTo},`;
  const keptMember = kept === undefined ? "" : `,"kept":${kept}`;
  const start = `{"seq":${seq},${afterMember}${upToMember}"event":"${event}"`;
  return sealed(`${start},"data":${data}${keptMember},`);
}

/** True if the line has a checksum. A person who changes a line deletes it. */
export function isSealed(bytes: Buffer): boolean {
  const at = bytes.length - sealBytes;
  return at > 0 && bytes.toString("latin1", at, at + 7) === '"crc":"';
}

const names: ReadonlySet<string> = new Set([
  "forno", "seq", "resources", "at", "after", "upTo", "event", "data", "kept",
]);

const byteOrderMark = "it begins with a byte order mark";
const crlf = "it ends with CR LF, the line end of Windows";
/** The faults of a file that an editor has saved in its own way. */
export const editorFaults: readonly string[] = [byteOrderMark, crlf];

/** Decodes a line without its newline. Returns its fault as text if it is not a good line. */
export function decodeLine(bytes: Buffer): JsonObject | string {
  const decoded = decode(bytes);
  if (typeof decoded !== "string") return decoded;
  if (bytes.toString("utf8", 0, 3) === "\ufeff") return byteOrderMark;
  return bytes.at(-1) === 0x0d ? crlf : decoded;
}

function decode(bytes: Buffer): JsonObject | string {
  const hasSeal = isSealed(bytes);
  if (hasSeal) {
    const at = bytes.length - sealBytes;
    const expected = seal(crc32(bytes.subarray(0, at)));
    if (bytes.toString("latin1", at) !== expected) return "its checksum is wrong";
  } else if (!isUtf8(bytes)) return "it is not UTF-8";
  let members: unknown;
  try {
    members = JSON.parse(bytes.toString());
  } catch {
    return bytes.includes(0) ? "it has NUL bytes" : "it is not JSON";
  }
  if (!isObject(members)) return "it is not a JSON object";
  if (hasSeal) return members;
  // A line that a person changed has no checksum. A flipped bit in the name "crc" must not pass
  // for that.
  const unknown = Object.keys(members).find((name) => !names.has(name));
  return unknown === undefined ? members : `it has an unknown member, "${unknown}"`;
}

/** True for a number that a change can have. */
function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** True for the header of any version. */
export function isHeader(members: object): members is Header {
  const { forno, seq, resources } = members as JsonObject;
  return isSeq(forno) && (forno !== storeFormat || (isSeq(seq) && isSeq(resources)));
}

/** True for a resource and for a change. */
export function isEntry(members: object): members is Entry {
  const { seq, after, upTo, event } = members as JsonObject;
  const isSeqOrMissing = (value: unknown): boolean => value === undefined || isSeq(value);
  return isSeq(seq) && isSeqOrMissing(after) && isSeqOrMissing(upTo) && typeof event === "string";
}

/** The id of the resource in a line that may be bad; undefined if it cannot be read. */
export function idIn(bytes: Buffer | undefined): string | undefined {
  const start = bytes?.toString("latin1", 0, 400) ?? "";
  return /"data":\{"id":"([\w\-.~:@+,]{1,128})"/.exec(start)?.[1];
}
