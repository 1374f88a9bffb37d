/** A file that has bytes changed, cut off or moved, and files that are no store. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import { openStore } from "../../src/store/opening.ts";
import { makeRow } from "../../src/store/row.ts";
import type { Tables } from "../../src/store/tables.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { seededRandom } from "../helpers/crash-states.ts";
import { isLong } from "../helpers/long.ts";
import { diskWith, silent } from "../helpers/memory-store.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { orders, thing } from "../helpers/things.ts";
import { crashContent, crashStoreOptions } from "./crash-load.ts";
import { contentText } from "./ledger.ts";

const path = "store.ndjson";

/** A menu and two orders. */
function firstContent(): Tables {
  const tables = crashContent();
  for (const [index, id] of ["one", "two"].entries()) {
    tables.of(orders).put(makeRow(id, index + 1, thing(id, { note: "ü" })));
  }
  return tables;
}

const disk = new SimulatedDisk();
const store = await openStore({ ...crashStoreOptions(disk), firstContent });
/** The length of the header and the resources. */
const changesStart = store.file.length;
/** The content of the store after each answered write. */
const history = [contentText(store)];
let lengthWithout = 0;
for (const [index, text] of ["", "ü☕", "long", ""].entries()) {
  const id = `later-${index}`;
  const before = store.file.length;
  // The newline of the long line is the first byte of a sector.
  const padding = 1_024 - ((before + lengthWithout - 1) % 512);
  const note = text === "long" ? "x".repeat(padding) : text;
  await store.write(orders, id, () => thing(id, { note }, { placedBy: "anna" }));
  if (index === 0) lengthWithout = store.file.length - before;
  history.push(contentText(store));
}
await store.write(orders, "one", () => "remove");
history.push(contentText(store));
await store.close();
const bytes = disk.files().get(path) ?? assert.fail("there is a file");
const lines = linesOf(bytes);
/** The number of lines before the changes. */
const change = linesOf(bytes.subarray(0, changesStart)).length;

function linesOf(content: Buffer): string[] {
  return content.toString().split(/(?<=\n)/);
}

/** Without its checksum. */
function unsealed(line: string): string {
  return line.replace(/,"crc":"\w{8}"\}/, "}");
}

interface Outcome {
  readonly content?: string;
  readonly error?: StoreError;
  /** The errors in the log. */
  readonly told: unknown[];
}

/** Opens a file. If it is refused, it must be as it was. */
async function open(content: Buffer | readonly string[]): Promise<Outcome> {
  const file = content instanceof Buffer ? content : Buffer.from(content.join(""));
  const disk = diskWith(file);
  const told: unknown[] = [];
  const error = (message: string, fields = {}): void => void told.push({ message, ...fields });
  const log = { ...silent, error };
  try {
    return { content: contentText(await openStore({ ...crashStoreOptions(disk), log })), told };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    assert.equal(error.code, "damaged");
    assert.equal(error.file, `/store/${path}`);
    assert.match(error.hint ?? "", /^Nothing was changed/);
    assert.deepEqual(disk.files(), new Map([[path, file]]), "a refused store is not touched");
    assert.equal(disk.openFiles, 0);
    return { error, told };
  }
}

/** The log of a file that is cut off from the start of a line on, with these ids. */
function cutOff(line: number, bytes: number, ids: readonly string[] = []): object[] {
  return [{ message: "cutting off a torn end, left by a crash", file: path, line, bytes, ids }];
}

test("a file cut among its resources is refused; behind them its torn end is told", async () => {
  const isNewline = (at: number): boolean => bytes[at] === 10;
  for (let length = 0; length <= bytes.length; length += 1) {
    const isAtEnd = [-2, -1, 0, 1].some((near) => isNewline(length + near));
    if (!isLong && !isAtEnd && length % 3 !== 0) continue;
    const { content, error, told } = await open(bytes.subarray(0, length));
    const place = `cut at ${length} of ${bytes.length}`;
    // The last line may lack its newline.
    assert.equal(error !== undefined, length < changesStart - 1, place);
    if (error !== undefined) continue;
    const whole = linesOf(bytes.subarray(0, length + 1)).filter((line) => line.endsWith("\n"));
    assert.equal(content, history[Math.max(0, whole.length - change)], place);
    const torn = length - Math.min(length, Buffer.byteLength(whole.join("")));
    assert.deepEqual(told, torn > 0 ? cutOff(whole.length + 1, torn) : [], place);
  }
});

test("a flipped bit stops the start with its line; the last newline's is told", async () => {
  const random = seededRandom(bytes.length);
  let at = 0;
  for (const [index, line] of lines.entries()) {
    const isWhole = isLong || index === lines.length - 1;
    const end = at + Buffer.byteLength(line);
    for (; at < end; at += 1) {
      const one = Math.floor(random() * 8);
      if (!isWhole && at !== end - 1 && at % 3 !== 0) continue;
      for (const bit of isWhole ? [0, 1, 2, 3, 4, 5, 6, 7] : [one]) {
        const broken = Buffer.from(bytes);
        broken[at] = (broken[at] ?? 0) ^ (1 << bit);
        const { content, error, told } = await open(broken);
        const place = `bit ${bit} of byte ${at} of ${bytes.length}`;
        assert.equal(error?.line, at === bytes.length - 1 ? undefined : index + 1, place);
        if (error !== undefined) continue;
        assert.equal(content, history.at(-2), place);
        assert.deepEqual(told, cutOff(lines.length, Buffer.byteLength(line)), place);
      }
    }
  }
});

test("zeros to the end of a sector are what a crash left, in the last batch alone", async () => {
  /** The line that is longer than a sector. */
  const index = lines.findIndex((line) => line.length > 600);
  const start = Buffer.byteLength(lines.slice(0, index).join(""));
  const end = start + Buffer.byteLength(lines[index] ?? "");
  const sectorEnd = Math.ceil(start / 512) * 512;
  for (const [from, to, isTorn] of [
    [start, sectorEnd, true],
    [sectorEnd, end - 1, true],
    [end - 40, end - 1, true],
    [sectorEnd - 2, sectorEnd, true],
    [sectorEnd - 1, sectorEnd, false],
    [sectorEnd - 9, sectorEnd - 1, false],
    [sectorEnd, sectorEnd + 99, false],
  ] as const) {
    const broken = Buffer.from(bytes).fill(0, from, to);
    const place = `zeros from ${from} to ${to}`;
    assert.equal((await open(broken)).error?.line, index + 1, `${place}, and later lines`);
    const { content, error, told } = await open(broken.subarray(0, end));
    assert.equal(error?.line, isTorn ? undefined : index + 1, place);
    if (!isTorn) continue;
    assert.equal(content, history[index - change], place);
    assert.deepEqual(told, cutOff(index + 1, end - start), place);
  }
});

test("lines that are missing, doubled or swapped stop the start", async () => {
  for (let index = 0; index < lines.length - 2; index += 1) {
    const [line = "", next = ""] = lines.slice(index);
    const [kind, nextKind] = [line, next].map((one) => /"(\w+)\.created"/.exec(one)?.[1]);
    // Each kind is in its order, and one may come before the other. A change may be missing, for
    // a person may delete it.
    const isFirstOfKind = index > 0 && index < change - 1 && kind !== nextKind;
    const cases: [what: string, changed: string[], damagedLine?: number][] = [];
    if (!isFirstOfKind) cases.push(["swapped", lines.toSpliced(index, 2, next, line), index + 2]);
    cases.push(["doubled", lines.toSpliced(index, 0, line), index + 2]);
    if (index >= change) cases.push(["again", lines.toSpliced(index + 2, 0, line), index + 3]);
    else cases.push(["missing", lines.toSpliced(index, 1)]);
    for (const [what, changed, damagedLine] of cases) {
      const { error } = await open(changed);
      assert.ok(error, `line ${index + 1} ${what}`);
      if (index < change) continue;
      assert.equal(error.line, damagedLine);
      assert.match(error.message, /expected a change with a number above \d+, got \d+/);
    }
  }
});

test("a file that is no store is refused in one line that says why and what to do", async () => {
  const resources = bytes.subarray(0, changesStart);
  const tooLong = Buffer.alloc(67_108_865, "x");
  const copied = unsealed(lines[2] ?? "").replace(/"seq":\d+/, '"seq":4');
  const twice = lines.toSpliced(4, 0, copied);
  for (const [content, line, fault, hint] of [
    ["", 1, /the file is empty/, /move the file away to begin a new shop/],
    ["\n\n", 1, /the file is empty/, /begin a new shop/],
    ['{"data":[]}\n', 1, /the header of a Forno store, but it is another object/, /Put a backup/],
    ["<html>\n", 1, /the header of a Forno store, but it is not JSON/, /Put a backup/],
    ["\xff\xfe\n", 1, /but it is not UTF-8/, /Put a backup/],
    [Buffer.alloc(5_000), 1, /but it has NUL bytes/, /Put a backup/],
    ["x".repeat(5_000_000), 1, /but it is longer than 4 MiB/, /Put a backup/],
    [Buffer.concat([bytes, tooLong]), 12, /67108865 bytes from here on/, /Put a backup/],
    [twice.join(""), 5, /the id "basilico" appears twice/, /repair this line/],
    ...[0, 2].map((format) => [
      `{"forno":${format},"seq":1,"resources":0}\n`, 1,
      new RegExp(`expected format 1, got format ${format}`), /Another version of Forno/,
    ] as const),
    [Buffer.concat([resources.subarray(0, -20), Buffer.alloc(900)]), 6, /has NUL bytes/, /backup/],
  ] as const) {
    const latin1 = typeof content === "string" ? Buffer.from(content, "latin1") : content;
    const { error } = await open(latin1);
    assert.equal(error?.line, line);
    assert.match(error?.message ?? "", fault);
    assert.match(error?.hint ?? "", hint);
  }
});

test("a damaged line is told with the id in it, where that can be read", async () => {
  const bad = (line: string): string => line.replace(/"crc":"\w+"/, '"crc":"00000000"');
  for (const [index, id] of [[change, "later-0"], [2, "basilico"]] as const) {
    const { error } = await open(lines.with(index, bad(lines[index] ?? "")));
    const place = `/store/${path}, line ${index + 1}, with the id "${id}"`;
    assert.equal(error?.message, `${place}: its checksum is wrong`);
  }
  const { error } = await open(lines.with(change, "oh\n"));
  assert.equal(error?.message, `/store/${path}, line ${change + 1}: it is not JSON`);
});

test("the advice of a refused start repairs the file", async () => {
  const all = (history.at(-1) ?? "").split("\n").length;
  const [header = "", ...rest] = lines;
  const { resources } = JSON.parse(header);
  const fewer = header.replace(/"resources":\d+/, `"resources":${resources - 1}`);
  const edited = (index: number): string =>
    (lines[index] ?? "").replace(/"(name|note)":"[^"]*"/, '"$1":"by hand"');
  const mended = (index: number): string[] => lines.toSpliced(index, 1, unsealed(edited(index)));
  const without = (index: number): string[] => lines.toSpliced(index, 1);
  const checksum = /its checksum is wrong/;
  const repair = /repair this line and delete its "crc"/;
  const remove = /delete the line, which undoes a change/;
  const save = /Save the file in UTF-8 without a byte order mark, and with .* \(LF\)$/;
  const crlf = (from: number): string[] =>
    lines.map((line, index) => index < from ? line : line.replace("\n", "\r\n"));
  const correct = new RegExp(
    `set "resources" in line 1 to ${resources - 1} and delete the "crc" of line 1`);
  for (const [damaged, fault, hint, repaired, count] of [
    [lines.toSpliced(2, 1, edited(2)), checksum, repair, mended(2), all],
    [lines.toSpliced(change, 1, edited(change)), checksum, repair, mended(change), all],
    [lines.toSpliced(change, 1, edited(change)), checksum, remove, without(change), all - 1],
    [lines.toSpliced(change, 1, "[]\n"), /it is not a JSON object/, repair, mended(change), all],
    [lines.toSpliced(change, 1, "oh\n"), /it is not JSON/, repair, mended(change), all],
    [[`\ufeff${header}`, ...rest], /it begins with a byte order mark/, save, mended(2), all],
    [[`\ufeff${unsealed(header)}`, ...rest], /a byte order mark/, save, mended(2), all],
    [crlf(0), /it ends with CR LF, the line end of Windows/, save, mended(2), all],
    [crlf(2), /CR LF/, save, mended(2), all],
    [crlf(change), /CR LF/, save, mended(2), all],
    [without(2), /the header says/, correct, [unsealed(fewer), ...rest.toSpliced(1, 1)], all - 1],
  ] as const) {
    const { error } = await open(damaged);
    assert.match(error?.message ?? "", fault);
    assert.match(error?.hint ?? "", hint);
    const { content = "" } = await open(repaired);
    assert.equal(content.split("\n").length, count);
    assert.equal(content.includes("by hand"), count === all);
  }
});
