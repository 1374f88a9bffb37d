import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { constants } from "node:os";
import test from "node:test";
import { createLog, type LogFields } from "../../dist/log/log.js";
import type { FirstContent } from "../../dist/store/new-store.js";
import { fillStore, openStore, type OpenOptions } from "../../dist/store/opening.js";
import { type Content, makeRow } from "../../dist/store/rows.js";
import type { Store } from "../../dist/store/store.js";
import { Tables } from "../../dist/store/tables.js";
import { type Call, SimulatedDisk } from "../helpers/simulated-disk.ts";
import {
  idsOf,
  orders,
  thing,
  type Thing,
  thingKind,
  type ThingKept,
  toppings,
} from "../helpers/things.ts";

function optionsFor(disk: SimulatedDisk): OpenOptions {
  return {
    folder: "/store",
    kinds: [toppings, orders],
    log: createLog({ level: "silent", terminal: false }),
    fileSystem: disk,
    lock: async () => ({ isHeld: () => true, release: async () => {} }),
  };
}

function content(id: string, note = ""): Content<Thing, ThingKept> {
  return thing(id, { note }, { placedBy: "anna" });
}

function put(store: Store, id: string, note = ""): Promise<unknown> {
  return store.write(orders, id, () => content(id, note));
}

function ids(store: Store): string[] {
  return idsOf(store.rows(orders));
}

test("a write is decided upon what is accepted, and shows when it is durable", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  const seen: unknown[] = [];
  const first = put(store, "a", "one");
  const second = store.write(orders, "a", (stored) => {
    seen.push(stored?.value);
    return content("a", "two");
  });
  assert.deepEqual(seen, [{ id: "a", note: "one" }]);
  assert.equal(store.get(orders, "a"), undefined, "nothing shows yet");
  assert.deepEqual(store.accepted.get(orders, "a")?.value, { id: "a", note: "two" });
  await Promise.all([first, second]);
  assert.deepEqual(store.get(orders, "a")?.value, { id: "a", note: "two" });
  assert.equal(await store.write(orders, "a", () => "remove"), undefined);
  assert.deepEqual(ids(store), []);
  await store.close();
});

/** Decides that nothing changes. */
function same<R>(stored: R | undefined): R {
  return stored ?? assert.fail("nothing is stored");
}

test("a write that keeps or refuses waits until the row it found is durable", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
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
  await store.close();
});

test("each state of a table has its own version, over restarts and deletions too", async () => {
  const disk = new SimulatedDisk();
  const states = new Map<number, string>();
  const note = (store: Store): void => {
    const version = store.version(orders);
    const state = JSON.stringify([...store.rows(orders)].map(({ value, seq }) => [value, seq]));
    assert.equal(states.get(version) ?? state, state, `version ${version}`);
    states.set(version, state);
  };
  for (let restart = 0; restart < 6; restart++) {
    const store = await openStore(optionsFor(disk));
    note(store);
    for (let count = 0; count < restart; count++) {
      await put(store, `id-${(restart * 7 + count) % 5}`, `${restart}.${count}`);
      note(store);
    }
    if (restart % 2 === 0) {
      await store.write(orders, "id-0", () => "remove");
    }
    note(store);
    await store.close();
  }
  assert.ok(states.size > 10, "there were states to tell apart");
});

test("a resource keeps its place over updates and restarts, until it is made again", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  for (const id of ["a", "b", "c"]) await put(store, id);
  await put(store, "a", "again");
  await store.write(orders, "b", () => "remove");
  await put(store, "b");
  assert.deepEqual(ids(store), ["a", "c", "b"]);
  await store.close();
  const again = await openStore(optionsFor(disk));
  assert.deepEqual(ids(again), ["a", "c", "b"]);
  assert.equal(again.isNew, false);
  await again.close();
});

test("each change is told once, and known again after a restart without a stop", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore({ ...optionsFor(disk), journalBytesLimit: 1_000_000 });
  await put(store, "a");
  const { last } = store.changes;
  await put(store, "a", "two");
  await store.write(orders, "a", () => "remove");
  const again = await openStore(optionsFor(disk.survivor()));
  const told = (one: Store) =>
    one.changes.since(last, 10)?.map(({ seq, action, row, deleted }) =>
      [seq, action, row?.value, deleted?.value]);
  assert.deepEqual(told(again), told(store));
  assert.deepEqual(told(again)?.map(([, action]) => action), ["updated", "deleted"]);
  await again.close();
  await store.close();
});

/** The first content of a store with these orders. */
function filled(...ids: readonly string[]): FirstContent {
  const tables = new Tables([toppings, orders]);
  for (const [index, id] of ids.entries()) tables.of(orders).put(makeRow(index + 1, content(id)));
  return { tables, lastSeq: undefined };
}

test("a store is filled whole or not at all, and only when it is empty", async () => {
  const disk = new SimulatedDisk();
  await (await openStore(optionsFor(disk))).close();
  const before = disk.files();
  disk.observer = {
    before: ({ operation, name }) => {
      if (operation === "write" && name === "store.json.tmp") throw new Error("EIO");
    },
  };
  await assert.rejects(fillStore(optionsFor(disk), filled("a", "b")), /EIO/);
  disk.observer = {};
  assert.equal(disk.files().get("store.json"), before.get("store.json"));
  await fillStore(optionsFor(disk), filled("a", "b"));
  const store = await openStore(optionsFor(disk));
  assert.deepEqual(ids(store), ["a", "b"]);
  assert.deepEqual(store.get(orders, "a")?.kept, { placedBy: "anna" });
  await store.close();
  await assert.rejects(fillStore(optionsFor(disk), filled("a")), { code: "not-empty" });
});

test("a torn end is cut off, with a line in the log that says where", async (t) => {
  const disk = new SimulatedDisk();
  const options = optionsFor(disk);
  const first = await openStore(options);
  await put(first, "a");
  await first.close();
  const [name = "", content = Buffer.alloc(0)] =
    [...disk.files()].find(([file]) => file.startsWith("journal")) ?? [];
  const tornContent = Buffer.concat([content, Buffer.from("{")]);
  const torn = new SimulatedDisk(disk.files().set(name, tornContent));
  const info = t.mock.fn();
  const log = { ...options.log, info };
  const store = await openStore({ ...optionsFor(torn), log });
  const line = content.toString().split("\n").length;
  assert.deepEqual(info.mock.calls[0]?.arguments[1], { file: name, line, offset: content.length });
  assert.deepEqual(ids(store), ["a"]);
  await store.close();
});

const noRoom: readonly (readonly [operation: string, error: object])[] = [
  ["write", { code: "ENOSPC" }],
  ["rename", { code: "ENOSPC" }],
  // Over a quota, as node reports it.
  ["write", { code: "UNKNOWN", errno: -constants.errno.EDQUOT }],
];

test("a start on a full disk shows what is there, and cuts a torn end off", async () => {
  for (const [failing, error] of noRoom) {
    const disk = new SimulatedDisk();
    const first = await openStore(optionsFor(disk));
    await put(first, "a");
    const files = disk.survivor().files();
    const journal = [...files.keys()].filter((name) => name.startsWith("journal")).at(-1) ?? "";
    files.set(journal, Buffer.concat([files.get(journal) ?? Buffer.alloc(0), Buffer.from("{")]));
    const full = new SimulatedDisk(files, {
      before: ({ operation, name }) => {
        if (operation !== failing || name !== `${journal}.tmp`) return;
        throw Object.assign(new Error("no room"), error);
      },
    });
    const second = await openStore(optionsFor(full));
    assert.deepEqual(ids(second), ["a"]);
    assert.ok(!full.files().has(`${journal}.tmp`));
    await put(second, "b");
    await second.close();
    const third = await openStore(optionsFor(full));
    assert.deepEqual(ids(third), ["a", "b"]);
    await third.close();
    await first.close();
  }
});

test("on a full disk a start does not cut the end off a file that has another name", async () => {
  const disk = new SimulatedDisk();
  const first = await openStore(optionsFor(disk));
  await put(first, "a");
  const files = disk.survivor().files();
  await first.close();
  const full = new SimulatedDisk(files, {
    before: ({ operation, name }) => {
      if (operation !== "write" || !name.endsWith(".ndjson.tmp")) return;
      throw Object.assign(new Error("no room"), { code: "ENOSPC", syscall: "write" });
    },
  });
  full.links = 2;
  await assert.rejects(openStore(optionsFor(full)), { code: "unusable", hint: /free some/ });
  assert.deepEqual(full.files(), files);
  full.observer = {};
  const again = await openStore(optionsFor(full));
  assert.deepEqual(ids(again), ["a"]);
  await again.close();
});

test("snapshots asked for at once are one, and none when there is nothing new", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  await put(store, "a");
  await Promise.all([store.snapshot(), store.snapshot(), store.snapshot()]);
  const renamed: string[] = [];
  disk.observer = {
    before: ({ operation, name }) => {
      if (operation === "rename") renamed.push(name);
    },
  };
  await store.snapshot();
  assert.deepEqual(renamed, []);
  await put(store, "b");
  await Promise.all([store.snapshot(), store.snapshot()]);
  assert.deepEqual(renamed, ["store.json.tmp"]);
  await store.close();
});

test("a stop gives up the snapshot of a large store, loses no write and logs nothing", async () => {
  const disk = new SimulatedDisk();
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const options = optionsFor(disk);
  const noted: OpenOptions = { ...options, log: { ...options.log, info: note, error: note } };
  const store = await openStore(noted);
  // More than a stop writes to store.json. The snapshot begins as soon as it is durable.
  await put(store, "a", "x".repeat(17_000_000));
  const late = put(store, "b");
  await Promise.all([late, store.close()]);
  assert.ok((disk.files().get("store.json")?.length ?? Infinity) < 1_000, "it was given up");
  assert.ok(!disk.files().has("store.json.tmp"));
  const again = await openStore(noted);
  assert.deepEqual(ids(again), ["a", "b"]);
  await again.snapshot();
  assert.ok((disk.files().get("store.json")?.length ?? 0) > 17_000_000);
  await again.close();
  assert.deepEqual(lines, []);
});

test("failing writes are logged once, and it is known whether the next will fail", async () => {
  const disk = new SimulatedDisk();
  const lines: unknown[] = [];
  const options = optionsFor(disk);
  const error = (message: string, fields?: LogFields): void =>
    void lines.push([message, fields?.["code"]]);
  const store = await openStore({ ...options, log: { ...options.log, error } });
  const full = {
    before: ({ operation }: Call) => {
      if (operation === "write") throw new Error("ENOSPC");
    },
  };
  for (const round of [1, 2]) {
    disk.observer = full;
    for (const id of ["a", "b", "c"]) {
      await assert.rejects(put(store, id), { code: "write-failed" }, `in round ${round}`);
    }
    await assert.rejects(store.requireWritable(), { code: "write-failed" });
    disk.observer = {};
    await store.requireWritable();
    await put(store, "d");
    await put(store, "e");
  }
  const once = [["writes fail", "write-failed"], ["writes are stored again", undefined]];
  assert.deepEqual(lines, [...once, ...once]);
  await store.close();
});

test("a store that accepts no writes until a restart logs it once, with the reason", async () => {
  const failSync = (disk: SimulatedDisk): void => {
    disk.observer = {
      before: ({ operation }) => {
        if (operation === "sync") throw new Error("EIO");
      },
    };
  };
  let isHeld = true;
  const lock = async () => ({ isHeld: () => isHeld, release: async () => {} });
  const reasons: readonly [(disk: SimulatedDisk) => unknown, RegExp][] = [
    [failSync, /an fsync failed/],
    [() => void (isHeld = false), /was moved, replaced or removed/],
  ];
  for (const [fail, reason] of reasons) {
    isHeld = true;
    const disk = new SimulatedDisk();
    const causes: string[] = [];
    const options = { ...optionsFor(disk), lock };
    const error = (message: string, fields?: LogFields) => {
      if (message === "writes fail") causes.push(String(fields?.["cause"]));
    };
    const store = await openStore({ ...options, log: { ...options.log, error } });
    fail(disk);
    for (const id of ["a", "b"]) await put(store, id).catch(() => {});
    for (const _ of [1, 2]) await assert.rejects(store.requireWritable(), { code: "refused" });
    await assert.rejects(put(store, "c"), { code: "refused" });
    assert.equal(causes.length, 1);
    assert.match(causes[0] ?? "", reason);
    await store.close();
  }
});

test("changes in the document are not told again after a crash that left its journal", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore({ ...optionsFor(disk), journalBytesLimit: 1_000_000 });
  await put(store, "a");
  await store.snapshot();
  const { last } = store.changes;
  await store.write(orders, "a", () => "remove");
  await put(store, "a", "of another");
  disk.observer = {
    before: ({ operation, name }) => {
      if (operation === "remove" && name.startsWith("journal-")) throw new Error("EIO");
    },
  };
  await store.snapshot();
  const newest = store.changes.last;
  await put(store, "b");
  const again = await openStore(optionsFor(disk.survivor()));
  assert.deepEqual(ids(again), ["a", "b"]);
  assert.equal(again.changes.since(last, 10), undefined);
  assert.deepEqual(again.changes.since(newest, 10)?.map(({ id }) => id), ["b"]);
  await again.close();
  await store.close();
});

test("a client that has seen the last change resumes after a clean stop", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  await put(store, "a");
  const { last } = store.changes;
  await store.close();
  const again = await openStore(optionsFor(disk));
  assert.deepEqual(again.changes.since(last, 10), []);
  assert.equal(again.changes.since(last - 1, 10), undefined);
  await again.close();
});

test("a new store's numbers begin where no other store's were", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 5_000_000 });
  const lastOf = async (disk: SimulatedDisk): Promise<number> => {
    const store = await openStore(optionsFor(disk));
    await store.close();
    return store.changes.last;
  };
  const first = await lastOf(new SimulatedDisk());
  assert.equal(first, 5_000_001, "the mark behind the document has a number too");
  t.mock.timers.tick(1_000);
  const disk = new SimulatedDisk();
  assert.equal(await lastOf(disk), first + 1_000);
  await fillStore(optionsFor(disk), { ...filled("a"), lastSeq: 9e9 });
  assert.equal(await lastOf(disk), 9e9 + 1_000_001);
});

const pins = thingKind("pins", thing("pins", { of: [] }));

test("a singleton is there before anything is written, and has place 0 until it is", async () => {
  const disk = new SimulatedDisk();
  const options = { ...optionsFor(disk), kinds: [pins, orders] };
  const store = await openStore(options);
  const shown = (one: Store) => one.get(pins, "pins");
  assert.deepEqual([shown(store)?.seq, shown(store)?.value["of"]], [0, []]);
  await put(store, "a");
  await store.close();
  const again = await openStore(options);
  assert.deepEqual([shown(again)?.seq, shown(again)?.value["of"]], [0, []]);
  const changed = await again.write(pins, "pins", () => thing("pins", { of: ["a"] }));
  const [change] = again.changes.since(again.changes.last - 1, 1) ?? [];
  assert.deepEqual([change?.action, changed?.seq], ["updated", change?.seq]);
  await again.close();
  const last = await openStore(options);
  assert.deepEqual([shown(last)?.seq, shown(last)?.value["of"]], [changed?.seq, ["a"]]);
  await last.close();
});

test("the listener is told of each durable batch once, with its lines", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  const told: string[][] = [];
  store.onDurable((lines) => {
    assert.equal(lines.at(-1), 0x0a);
    const records = lines.toString().trimEnd().split("\n").map((line) => JSON.parse(line));
    told.push(records.map(({ event, data }) => `${event} ${data.id}`));
  });
  await Promise.all([put(store, "a"), put(store, "b")]);
  await store.write(orders, "a", () => "remove");
  assert.deepEqual(told, [["orders.created a", "orders.created b"], ["orders.deleted a"]]);
  await store.close();
});

test("a folder that only a newer version understands is refused as it is", async () => {
  const kinds = [toppings, orders, thingKind("tables")];
  const newer = { ...optionsFor(new SimulatedDisk()), kinds };
  for (const isInDocument of [true, false]) {
    const disk = new SimulatedDisk();
    const store = await openStore({ ...newer, fileSystem: disk, journalBytesLimit: 1e6 });
    await store.write(thingKind("tables"), "t1", () => thing("t1"));
    if (isInDocument) await store.snapshot();
    const files = disk.survivor().files();
    const older = new SimulatedDisk(files);
    await assert.rejects(openStore(optionsFor(older)), {
      code: "damaged",
      file: isInDocument ? "store.json" : "journal-000001.ndjson",
      line: isInDocument ? 11 : 3,
      message: isInDocument
        ? /tables\[0\]: no kind has this name$/
        : /expected a record this version knows, got tables\.created: no kind has this name$/,
      hint: /newer version of Forno/,
    });
    assert.deepEqual(older.files(), files);
    await store.close();
  }
});
