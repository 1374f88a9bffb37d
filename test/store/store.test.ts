import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { constants } from "node:os";
import test from "node:test";
import { createLog, type LogFields } from "../../dist/log/log.js";
import { openStore, type OpenOptions } from "../../dist/store/opening.js";
import type { Content } from "../../dist/store/rows.js";
import type { Store } from "../../dist/store/store.js";
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
    lock: async () => ({ release: async () => {} }),
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
  const store = await openStore(optionsFor(disk));
  await put(store, "a");
  const { last } = store.history;
  await put(store, "a", "two");
  await store.write(orders, "a", () => "remove");
  const again = await openStore(optionsFor(disk.survivor()));
  const told = (one: Store) =>
    one.history.since(last, 10)?.map(({ seq, action, row, deleted }) =>
      [seq, action, row?.value, deleted?.value]);
  assert.deepEqual(told(again), told(store));
  assert.deepEqual(told(again)?.map(([, action]) => action), ["updated", "deleted"]);
  await again.close();
  await store.close();
});

test("changes that delete large rows, which they hold, are remembered by their size", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  const names = Array.from({ length: 300 }, (_, index) => `id-${index}`);
  await Promise.all(names.map((id) => put(store, id, "x".repeat(40_000))));
  const { last } = store.history;
  await Promise.all(names.map((id) => store.write(orders, id, () => "remove")));
  const again = await openStore(optionsFor(disk.survivor()));
  for (const { history } of [store, again]) {
    assert.equal(history.since(last, 1), undefined);
    assert.equal(history.since(last + 100, 300)?.length, 200);
  }
  await again.close();
  await store.close();
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

test("a look at the path in the middle of a rewrite finds nothing wrong", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  await put(store, "a");
  const looks: Promise<void>[] = [];
  disk.observer = {
    delay: () => new Promise((resolve) => void setImmediate(resolve)),
    after: () => void looks.push(store.requireWritable()),
  };
  const rewritten = store.rewrite();
  await put(store, "b");
  await rewritten;
  disk.observer = {};
  assert.ok(looks.length > 5);
  await Promise.all(looks);
  await store.close();
});

test("nobody waits for a replaced file to be closed, which takes long for a large one", async (t) => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  const { open } = disk;
  let isStuck = true;
  t.mock.method(disk, "open", async (...args: Parameters<typeof open>) => {
    const file = await open.apply(disk, args);
    return { ...file, close: () => (isStuck ? new Promise<void>(() => {}) : file.close()) };
  });
  await put(store, "a");
  await store.rewrite();
  await store.rewrite();
  await put(store, "b");
  assert.deepEqual(ids(store), ["a", "b"]);
  isStuck = false;
  await store.close();
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
  const { last: before } = again.history;
  const changed = await again.write(pins, "pins", () => thing("pins", { of: ["a"] }));
  const [change] = again.history.since(before, 1) ?? [];
  assert.deepEqual([change?.action, changed?.seq], ["updated", change?.seq]);
  await again.close();
  const last = await openStore(options);
  assert.deepEqual([shown(last)?.seq, shown(last)?.value["of"]], [changed?.seq, ["a"]]);
  await last.close();
});

test("the listener is called for each durable batch once the tables have it", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  const shown: string[][] = [];
  store.onDurable(() => shown.push(ids(store)));
  await Promise.all([put(store, "a"), put(store, "b")]);
  await store.write(orders, "a", () => "remove");
  assert.deepEqual(shown, [["a", "b"], ["b"]]);
  await store.close();
});

/** The lines of store.ndjson. */
function linesOf(disk: SimulatedDisk): any[] {
  const text = disk.files().get("store.ndjson")?.toString() ?? "";
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

test("numbers rise by one, and go on at the time of day after a start", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 5_000 });
  const disk = new SimulatedDisk();
  const first = await openStore(optionsFor(disk));
  await put(first, "a");
  await put(first, "b");
  await first.close();
  t.mock.timers.tick(1_000);
  const second = await openStore(optionsFor(disk));
  await put(second, "c");
  // A clock that was set back does not take numbers back.
  t.mock.timers.setTime(10);
  await second.close();
  const third = await openStore(optionsFor(disk));
  await put(third, "d");
  const [header, ...changes] = linesOf(disk);
  assert.deepEqual([header.seq, header.resources], [5_000, 0]);
  const numbers = changes.map(({ seq, after }) => [seq, after]);
  assert.deepEqual(numbers, [[5_001, 5_000], [5_002, 5_001], [6_000, 5_002], [6_001, 6_000]]);
  await third.close();
});

test("a refused write leaves no gap, and takes no number of before the start", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 5_000 });
  const disk = new SimulatedDisk();
  await (await openStore(optionsFor(disk))).close();
  t.mock.timers.tick(1_000);
  const store = await openStore(optionsFor(disk));
  disk.observer = {
    before: ({ operation }) => {
      if (operation === "write") throw new Error("ENOSPC");
    },
  };
  await assert.rejects(put(store, "a"), { code: "write-failed" });
  disk.observer = {};
  await put(store, "b");
  assert.equal(store.get(orders, "b")?.seq, 6_000);
  await store.close();
});

test("a line has the resource as it is answered, and hidden data beside it", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  await put(store, "a", "é");
  const [, { data, kept, event }] = linesOf(disk);
  assert.equal(JSON.stringify(data), store.get(orders, "a")?.json);
  assert.deepEqual([event, kept], ["orders.created", { placedBy: "anna" }]);
  await store.write(orders, "a", () => "remove");
  const removal = linesOf(disk).at(-1);
  assert.deepEqual(Object.keys(removal), ["seq", "after", "event", "data", "crc"]);
  assert.deepEqual([removal.event, removal.data], ["orders.deleted", { id: "a" }]);
  await store.close();
});

test("an end that a crash left is cut off, with a line in the log that says where", async (t) => {
  const disk = new SimulatedDisk();
  const options = optionsFor(disk);
  await put(await openStore(options), "a");
  const content = disk.survivor().files().get("store.ndjson") ?? Buffer.alloc(0);
  const torn = Buffer.concat([content, Buffer.from('{"seq":')]);
  const info = t.mock.fn();
  const tornDisk = new SimulatedDisk(new Map([["store.ndjson", torn]]));
  const log = { ...options.log, info };
  const store = await openStore({ ...optionsFor(tornDisk), log });
  const line = content.toString().split("\n").length;
  const fields = info.mock.calls[0]?.arguments[1];
  assert.deepEqual(fields, { file: "store.ndjson", line, bytes: 7 });
  assert.deepEqual(ids(store), ["a"]);
  await store.close();
});

const noRoom: readonly (readonly [operation: string, error: object])[] = [
  ["write", { code: "ENOSPC" }],
  ["rename", { code: "ENOSPC" }],
  // Over a quota, as node reports it.
  ["write", { code: "UNKNOWN", errno: -constants.errno.EDQUOT }],
];

/** A killed store with the order "a" and a torn end, on a disk without room for a copy. */
async function tornOnFullDisk(failing: string, error: object): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  await put(await openStore(optionsFor(disk)), "a");
  const content = disk.survivor().files().get("store.ndjson") ?? Buffer.alloc(0);
  const files = new Map([["store.ndjson", Buffer.concat([content, Buffer.from("{")])]]);
  return new SimulatedDisk(files, {
    before: ({ operation, name }) => {
      if (operation !== failing || name !== "store.ndjson.tmp") return;
      throw Object.assign(new Error("no room"), { syscall: failing, ...error });
    },
  });
}

test("a start on a full disk shows what is there, and cuts a torn end off", async () => {
  for (const [failing, error] of noRoom) {
    const full = await tornOnFullDisk(failing, error);
    const second = await openStore(optionsFor(full));
    assert.deepEqual(ids(second), ["a"]);
    assert.deepEqual([...full.files().keys()], ["store.ndjson"]);
    await put(second, "b");
    await second.close();
    const third = await openStore(optionsFor(full));
    assert.deepEqual(ids(third), ["a", "b"]);
    await third.close();
  }
});

test("on a full disk a start does not cut the end off a file that has another name", async () => {
  const full = await tornOnFullDisk("write", { code: "ENOSPC" });
  const before = full.files();
  full.links = 2;
  await assert.rejects(openStore(optionsFor(full)), { code: "unusable", hint: /free some/ });
  assert.deepEqual(full.files(), before);
  full.observer = {};
  const again = await openStore(optionsFor(full));
  assert.deepEqual(ids(again), ["a"]);
  await again.close();
});

test("a store that accepts no writes until a restart logs it once, with the reason and what to do", async () => {
  const failSync = (disk: SimulatedDisk): void => {
    disk.observer = {
      before: ({ operation }) => {
        if (operation === "sync") throw new Error("EIO");
      },
    };
  };
  const reasons: readonly [(disk: SimulatedDisk) => unknown, RegExp][] = [
    [failSync, /an fsync failed.*Check the disk, then restart/],
    [(disk) => disk.remove("/store/store.ndjson"), /was moved.*Save GET \/api\/backup first/],
  ];
  for (const [fail, reason] of reasons) {
    const disk = new SimulatedDisk();
    const causes: string[] = [];
    const options = optionsFor(disk);
    const error = (message: string, fields?: LogFields) => {
      if (message === "writes fail") causes.push(`${fields?.["cause"]}. ${fields?.["hint"]}`);
    };
    const store = await openStore({ ...options, log: { ...options.log, error } });
    await fail(disk);
    for (const id of ["a", "b"]) await assert.rejects(put(store, id));
    for (const _ of [1, 2]) await assert.rejects(store.requireWritable(), { code: "refused" });
    await assert.rejects(put(store, "c"), { code: "refused" });
    assert.equal(causes.length, 1);
    assert.match(causes[0] ?? "", reason);
    assert.deepEqual(ids(store), []);
    await store.close();
  }
});

test("changes are known after a stop and a crash, as far as the file has them", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  for (const id of ["a", "b", "c"]) await put(store, id);
  const seqs = ["a", "b", "c"].map((id) => store.get(orders, id)?.seq ?? 0);
  const known = (one: Store): (number | undefined)[] =>
    seqs.map((seq) => one.history.since(seq, 10)?.length);
  const crashed = await openStore(optionsFor(disk.survivor()));
  assert.deepEqual(known(crashed), [2, 1, 0]);
  await store.rewrite();
  assert.deepEqual(known(store), [2, 1, 0], "a running store still knows them");
  await store.close();
  const again = await openStore(optionsFor(disk));
  assert.deepEqual(known(again), [undefined, undefined, 0]);
  await again.close();
});

test("a rewrite leaves the resources, in their order, and goes on with the changes", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore(optionsFor(disk));
  for (const id of ["a", "b", "c"]) await put(store, id);
  await put(store, "a", "again");
  await store.write(orders, "b", () => "remove");
  await Promise.all([store.rewrite(), store.rewrite()]);
  await put(store, "d");
  const [header, a, c, d] = linesOf(disk);
  assert.deepEqual([header.resources, header.seq], [2, d.after]);
  const shown = [a, c, d].map(({ event, data }) => `${event} ${data.id} ${data.note}`);
  assert.deepEqual(shown, ["orders.created a again", "orders.created c ", "orders.created d "]);
  assert.deepEqual(ids(store), ["a", "c", "d"]);
  assert.equal(disk.openFiles, 1);
  await store.close();
});

test("a file is rewritten when it is twice as large as its resources, and not before", async () => {
  const disk = new SimulatedDisk();
  const store = await openStore({ ...optionsFor(disk), rewriteBytes: 10_000 });
  let renames = 0;
  disk.observer = {
    before: ({ operation }) => {
      if (operation === "rename") renames += 1;
    },
  };
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate);
  };
  for (let count = 0; count < 9; count += 1) await put(store, "a", "x".repeat(900));
  await settled();
  assert.equal(renames, 0);
  for (let count = 0; count < 4; count += 1) await put(store, "a", "x".repeat(900));
  await settled();
  assert.equal(renames, 1);
  assert.ok(store.file.length < 6_000);
  await store.close();
});

test("a stop gives up a rewrite, loses no write and logs nothing", async () => {
  const disk = new SimulatedDisk();
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const options = optionsFor(disk);
  const store = await openStore({ ...options, log: { ...options.log, info: note, error: note } });
  for (const id of ["a", "b", "c"]) await put(store, id, "x".repeat(200_000));
  const rewriting = store.rewrite();
  const late = put(store, "d");
  await Promise.all([late, store.close(), rewriting]);
  assert.deepEqual([...disk.files().keys()], ["store.ndjson"]);
  const again = await openStore(optionsFor(disk));
  assert.deepEqual(ids(again), ["a", "b", "c", "d"]);
  await again.close();
  assert.deepEqual(lines, []);
});

test("changes of a hidden kind are lines of the file", async () => {
  const secrets = { ...thingKind("secrets"), isHidden: true };
  const disk = new SimulatedDisk();
  const options = { ...optionsFor(disk), kinds: [orders, secrets] };
  const store = await openStore(options);
  await store.write(secrets, "s", () => thing("s"));
  await store.close();
  const again = await openStore(options);
  assert.deepEqual(idsOf(again.rows(secrets)), ["s"]);
  await again.close();
  assert.ok(linesOf(disk).some(({ event }) => event === "secrets.created"));
});

test("a line that only a newer version understands is refused, and nothing changed", async () => {
  const kinds = [toppings, orders, thingKind("tables")];
  for (const isResource of [true, false]) {
    const disk = new SimulatedDisk();
    const store = await openStore({ ...optionsFor(disk), kinds });
    await store.write(thingKind("tables"), "t1", () => thing("t1"));
    if (isResource) await store.rewrite();
    const files = disk.survivor().files();
    const older = new SimulatedDisk(files);
    await assert.rejects(openStore(optionsFor(older)), {
      code: "damaged",
      file: "store.ndjson",
      line: 2,
      message: /no kind has the name "tables"/,
      hint: /newer version of Forno/,
    });
    assert.deepEqual(older.files(), files);
    await store.close();
  }
});
