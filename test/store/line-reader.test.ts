import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import { type Line, readLines } from "../../dist/store/line-reader.js";
import { seededRandom } from "../helpers/crash-states.ts";

type Seen = Omit<Line, "bytes"> & { readonly text: string };

/** Reads `content` from a file that gives at most `atOnce` bytes a call. */
async function linesOf(content: Buffer, atOnce: number): Promise<Seen[]> {
  const lines: Seen[] = [];
  const file = {
    read: async (into: Uint8Array, position: number) =>
      content.copy(into, 0, position, Math.min(position + atOnce, content.length)),
  };
  await readLines(file, ({ bytes, ...line }) => lines.push({ ...line, text: bytes.toString() }));
  return lines;
}

function expected(content: Buffer): Seen[] {
  const texts = content.toString().split("\n");
  let start = 0;
  const lines = texts.map((text, index) => {
    const isWhole = index < texts.length - 1;
    const end = start + Buffer.byteLength(text) + (isWhole ? 1 : 0);
    const line = { text, number: index + 1, start, end, isWhole };
    start = end;
    return line;
  });
  return lines.at(-1)?.text === "" ? lines.slice(0, -1) : lines;
}

test("lines come whole, numbered and placed, however the file gives its bytes", async () => {
  for (const text of ["", "\n", "a", "a\n", "\n\n", "a\nbb\n\nccc", "é\n☕\n🍕"]) {
    for (const atOnce of [1, 2, 3, 1_000]) {
      const content = Buffer.from(text);
      assert.deepEqual(await linesOf(content, atOnce), expected(content), JSON.stringify(text));
    }
  }
});

test("lines of any length cross the pieces of a large file unharmed", async () => {
  const random = seededRandom(1);
  for (const longest of [100, 20_000, 3_000_000]) {
    const lines = Array.from({ length: Math.min(5_000, 9_000_000 / longest) }, () =>
      "x".repeat(Math.floor(random() * longest)),
    );
    const content = Buffer.from(lines.join("\n"));
    const seen = await linesOf(content, Infinity);
    assert.ok(seen.length === expected(content).length, "as many lines");
    for (const [index, line] of expected(content).entries()) {
      const isSame = seen[index]?.text === line.text && seen[index].start === line.start;
      assert.ok(isSame, `line ${line.number} of at most ${longest}`);
    }
  }
});

test("a line of 100 MB is cut, and the lines around it are whole", async () => {
  const length = 100_000_000;
  const content = Buffer.concat([Buffer.from("a\n"), Buffer.alloc(length), Buffer.from("\nb\n")]);
  const lines = await linesOf(content, Infinity);
  assert.deepEqual(lines.map(({ number, isWhole }) => [number, isWhole]), [
    [1, true],
    [2, false],
    [3, true],
  ]);
  assert.equal(lines[1]?.text.length, 4_194_305);
  assert.deepEqual([lines[2]?.text, lines[2]?.start], ["b", length + 3]);
});
