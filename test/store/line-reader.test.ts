/** Lines of a file that comes in pieces of any size. */

import assert from "node:assert/strict";
import test from "node:test";
import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";
import { type Line, readLines } from "../../src/store/line-reader.ts";
import { seededRandom } from "../helpers/crash-states.ts";

type Seen = Omit<Line, "bytes"> & { readonly text: string };

/** Reads `content` from a file that gives at most `atOnce` bytes a call. */
async function linesOf(content: Buffer, atOnce: number): Promise<Seen[]> {
  const lines: Seen[] = [];
  const file = {
    read: async (into: Uint8Array, position: number) =>
      content.copy(into, 0, position, Math.min(position + atOnce, content.length)),
  };
  const each = ({ bytes, ...line }: Line) => lines.push({ ...line, text: bytes.toString() });
  assert.equal(await readLines(file, each), crc32(content));
  return lines;
}

function expected(content: Buffer): Seen[] {
  const texts = content.toString().split("\n");
  let end = 0;
  const lines = texts.map((text, index) => {
    const hasNewline = index < texts.length - 1;
    end += Buffer.byteLength(text) + (hasNewline ? 1 : 0);
    return { text, number: index + 1, end, hasNewline, isTooLong: false };
  });
  return lines.at(-1)?.text === "" ? lines.slice(0, -1) : lines;
}

test("lines come whole, numbered and placed, however the file gives its bytes", async () => {
  const random = seededRandom(1);
  const long = (count: number, longest: number): string =>
    Array.from({ length: count }, () => "x".repeat(random() * longest)).join("\n");
  const cases: [text: string, ...sizes: number[]][] = [
    ["", 1],
    ["\n", 1],
    ["a", 1],
    ["a\n", 1, 2],
    ["\n\n", 1, 2],
    ["a\nbb\n\nccc", 1, 2, 3, 9],
    ["é\n☕\n🍕", 1, 2, 3, 9],
    [long(5_000, 100), Infinity],
    [long(450, 20_000), Infinity],
    [long(3, 3_000_000), Infinity],
  ];
  for (const [text, ...sizes] of cases) {
    const content = Buffer.from(text);
    for (const atOnce of sizes) {
      // Without a message of some megabytes.
      const isSame = isDeepStrictEqual(await linesOf(content, atOnce), expected(content));
      assert.ok(isSame, `${atOnce} at once of ${JSON.stringify(text.slice(0, 50))}`);
    }
  }
});

test("a line that is too long is cut, and the next one is whole", async () => {
  const content = Buffer.from(`a\n${"x".repeat(9_000_000)}\nb\n`);
  const lines = await linesOf(content, Infinity);
  const shape = lines.map(({ text, number, isTooLong }) => [text.length, number, isTooLong]);
  assert.deepEqual(shape, [[1, 1, false], [4_194_305, 2, true], [1, 3, false]]);
});
