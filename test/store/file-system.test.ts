import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { diskFileSystem, readPieces } from "../../src/store/file-system.ts";
import { temporaryFolder } from "../helpers/forno.ts";

test("a part of a file comes in pieces, and nothing after it", async (t) => {
  const path = join(temporaryFolder(t), "file");
  const content = Buffer.from(Array.from({ length: 600_000 }, (_, index) => `${index}\n`).join(""));
  writeFileSync(path, content);
  const file = await diskFileSystem.open(path);
  t.after(() => file.close());
  for (const [start, end] of [
    [0, 1],
    [0, 1_048_577],
    [700_000, 2_500_000],
    [content.length - 1, content.length],
    [3, Infinity],
  ] as const) {
    const pieces: Buffer[] = [];
    // A piece is overwritten by the next one.
    for await (const piece of readPieces(file, start, end)) pieces.push(Buffer.from(piece));
    assert.ok(Buffer.concat(pieces).equals(content.subarray(start, end)), `${start} to ${end}`);
  }
});

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

test("a part that the file does not have is an error, and no shorter part", async (t) => {
  const path = join(temporaryFolder(t), "file");
  writeFileSync(path, "0123456789");
  const file = await diskFileSystem.open(path);
  t.after(() => file.close());
  const readAll = async (): Promise<void> => {
    for await (const piece of readPieces(file, 5, 11)) assert.equal(piece.toString(), "56789");
  };
  await assert.rejects(readAll(), { code: "damaged", message: /cut/ });
});
