/** A folder that is moved, replaced or removed under a running store: no other store is harmed. */

import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createLog } from "../../dist/log/log.js";
import { diskFileSystem, type FileSystem } from "../../dist/store/file-system.js";
import { openStore } from "../../dist/store/opening.js";
import type { Store } from "../../dist/store/store.js";
import { cleanUp, temporaryFolder } from "../helpers/forno.ts";
import { idsOf, orders, thing } from "../helpers/things.ts";

const log = createLog({ level: "silent", terminal: false });

async function open(t: TestContext, folder: string): Promise<Store> {
  const store = await openStore({ folder, kinds: [orders], log });
  cleanUp(t, () => store.close());
  return store;
}

function put(store: Store, id: string): Promise<unknown> {
  return store.write(orders, id, () => thing(id));
}

async function idsAt(t: TestContext, folder: string): Promise<string[]> {
  const store = await open(t, folder);
  const ids = idsOf(store.rows(orders));
  await store.close();
  return ids;
}

interface Way {
  readonly what: string;
  /** Makes the path lead to a folder. */
  readonly lay: (path: string) => void;
  /** Makes it lead to another, empty one, and answers where the first is now. */
  readonly turn: (path: string) => string;
}

const ways: readonly Way[] = [
  {
    what: "was moved away",
    lay: (path) => mkdirSync(path),
    turn(path) {
      renameSync(path, `${path}.old`);
      return `${path}.old`;
    },
  },
  {
    what: "was reached by a link that now leads elsewhere",
    lay(path) {
      for (const end of ["one", "two"]) mkdirSync(`${path}.${end}`);
      symlinkSync(`${path}.one`, path);
    },
    turn(path) {
      unlinkSync(path);
      symlinkSync(`${path}.two`, path);
      return `${path}.one`;
    },
  },
];

for (const { what, lay, turn } of ways) {
  test(`a store whose folder ${what} leaves the one that is there now alone`, async (t) => {
    const path = join(temporaryFolder(t), "store");
    lay(path);
    const store = await open(t, path);
    await put(store, "of-the-first");
    await store.snapshot();
    const moved = turn(path);
    const other = await open(t, path);
    await put(other, "of-the-other");
    await put(store, "on-its-way");
    await store.snapshot();
    await assert.rejects(put(store, "too-late"), { code: "refused" });
    await assert.rejects(store.requireWritable(), /moved, replaced or removed/);
    await store.close();
    await assert.rejects(open(t, path), { code: "locked" });
    await put(other, "later");
    await other.close();
    assert.deepEqual(await idsAt(t, path), ["of-the-other", "later"]);
    assert.deepEqual(await idsAt(t, moved), ["of-the-first", "on-its-way"]);
  });
}

test("a folder that is replaced in the middle of a snapshot keeps what is there now", async (t) => {
  for (const step of ["sync", "rename", "syncFolder", "remove"] as const) {
    const path = join(temporaryFolder(t), "store");
    const store = await openStore({
      ...{ folder: path, kinds: [orders], log },
      fileSystem: swapping(step, async () => {
        renameSync(path, `${path}.old`);
        other = await open(t, path);
        await put(other, "of-the-other");
      }),
    });
    cleanUp(t, () => store.close());
    let other: Store | undefined;
    await store.snapshot();
    await put(store, "a");
    isArmed = true;
    await store.snapshot();
    assert.equal(isArmed, false, step);
    await store.close();
    const now = other ?? assert.fail(step);
    await put(now, "later");
    await now.close();
    assert.deepEqual(await idsAt(t, path), ["of-the-other", "later"], step);
    assert.deepEqual(await idsAt(t, `${path}.old`), ["a"], step);
  }
});

let isArmed = false;

/** The disk, but for one call: before it the folder is replaced. */
function swapping(
  step: "sync" | "rename" | "syncFolder" | "remove",
  swap: () => Promise<void>,
): FileSystem {
  const before = async (): Promise<void> => {
    if (!isArmed) return;
    isArmed = false;
    await swap();
  };
  const disk = { ...diskFileSystem };
  if (step === "sync") {
    disk.open = async (path, mode) => {
      const file = await diskFileSystem.open(path, mode);
      return { ...file, sync: () => before().then(() => file.sync()) };
    };
  } else {
    const real = diskFileSystem[step] as (...paths: string[]) => Promise<void>;
    disk[step] = async (...paths: string[]) => {
      await real(...paths);
      await before();
    };
  }
  return disk;
}

test("a store whose folder was removed says so, and accepts no more", async (t) => {
  const folder = join(temporaryFolder(t), "store");
  const store = await open(t, folder);
  rmSync(folder, { recursive: true });
  await assert.rejects(store.requireWritable(), { code: "refused" });
  await assert.rejects(put(store, "lost"), { code: "refused" });
  await store.close();
});
