/** The lines of a write of several: cut at any byte, or edited by a person. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import type { StoreError } from "../../src/store/store-error.ts";
import { diskWith, notedLog, open, textOf } from "../helpers/memory-store.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { orderIds, orders, put, thing } from "../helpers/things.ts";

const path = "store.ndjson";
const five = ["a", "b", "c", "d", "e"];

const disk = new SimulatedDisk();
const store = await open(disk);
await put(store, "before");
const start = store.file.length;
await store.writeAll(orders, five, () => five.map((id) => thing(id, { note: "ü☕" })));
const written = Buffer.from(textOf(disk));
await put(store, "after");
const lines = textOf(disk).split(/(?<=\n)/);
/** The index of the first line of the five. */
const first = lines.findIndex((line) => line.includes('"id":"a"'));

interface Outcome {
  readonly ids: readonly string[];
  /** The torn end that the log tells. */
  readonly torn: { readonly line: number; readonly bytes: number; readonly ids: string[] }[];
}

async function read(content: Buffer | readonly string[]): Promise<Outcome> {
  const { log, lines } = notedLog();
  const disk = diskWith(content instanceof Buffer ? content : content.join(""));
  const opened = await open(disk, { log });
  const torn: any[] = lines.filter(([message]) => message.startsWith("cutting off"));
  return { ids: orderIds(opened), torn: torn.map(([, fields]) => fields) };
}

test("a last write of five that is cut at any byte leaves nothing of it", async () => {
  for (let length = start; length <= written.length; length += 1) {
    const { ids, torn: [torn] } = await read(written.subarray(0, length));
    const place = `cut at ${length - start} of ${written.length - start}`;
    // The last line may lack its newline.
    const isWhole = length >= written.length - 1;
    assert.deepEqual(ids, isWhole ? ["before", ...five] : ["before"], place);
    const newlines = written.subarray(start, length + 1).toString().split("\n").length - 1;
    const whole = five.slice(0, newlines);
    const expected = { file: path, line: first + 1, bytes: length - start, ids: whole };
    assert.deepEqual(torn, isWhole || length === start ? undefined : expected, place);
  }
});

test("a deleted line of a write takes no other with it, but the last of all", async () => {
  for (const [index, id] of five.entries()) {
    const without = lines.toSpliced(first + index, 1);
    const left = five.filter((other) => other !== id);
    assert.deepEqual(await read(without), { ids: ["before", ...left, "after"], torn: [] }, id);
    const isLast = id === "e";
    const { ids, torn } = await read(without.slice(0, -1));
    assert.deepEqual(ids, isLast ? ["before"] : ["before", ...left], `${id}, and nothing behind`);
    assert.deepEqual(torn.map((one) => one.ids), isLast ? [left] : []);
    const withEmpty = await read([...without.slice(0, -1), "\n"]);
    assert.deepEqual(withEmpty, { ids: ["before", ...left], torn: [] }, "an empty line behind");
  }
});

test("a deleted line leaves the others, also before a torn write of its batch", async () => {
  const two = new SimulatedDisk();
  const both = await open(two);
  await Promise.all([["a", "b", "c"], ["d", "e"]].map((ids) =>
    both.writeAll(orders, ids, () => ids.map((id) => thing(id)))));
  const batch = textOf(two).split(/(?<=\n)/);
  const isLast = (line: string): boolean => /"id":"[ce]"/.test(line);
  const { ids, torn } = await read(batch.filter((line) => !isLast(line)));
  assert.deepEqual([ids, torn.map((one) => one.ids)], [["a", "b"], [["d"]]]);
});

test("the good lines behind a torn one are cut off with it, and told", async () => {
  const other = new SimulatedDisk();
  await (await open(other)).writeAll(orders, five, () =>
    five.map((id) => thing(id, { note: "x".repeat(600) })));
  const content = Buffer.from(textOf(other));
  const from = content.indexOf('"id":"b"');
  // A sector that was not written.
  content.fill(0, from, Math.ceil(from / 512) * 512);
  const { ids, torn } = await read(content);
  assert.deepEqual([ids, torn.map((one) => one.ids)], [[], [["a", "c", "d", "e"]]]);
});

test("a faulty line of a write is told with its own number", async () => {
  const broken = lines.with(first + 2, '{"seq":1,"after":0,"event":"nothing.created","data":{}}\n');
  await assert.rejects(read(broken), ({ line }: StoreError) => line === first + 3);
});

test("an upTo that a person has made too high holds nothing that was on disk", async () => {
  for (const upTo of [0, 9e15]) {
    const edited = (line: string): string =>
      line.replace(/"upTo":\d+/, `"upTo":${upTo}`).replace(/,"crc":"\w+"\}/, "}");
    const { ids, torn } = await read(lines.with(first, edited(lines[first] ?? "")));
    assert.deepEqual([ids, torn], [["before", ...five, "after"], []]);
  }
});
