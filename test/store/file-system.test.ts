/** The calls on a real file system: pieces of a file, a replaced file, a folder. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { constants, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { diskFileSystem, readAll, replaceFile } from "../../src/store/file-system.ts";
import { temporaryFolder } from "../helpers/forno.ts";

test("a file comes in pieces, also a long one", async (t) => {
  const path = join(temporaryFolder(t), "file");
  for (const count of [0, 1, 600_000]) {
    const content = Buffer.from(Array.from({ length: count }, (_, index) => `${index}\n`).join(""));
    writeFileSync(path, content);
    const file = await diskFileSystem.open(path);
    t.after(() => file.close());
    const pieces: Buffer[] = [];
    // A piece is overwritten by the next one.
    for await (const piece of readAll(file)) pieces.push(Buffer.from(piece));
    assert.ok(Buffer.concat(pieces).equals(content), `${count}`);
  }
});

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
