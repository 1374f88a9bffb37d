/** A disk without room, and one that fails, for a running store and for a start. */

import assert from "node:assert/strict";
import { constants } from "node:os";
import test from "node:test";
import {
  diskWith, failing, holdWrites, notedLog, type NotedLog, open, textOf,
} from "../helpers/memory-store.ts";
import { holdTime, until } from "../helpers/patience.ts";
import { SimulatedDisk, SimulatedFile } from "../helpers/simulated-disk.ts";
import { orderIds, orders, put, thing } from "../helpers/things.ts";

test("failing writes are logged once, and for five seconds the next is said to fail", async (t) => {
  const disk = new SimulatedDisk();
  const { log, lines } = notedLog();
  const store = await open(disk, { log });
  const pass = holdTime(t);
  for (const round of [1, 2]) {
    disk.observer = failing("write", { code: "ENOSPC" });
    for (const id of ["a", "b", "c"]) {
      await assert.rejects(put(store, id), { code: "write-failed" }, `in round ${round}`);
    }
    disk.observer = {};
    pass(5_000);
    await assert.rejects(store.requireWritable(), { code: "write-failed" });
    pass(1);
    await store.requireWritable();
    await put(store, "d");
    await put(store, "e");
  }
  const once = [
    ["writes fail", "write-failed", "StoreError: the write failed"],
    ["writes are stored again", undefined, "undefined"],
  ];
  const noted = lines.map(([message, { code, cause }]) => [message, code, String(cause)]);
  assert.deepEqual(noted, [...once, ...once]);
});

test("while the disk is slow 8 MB of changes wait, and then a write is refused", async () => {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  const held = holdWrites(disk);
  const first = put(store, "first");
  await until(() => held.length === 1);
  const ids = ["a", "b", "c"];
  const note = "x".repeat(3_000_000);
  const several = store.writeAll(orders, ids, () => ids.map((id) => thing(id, { note })));
  await assert.rejects(put(store, "late"), { code: "busy" });
  disk.observer = {};
  held[0]?.();
  await Promise.all([first, several]);
  assert.deepEqual(orderIds(store), ["first", ...ids]);
  await put(store, "late");
});

test("the free space is looked up once a second, however often it is asked for", async (t) => {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  const pass = holdTime(t);
  const asked = t.mock.method(disk, "freeBytes");
  for (let count = 0; count < 9; count += 1) await store.requireWritable();
  disk.free = 1_048_575;
  pass(999);
  await store.requireWritable();
  pass(1);
  const message = "expected 1048576 free bytes on the disk, got 1048575";
  const error = { code: "write-failed", message };
  await assert.rejects(store.requireWritable(), error);
  await assert.rejects(store.requireWritable(), error);
  assert.equal(await store.freeBytes(), 1_048_575);
  assert.equal(asked.mock.callCount(), 2);
  await put(store, "a");
});

/** The file with the order "a", and half a line behind it. */
async function tornText(): Promise<string> {
  const disk = new SimulatedDisk();
  await put(await open(disk), "a");
  return `${textOf(disk)}{"seq":`;
}

test("a start without room for a copy goes on with the old file, and says so", async () => {
  const text = await tornText();
  const good = text.slice(0, -7);
  for (const [observer, free = Infinity] of [
    [{}, good.length - 1],
    [failing("write", { code: "ENOSPC" })],
    [failing("rename", { code: "ENOSPC" })],
    // Over a quota, as Node reports it.
    [failing("write", { code: "UNKNOWN", errno: -constants.errno.EDQUOT })],
  ] as const) {
    const disk = diskWith(text);
    disk.observer = observer;
    disk.free = free;
    const { log, lines } = notedLog();
    const store = await open(disk, { log });
    assert.equal(textOf(disk), good, "cut to its last whole write");
    const [, [message, { cause, hint }]] = lines as [unknown, NotedLog["lines"][number]];
    assert.equal(message, "going on with the old file");
    assert.match(String(cause), new RegExp(`needs ${good.length} bytes on its disk, and `));
    assert.equal(hint, "Free some room: writes are then stored again, without a restart");
    disk.observer = {};
    await put(store, "b");
    await store.close();
    assert.equal(disk.openFiles, 0);
    assert.deepEqual(orderIds(await open(disk)), ["a", "b"]);
  }
});

test("a start that cannot write a copy says what it needs, and changes nothing", async () => {
  const torn = await tornText();
  // A person has edited it.
  const text = torn.replace('"anna"', '"anne"').replace(/,"crc":"\w+"\}\n\{"seq":$/, "}\n");
  const noRoom = {
    code: "unusable",
    message: /^store\.ndjson: each start .* needs \d+ bytes on its disk, and /,
    hint: "Nothing was changed. Free some room, then start again",
  };
  const notAllowed = (hint: RegExp) =>
    ({ code: "unusable", message: "cannot use the folder /store: no luck", hint });
  for (const [reason, observer, free = Infinity] of [
    [noRoom, {}, 99],
    [noRoom, failing("write", { code: "ENOSPC" })],
    [notAllowed(/mounted by itself and cannot be replaced: mount its folder instead$/),
      failing("rename", { code: "EBUSY" })],
    [notAllowed(/with its files\. If lsattr shows an i .* run chattr -i$/),
      failing("rename", { code: "EPERM" })],
    [notAllowed(/^Move the folder store\.ndjson\.tmp away/), failing("remove", { code: "EISDIR" })],
    [notAllowed(/^DATA_DIR must be a folder that this user can read and write, with its files$/),
      failing("create", { code: "EACCES" })],
  ] as const) {
    const disk = diskWith(text);
    disk.observer = observer;
    disk.free = free;
    await assert.rejects(open(disk), reason);
    assert.equal(textOf(disk), text);
    assert.equal(disk.openFiles, 0);
    assert.deepEqual([...disk.files().keys()], ["store.ndjson"]);
    disk.observer = {};
    disk.free = 2 * text.length;
    assert.deepEqual(orderIds(await open(disk)), ["a"]);
  }
});

test("a start without room appends to no file but the one that it read", async () => {
  const first = new SimulatedDisk();
  await put(await open(first), "a");
  const disk = diskWith(textOf(first));
  disk.free = 0;
  const other = `${textOf(first)}\n`;
  disk.observer = {
    before: ({ operation, name }) => {
      if (operation !== "openToAppend" || name !== "store.ndjson") return;
      disk.names.set(name, [new SimulatedFile(Buffer.from(other))]);
    },
  };
  await assert.rejects(open(disk), { code: "unusable", message: /and 0 are free$/ });
  assert.equal(textOf(disk), other);
  assert.equal(disk.openFiles, 0);
});

test("a start that leaves the history out needs room for the rest alone", async () => {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  for (let count = 0; count < 9; count += 1) await put(store, "a", "x".repeat(900));
  const { last } = store.history;
  disk.free = 900;
  const full = await open(disk, { historyBytes: 0 });
  assert.deepEqual([full.history.last, full.history.after(last, 1)], [last, []]);
  disk.free = 2_000;
  const again = await open(disk, { historyBytes: 0 });
  assert.ok(again.file.length < 2_000);
});

test("a store that accepts no writes until a restart logs once why, and what to do", async () => {
  for (const [fail, reason] of [
    [
      (disk: SimulatedDisk) => void (disk.observer = failing("sync")),
      /the disk failed.*Check the disk, then restart/,
    ],
    [
      (disk: SimulatedDisk) => disk.remove("/store/store.ndjson"),
      /was moved.*Save GET \/api\/backup first/,
    ],
  ] as const) {
    const disk = new SimulatedDisk();
    const { log, lines } = notedLog();
    const store = await open(disk, { log });
    await fail(disk);
    for (const id of ["a", "b"]) await assert.rejects(put(store, id));
    await assert.rejects(store.requireWritable(), { code: "refused" });
    await assert.rejects(put(store, "c"), { code: "refused" });
    const failures = lines.filter(([message]) => message === "writes fail");
    assert.equal(failures.length, 1);
    assert.match(failures.map(([, { cause, hint }]) => `${cause}. ${hint}`).join(), reason);
    assert.deepEqual(orderIds(store), []);
  }
});
