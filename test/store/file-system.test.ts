/** The calls on a real file system: a replaced file, a folder; and the lines of a file. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { constants, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";
import { diskFileSystem, replaceFile } from "../../src/store/file-system.ts";
import { type Line, readLines } from "../../src/store/line-reader.ts";
import { seededRandom } from "../helpers/crash-states.ts";
import { temporaryFolder } from "../helpers/forno.ts";

test("a file that is replaced has the permissions asked for, and grows at its end", async (t) => {
  const path = join(temporaryFolder(t), "file");
  for (const mode of [0o600, 0o640, 0o666]) {
    const pieces = [Buffer.from("one ")];
    const file = await replaceFile(diskFileSystem, path, pieces, { access: { mode } });
    assert.equal(statSync(path).mode & 0o777, mode);
    writeFileSync(path, "another");
    assert.equal(await file.write(Buffer.from(" two")), 4);
    assert.equal(readFileSync(path, "utf8"), "another two");
    await file.close();
  }
  assert.deepEqual(readdirSync(dirname(path)), ["file"]);
});

test("each write to a file that is appended to waits for the disk", {
  skip: process.platform === "linux" ? false : "needs /proc",
}, async (t) => {
  const path = join(temporaryFolder(t), "file");
  const file = await replaceFile(diskFileSystem, path, [Buffer.from("one")]);
  t.after(() => file.close());
  const isIts = (info: string): boolean => info.includes(`\nino:\t${statSync(path).ino}\n`);
  const infos = readdirSync("/proc/self/fdinfo").map(infoOf).filter(isIts);
  const flags = infos.map((info) => parseInt(/^flags:\t(\d+)$/m.exec(info)?.[1] ?? "", 8));
  const { O_APPEND, O_DSYNC } = constants;
  assert.deepEqual(flags.map((all) => all & (O_APPEND | O_DSYNC)), [O_APPEND | O_DSYNC]);
});

function infoOf(descriptor: string): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8");
  } catch {
    // It was that of the folder, which is closed.
    return "";
  }
}

test("a folder is made with the folders above it, for its owner alone", async (t) => {
  const above = temporaryFolder(t);
  await diskFileSystem.makeFolder(join(above, "one", "two"));
  for (const folder of ["one", "one/two"]) {
    const { mode } = statSync(join(above, folder));
    assert.equal(mode & 0o777, 0o700, folder);
  }
  writeFileSync(join(above, "file"), "");
  await assert.rejects(diskFileSystem.makeFolder(join(above, "file")), { code: "EEXIST" });
  await assert.rejects(diskFileSystem.makeFolder(join(above, "file", "in")), { code: "ENOTDIR" });
});

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
  let end = 0;
  const lines = content.toString().match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.map((line, index) => {
    end += Buffer.byteLength(line);
    const hasNewline = line.endsWith("\n");
    const text = hasNewline ? line.slice(0, -1) : line;
    return { text, number: index + 1, end, hasNewline, isTooLong: false };
  });
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
