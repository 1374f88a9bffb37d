/** The promises of a store to its callers, on a disk in memory. ../durability tests crashes. */

import assert from "node:assert/strict";
import test from "node:test";
import { toppings as realToppings } from "../../src/resources/menu.ts";
import { makeRow } from "../../src/store/row.ts";
import { Tables } from "../../src/store/tables.ts";
import type { Store } from "../../src/store/store.ts";
import {
  diskWith, failing, holdWrites, linesOf, notedLog, open, textOf,
} from "../helpers/memory-store.ts";
import { until } from "../helpers/patience.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { orderIds, orders, put, thing, thingKind, toppings } from "../helpers/things.ts";

test("a write is decided upon what is accepted, and shows when it is durable", async () => {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  const seen: unknown[] = [];
  const first = put(store, "a", "one");
  const second = store.write(orders, "a", (stored) => {
    seen.push(stored?.value);
    return thing("a", { note: "two" });
  });
  assert.deepEqual(seen, [{ id: "a", note: "one" }]);
  assert.equal(store.get(orders, "a"), undefined, "nothing shows yet");
  assert.deepEqual(store.accepted.get(orders, "a")?.value, { id: "a", note: "two" });
  await Promise.all([first, second]);
  assert.deepEqual(store.get(orders, "a")?.value, { id: "a", note: "two" });
  assert.equal(await store.write(orders, "a", () => "remove"), undefined);
  assert.deepEqual(orderIds(store), []);
});

test("a write is decided upon the change of a later batch while that is written", async () => {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  const held = holdWrites(disk);
  const first = put(store, "a", "one");
  await until(() => held.length === 1);
  const second = put(store, "a", "two");
  held[0]?.();
  await first;
  await until(() => held.length === 2);
  assert.deepEqual(store.get(orders, "a")?.value, { id: "a", note: "one" });
  const third = store.write(orders, "a", (stored) => {
    assert.deepEqual(stored?.value, { id: "a", note: "two" });
    return thing("a", { note: "three" });
  });
  held[1]?.();
  await second;
  await until(() => held.length === 3);
  held[2]?.();
  assert.deepEqual((await third)?.value, { id: "a", note: "three" });
});

test("a write of several is decided at once, and is stored whole or not at all", async () => {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  await put(store, "b", "one");
  const events: string[][] = [];
  store.onDurable(() => events.push(orderIds(store)));
  const several = store.writeAll(orders, ["a", "b", "c", "d"], (stored) => {
    const notes = stored.map((row) => row?.value["note"]);
    assert.deepEqual(notes, [undefined, "one", undefined, undefined]);
    return [thing("a"), "remove", thing("c"), "remove"];
  });
  const other = put(store, "e");
  assert.equal(store.accepted.get(orders, "b"), undefined);
  assert.deepEqual((await several).map((row) => row?.id), ["a", undefined, "c", undefined]);
  await other;
  assert.deepEqual(events, [["a", "c", "e"]], "nobody sees a part");
  const seqs = linesOf(disk).slice(2).map(({ seq, upTo }) => [seq, upTo]);
  const [[seq]] = seqs as [[number]];
  assert.deepEqual(seqs, [
    [seq, seq + 2], [seq + 1, seq + 2], [seq + 2, undefined], [seq + 3, undefined],
  ]);

  disk.observer = failing("write", { code: "ENOSPC" });
  const changed = [thing("a", { note: "two" }), thing("f")];
  const failed = store.writeAll(orders, ["a", "f"], () => changed);
  await assert.rejects(failed, { code: "write-failed" });
  disk.observer = {};
  assert.deepEqual(store.accepted.get(orders, "a")?.value, { id: "a" });
  assert.equal(store.accepted.get(orders, "f"), undefined);
  const kept = await store.writeAll(orders, ["a", "c"], (stored) => stored.map(same));
  assert.deepEqual(kept.map((row) => row?.id), ["a", "c"]);
  assert.equal(linesOf(disk).length, 6, "what stays as it is makes no line");
});

/** Decides that nothing changes. */
function same<R>(stored: R | undefined): R {
  return stored ?? assert.fail("nothing is stored");
}

test("a write that keeps or refuses waits until the row it found is durable", async () => {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  const turnedDown = new Error("it exists");
  const order: string[] = [];
  const creation = put(store, "a").then(() => order.push("created"));
  const kept = store.write(orders, "a", same).then(() => order.push("kept"));
  const refused = store.write(orders, "a", () => {
    throw turnedDown;
  });
  const refusal = assert.rejects(refused, turnedDown).then(() => order.push("refused"));
  await Promise.all([creation, kept, refusal]);
  assert.equal(order[0], "created", order.join());
});

test("each state of a table has its own version, over restarts and deletions too", async () => {
  const disk = new SimulatedDisk();
  const states = new Map<number, string>();
  for (let restart = 0; restart < 6; restart++) {
    const store = await open(disk);
    for (let count = 0; count <= restart + 1; count++) {
      const id = `id-${(restart + count) % 5}`;
      if (count === restart + 1) await store.write(orders, id, () => "remove");
      else if (count > 0) await put(store, id, `${restart}.${count}`);
      const version = store.version(orders);
      const state = JSON.stringify([...store.rows(orders)].map(({ value, seq }) => [value, seq]));
      assert.equal(states.get(version) ?? state, state, `version ${version}`);
      states.set(version, state);
    }
  }
  assert.ok(states.size > 10, "there were states to tell apart");
});

test("a change is known after any start as it was told, until the history goes", async () => {
  const disk = new SimulatedDisk();
  const store = await open(disk);
  await put(store, "a");
  const { last } = store.history;
  await put(store, "a", "two");
  await store.write(orders, "a", () => "remove");
  const told = (one: Store) =>
    one.history.after(last, 10)?.map(({ seq, action, row, deleted }) =>
      [seq, action, row?.value, deleted?.value]);
  assert.deepEqual(told(store)?.map(([, action]) => action), ["updated", "deleted"]);
  assert.deepEqual(told(await open(disk)), told(store));
  const shorter = await open(disk, { historyBytes: 0 });
  assert.deepEqual(told(shorter), undefined);
  assert.deepEqual(shorter.history.after(shorter.history.last, 10), []);
});

test("numbers rise by one, and go on at the time of day after a start", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 5_000 });
  const disk = new SimulatedDisk();
  const first = await open(disk);
  await put(first, "a");
  await put(first, "b");
  t.mock.timers.tick(1_000);
  const second = await open(disk);
  disk.observer = failing("write", { code: "EFBIG" });
  await assert.rejects(put(second, "refused"), { code: "write-failed" });
  disk.observer = {};
  await put(second, "c");
  // A clock that was set back does not take numbers back.
  t.mock.timers.setTime(10);
  const third = await open(disk);
  await put(third, "d");
  const [header, ...changes] = linesOf(disk);
  assert.deepEqual([header.seq, header.resources], [5_000, 0]);
  const numbers = changes.map(({ seq, after }) => [seq, after]);
  assert.deepEqual(numbers, [[5_001, 5_000], [5_002, 5_001], [6_000, 5_002], [6_001, 6_000]]);
});

test("a start leaves out a history that has outgrown the resources, and no other", async () => {
  const disk = new SimulatedDisk();
  /** True if the file has its header and its resources alone after a start. */
  const isShort = async (historyBytes: number): Promise<boolean> => {
    const before = linesOf(disk);
    await open(disk, { historyBytes });
    const [header, ...lines] = linesOf(disk);
    if (header.seq === before[0]?.seq) assert.deepEqual([header, ...lines], before);
    else assert.ok(before.every(({ seq }) => header.seq > seq), "a number above all");
    return lines.length === header.resources;
  };
  const store = await open(disk);
  for (const id of ["a", "b"]) await put(store, id);
  for (const note of ["1", "2"]) await put(store, "a", note);
  assert.equal(await isShort(0), false, "twice as many lines");
  const second = await open(disk);
  await put(second, "b", "1");
  const { last } = second.history;
  const { length } = second.file;
  assert.equal(await isShort(length), false, "a small file");
  assert.equal(await isShort(length - 1), true);
  const third = await open(disk);
  assert.ok(third.history.last > last, "a number above all");
  const rows = Array.from(third.rows(orders), ({ value, kept }) => [value, kept]);
  const kept = { placedBy: "anna" };
  assert.deepEqual(rows, [[{ id: "a", note: "2" }, kept], [{ id: "b", note: "1" }, kept]]);
});

test("an edited file is read, loses its history, and begins a new past", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 5_000 });
  const disk = new SimulatedDisk();
  const store = await open(disk);
  await put(store, "a");
  await put(store, "a", "changed");
  await put(store, "b");
  await put(store, "gone");
  await store.write(orders, "gone", () => "remove");
  const text = textOf(disk);
  const { last } = store.history;
  for (const [what, edited] of [
    ["a line that is missing", text.replace(/.*"changed".*\n/, "")],
    ["a line without its crc", text.replace(/,"crc":"\w+"\}\n$/, "}\n")],
    ["an empty line at the end", `${text}\n`],
    ["an empty line between others", text.replace("\n", "\n\n")],
    ["an empty line at the beginning", `\n${text}`],
    ["no newline at the end", text.slice(0, -1)],
  ] as const) {
    const { log, lines: logged } = notedLog();
    const other = diskWith(edited);
    const again = await open(other, { log });
    assert.deepEqual(orderIds(again), ["a", "b"], what);
    const [header, ...lines] = linesOf(other);
    assert.equal(lines.length, header.resources, what);
    assert.doesNotMatch(textOf(other), /gone/, "a deleted resource leaves nothing");
    assert.ok(header.seq > last && header.seq === again.history.last, what);
    assert.equal(again.history.after(last, 1), undefined, "clients of events get a reset");
    assert.deepEqual(logged, [[
      "leaving the history out of the file",
      { file: "store.ndjson", reason: "somebody has edited it" },
    ]]);
  }
});

test("a line that only a newer version understands is refused, and nothing changed", async () => {
  const tables = thingKind("tables");
  const kinds = [toppings, orders, tables];
  for (const isResource of [true, false]) {
    const disk = new SimulatedDisk();
    const firstContent = (): Tables => {
      const first = new Tables(kinds);
      if (isResource) first.of(tables).put(makeRow("t1", 1, thing("t1")));
      return first;
    };
    const newer = await open(disk, { kinds, firstContent });
    if (!isResource) await newer.write(tables, "t1", () => thing("t1"));
    const files = disk.files();
    await assert.rejects(open(disk), {
      code: "damaged",
      file: "/store/store.ndjson",
      line: 2,
      message: /no kind has the name "tables"/,
      hint: /Another version of Forno has written this line: start that version/,
    });
    assert.deepEqual(disk.files(), files);
  }
});

test("a start that reads two different files in its two readings changes nothing", async () => {
  const disk = new SimulatedDisk();
  await put(await open(disk), "a");
  let reads = 0;
  disk.observer = {
    before: ({ operation }) => {
      // The first reading needs two.
      if (operation === "read" && (reads += 1) === 3) disk.lose("store.ndjson", 60);
    },
  };
  const error = { code: "damaged", message: /changed during the start/, hint: /Start again/ };
  await assert.rejects(open(disk), error);
  assert.deepEqual([...disk.files().keys()], ["store.ndjson"]);
});

test("a line without a field that this version needs opens as the message says", async () => {
  const disk = new SimulatedDisk();
  const older = await open(disk);
  const [had, lacked] = [{ name: "Basil", isVegetarian: true }, { isVegan: true }];
  await older.write(toppings, "basil", () => thing("basil", had));
  const kinds = [realToppings];
  await assert.rejects(open(disk, { kinds }), {
    line: 2,
    message: /: #\/isVegan: required, but missing: expected a boolean/,
    hint: /repair the line \(add a missing field.*\) and delete its "crc"$/,
  });
  const [header = "", line = ""] = textOf(disk).split("\n");
  const { crc: _, data, ...rest } = JSON.parse(line);
  const mended = JSON.stringify({ ...rest, data: { ...data, ...lacked } });
  const newer = await open(diskWith(`${header}\n${mended}\n`), { kinds });
  assert.deepEqual(newer.get(realToppings, "basil")?.value, { id: "basil", ...had, ...lacked });
});
