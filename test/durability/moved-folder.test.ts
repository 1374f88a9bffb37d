/** A file or folder that is moved, replaced, cut or removed under a running store. */

import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { diskFileSystem, type FileSystem, type OpenFile } from "../../src/store/file-system.ts";
import { openStore } from "../../src/store/opening.ts";
import type { Store } from "../../src/store/store.ts";
import { cleanUp, startForno, temporaryFolder } from "../helpers/forno.ts";
import { silent } from "../helpers/memory-store.ts";
import { holdTime } from "../helpers/patience.ts";
import { orderIds, orders, put } from "../helpers/things.ts";
import { topping } from "../helpers/samples.ts";

async function open(
  t: TestContext,
  folder: string,
  fileSystem: FileSystem = diskFileSystem,
): Promise<Store> {
  const store = await openStore({ folder, kinds: [orders], log: silent, fileSystem });
  cleanUp(t, () => store.close());
  return store;
}

async function idsAt(t: TestContext, folder: string): Promise<string[]> {
  const store = await open(t, folder);
  const ids = orderIds(store);
  await store.close();
  return ids;
}

/** The disk, on which some calls of the files that are written are others. */
function diskWhere(other: (file: OpenFile) => Partial<OpenFile>): FileSystem {
  return {
    ...diskFileSystem,
    async create(name, access) {
      const file = await diskFileSystem.create(name, access);
      return { ...file, ...other(file) };
    },
    async openToAppend(name) {
      const file = await diskFileSystem.openToAppend(name);
      return { ...file, ...other(file) };
    },
  };
}

/** Each makes the path lead to another, empty folder, and answers where the first is now. */
const ways: readonly (readonly [what: string, turn: (path: string) => string])[] = [
  ["was moved away", (path) => {
    fs.renameSync(path, `${path}.old`);
    return `${path}.old`;
  }],
  ["was reached by a link that now leads elsewhere", (path) => {
    fs.unlinkSync(path);
    fs.mkdirSync(`${path}.two`);
    fs.symlinkSync(`${path}.two`, path);
    return `${path}.one`;
  }],
];

for (const [what, turn] of ways) {
  test(`a store whose folder ${what} leaves the one that is there now alone`, async (t) => {
    const pass = holdTime(t);
    const path = join(temporaryFolder(t), "store");
    fs.mkdirSync(`${path}.one`);
    if (what.includes("link")) fs.symlinkSync(`${path}.one`, path);
    const store = await open(t, path);
    await put(store, "of-the-first");
    const moved = turn(path);
    const other = await open(t, path);
    await put(other, "of-the-other");
    pass(1_000);
    await assert.rejects(put(store, "too-late"), { code: "refused" });
    await assert.rejects(store.requireWritable(), /moved, replaced, cut or removed/);
    await store.close();
    await assert.rejects(open(t, path), { code: "locked" });
    await put(other, "later");
    await other.close();
    assert.deepEqual(await idsAt(t, path), ["of-the-other", "later"]);
    assert.deepEqual(await idsAt(t, moved), ["of-the-first"]);
  });
}

test("a folder that is replaced in the middle of a start keeps what is there now", async (t) => {
  const path = join(temporaryFolder(t), "store");
  const first = await open(t, path);
  await put(first, "a");
  await first.close();
  let other: Store | undefined;
  const fileSystem = diskWhere((file) => ({
    async sync() {
      await file.sync();
      fs.renameSync(path, `${path}.old`);
      other = await open(t, path);
      await put(other, "of-the-other");
    },
  }));
  const error = { code: "damaged", message: /replaced during the start/ };
  await assert.rejects(open(t, path, fileSystem), error);
  await other?.close();
  assert.deepEqual(await idsAt(t, path), ["of-the-other"]);
  assert.deepEqual(await idsAt(t, `${path}.old`), ["a"]);
});

test("a start keeps the permissions and, where it may, the owner of the file", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "store.ndjson");
  await (await open(t, folder)).close();
  fs.chmodSync(path, 0o640);
  // Only root may do so.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) fs.chownSync(path, 65_534, 65_533);
  const before = fs.statSync(path);
  await (await open(t, folder)).close();
  const after = fs.statSync(path);
  assert.deepEqual([after.mode, after.uid, after.gid], [before.mode, before.uid, before.gid]);
  assert.notEqual(after.ino, before.ino);
});

const losses: readonly (readonly [what: string, lose: (path: string) => void])[] = [
  ["cut", (path) => fs.truncateSync(path, 1_000)],
  ["removed", (path) => fs.rmSync(path)],
  ["moved", (path) => fs.renameSync(path, `${path}.old`)],
  ["replaced", (path) => {
    fs.copyFileSync(path, `${path}.new`);
    fs.renameSync(`${path}.new`, path);
  }],
];

for (const [what, lose] of losses) {
  test(`a file that was ${what} takes no write after a second, and /readyz says so`, async (t) => {
    const pass = holdTime(t);
    const forno = await startForno(t);
    const create = () => forno.asStaff("POST", "/api/toppings", topping({ id: undefined }));
    assert.equal((await create()).status, 201);
    const path = join(forno.dataDir, "store.ndjson");
    lose(path);
    const left = fs.existsSync(path) ? fs.readFileSync(path) : undefined;
    pass(1_000);
    assert.equal((await create()).status, 503);
    const ready = await forno.call("GET", "/readyz");
    assert.equal(ready.status, 503);
    assert.match(ready.json.detail, /store\.ndjson was moved, replaced, cut or removed/);
    assert.equal((await forno.call("GET", "/api/toppings")).json.length, 17);
    const backup = forno.asStaff("GET", "/api/backup");
    // As the hint of the error says.
    if (what === "cut") await assert.rejects(backup);
    else assert.match((await backup).text, /Rocket/);
    await forno.close();
    if (left !== undefined) assert.deepEqual(fs.readFileSync(path), left);
  });
}

test("a store takes no write once somebody has removed its lock", async (t) => {
  const folder = temporaryFolder(t);
  const first = await open(t, folder);
  await put(first, "a");
  for (const name of fs.readdirSync(folder)) {
    if (name.startsWith("lock-")) fs.rmSync(join(folder, name));
  }
  await assert.rejects(put(first, "b"), { code: "refused" });
  await assert.rejects(first.requireWritable(), /lock of the store's folder was removed/);
  const second = await open(t, folder);
  await put(second, "c");
  await first.close();
  await assert.rejects(open(t, folder), { code: "locked" });
  await second.close();
  assert.deepEqual(await idsAt(t, folder), ["a", "c"]);
});

test("no write is answered after the file was cut, however soon it comes", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "store.ndjson");
  for (const hasFailed of [false, true]) {
    let isFull = false;
    const fileSystem = diskWhere((file) => ({
      async write(bytes) {
        if (isFull) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
        return file.write(bytes);
      },
    }));
    const store = await open(t, folder, fileSystem);
    await put(store, "a");
    fs.truncateSync(path, fs.statSync(path).size - 10);
    isFull = hasFailed;
    await assert.rejects(put(store, "b"), { code: "unconfirmed" });
    isFull = false;
    await assert.rejects(put(store, "c"), { code: "refused" });
    assert.equal(store.get(orders, "b"), undefined);
    await store.close();
    fs.rmSync(path);
  }
});
