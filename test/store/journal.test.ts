import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test, { type TestContext } from "node:test";
import { decodeRecord } from "../../dist/store/journal-file.js";
import { Journal } from "../../dist/store/journal.js";
import { type FakeTimers, fakeTimers } from "../helpers/fake-timers.ts";
import { type Call, type DiskObserver, SimulatedDisk } from "../helpers/simulated-disk.ts";

interface Setup {
  readonly journal: Journal<string>;
  readonly disk: SimulatedDisk;
  /** The calls made, such as "write 2", with the number of records. */
  readonly calls: string[];
  readonly durable: string[];
  readonly lost: () => number;
  readonly timers: FakeTimers;
}

async function setUp(t: TestContext, observer: DiskObserver = {}): Promise<Setup> {
  const timers = fakeTimers(t);
  const calls: string[] = [];
  const disk = new SimulatedDisk(new Map([["one", Buffer.alloc(0)]]));
  const file = await disk.open("/store/one", "write");
  disk.observer = {
    ...observer,
    after: (call) => void calls.push(describe(call)),
  };
  const durable: string[] = [];
  let lost = 0;
  const end = { number: 1, offset: 0, seq: 0, marked: true };
  const journal = new Journal<string>(file, end, {
    durable: (payloads) => void durable.push(...payloads),
    lost: () => void (lost += 1),
    failed: () => {},
    syncing: () => () => {},
  });
  return { journal, disk, calls, durable, lost: () => lost, timers };
}

function describe({ operation, bytes }: Call): string {
  const records = Buffer.from(bytes ?? []).toString().split("\n").length - 1;
  return operation === "write" ? `write ${records}` : operation;
}

/** seq, after and event of the records in a file. */
function records(disk: SimulatedDisk, name: string): string[] {
  const lines = disk.files().get(name)?.toString().split("\n").slice(0, -1) ?? [];
  return lines.map((line) => {
    const record = decodeRecord(Buffer.from(line));
    return `${record?.seq} ${record?.after} ${record?.event}`;
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

test("records that arrive together share one write and one fsync", async (t) => {
  const { journal, disk, calls, durable } = await setUp(t);
  const all = ["a", "b", "c"].map((name) => journal.append("orders.created", "{}", name));
  assert.equal(journal.nextSeq, 4);
  await Promise.all(all);
  assert.deepEqual(calls, ["write 3", "sync"]);
  assert.deepEqual(durable, ["a", "b", "c"]);
  assert.deepEqual(records(disk, "one"), [
    "1 0 orders.created", "2 0 orders.created", "3 0 orders.created",
  ]);
});

test("a batch waits for what arrives turn by turn, up to a limit", async (t) => {
  const { journal, calls } = await setUp(t);
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  /** A record a turn, each turn taking so long, for as many turns or until they are stored. */
  const appendEachTurn = async (turnMs: number, turns: number): Promise<void> => {
    let isStored = false;
    const next = (left: number): void => {
      if (left === 0 || isStored) return;
      nowMs += turnMs;
      void journal.append("orders.created", "{}");
      setImmediate(next, left - 1);
    };
    setImmediate(next, turns);
    await journal.append("orders.created", "{}");
    isStored = true;
  };
  await appendEachTurn(0, 5);
  assert.deepEqual(calls, ["write 6", "sync"]);
  await appendEachTurn(3, Infinity);
  assert.deepEqual(calls.slice(2, 4), ["write 3", "sync"]);
});

test("records that arrive while the disk is busy say what was written before", async (t) => {
  const { journal, disk, calls } = await setUp(t, { delay: turn });
  const all = [journal.append("orders.created", "{}")];
  await turn();
  all.push(journal.append("orders.updated", "{}"), journal.append("orders.deleted", "{}"));
  assert.equal(journal.pending, all[1]);
  await Promise.all(all);
  assert.equal(journal.pending, undefined);
  assert.deepEqual(calls, ["write 1", "sync", "write 2", "sync"]);
  assert.deepEqual(records(disk, "one"), [
    "1 0 orders.created", "2 1 orders.updated", "3 1 orders.deleted",
  ]);
});

test("a batch of many megabytes is encoded in several turns", async (t) => {
  const { journal, disk } = await setUp(t);
  let turns = 0;
  let isWritten = false;
  disk.observer = {
    before: ({ operation }) => {
      isWritten ||= operation === "write";
      return undefined;
    },
  };
  const next = (): void => {
    if (isWritten) return;
    turns += 1;
    setImmediate(next);
  };
  setImmediate(next);
  const data = JSON.stringify({ text: "x".repeat(65_536) });
  const all = Array.from({ length: 128 }, () => journal.append("orders.created", data));
  await Promise.all(all);
  assert.ok(turns >= 6, `${turns} turns for 8 MiB`);
});

test("nothing is durable, and nobody is told, before the fsync has returned", async (t) => {
  let letGo = (): void => {};
  const stuck = new Promise<void>((resolve) => (letGo = resolve));
  const { journal, disk, durable } = await setUp(t);
  let told = false;
  disk.observer = { delay: () => stuck };
  const done = journal.append("orders.created", "{}", "a").then(() => (told = true));
  for (let count = 0; count < 5; count++) await turn();
  assert.deepEqual([durable, told], [[], false]);
  letGo();
  await done;
  assert.deepEqual([durable, told], [["a"], true]);
});

test("an idle journal is marked once, without an fsync, and a closed one too", async (t) => {
  const { journal, disk, calls, timers } = await setUp(t);
  await journal.append("orders.created", "{}");
  for (let count = 0; count < 5; count++) {
    await turn();
    timers.tick(100);
  }
  await turn();
  assert.deepEqual(calls, ["write 1", "sync", "write 1"]);
  await journal.append("orders.created", "{}");
  await journal.close();
  assert.deepEqual(records(disk, "one"), [
    "1 0 orders.created", "2 1 store.mark", "3 1 orders.created", "4 3 store.mark",
  ]);
  assert.deepEqual(disk.image().names.get("one")?.[0]?.pending, [], "all of it is durable");
});

test("a write that fails takes with it what was accepted upon it, and nothing else", async (t) => {
  const { journal, disk, lost, durable } = await setUp(t);
  await journal.append("orders.created", "{}", "a");
  let isFull = true;
  disk.observer = {
    before: ({ operation, bytes }) => {
      if (operation !== "write" || !isFull) return undefined;
      isFull = false;
      return (bytes?.length ?? 0) - 1;
    },
    after: ({ operation, bytes }) => {
      if (operation === "write" && bytes?.length === 1) throw new Error("EIO");
    },
    delay: turn,
  };
  const failing = journal.append("orders.created", "{}", "b");
  await turn();
  const upon = journal.append("orders.created", "{}", "c");
  await assert.rejects(failing, { code: "write-failed" });
  await assert.rejects(upon, { code: "write-failed" });
  assert.equal(lost(), 1);
  assert.deepEqual(records(disk, "one"), ["1 0 orders.created"]);
  assert.deepEqual(disk.image().names.get("one")?.[0]?.pending, [], "the undoing is durable");
  await journal.append("orders.updated", "{}", "d");
  assert.deepEqual(records(disk, "one"), ["1 0 orders.created", "2 1 orders.updated"]);
  assert.deepEqual(durable, ["a", "d"]);
});

test("after a failed write no mark is tried: it might fit where a write does not", async (t) => {
  const { journal, disk, durable, timers } = await setUp(t);
  await journal.append("orders.created", "{}", "a");
  let isFull = true;
  disk.observer = {
    after: ({ operation }) => {
      if (operation !== "write" || !isFull) return;
      isFull = false;
      throw new Error("ENOSPC");
    },
  };
  await assert.rejects(journal.append("orders.created", "{}", "b"), { code: "write-failed" });
  timers.tick(1_000);
  for (let count = 0; count < 5; count++) await turn();
  assert.deepEqual(records(disk, "one"), ["1 0 orders.created"]);
  assert.deepEqual(durable, ["a"]);
});

test("records accepted while a failed batch is undone are stored", async (t) => {
  const { journal, disk } = await setUp(t);
  let writes = 0;
  let late: Promise<void> | undefined;
  disk.observer = {
    delay: turn,
    before: ({ operation }) => {
      if (operation === "write" && writes++ === 0) throw new Error("ENOSPC");
      if (operation === "truncate") late = journal.append("orders.updated", "{}", "late");
    },
  };
  await assert.rejects(journal.append("orders.created", "{}", "a"), { code: "write-failed" });
  assert.ok(late, "the batch was undone");
  await late;
  assert.deepEqual(records(disk, "one"), ["1 0 orders.updated"]);
});

test("after a failed fsync no record is accepted", async (t) => {
  const { journal, disk, lost } = await setUp(t);
  disk.observer = {
    before: ({ operation }) => {
      if (operation === "sync") throw new Error("EIO");
    },
  };
  await assert.rejects(journal.append("orders.created", "{}"), { code: "untrusted" });
  assert.equal(lost(), 1);
  assert.equal(journal.failure?.code, "refused");
  assert.throws(() => journal.append("orders.created", "{}"), { code: "refused" });
  await assert.rejects(journal.rotate(await disk.open("two", "replace"), 0, () => {}), {
    code: "refused",
  });
  await journal.close();
});

test("of a failed fsync only the batch under way is in doubt", async (t) => {
  const { journal, disk } = await setUp(t);
  let second: Promise<void> | undefined;
  disk.observer = {
    before: ({ operation }) => {
      if (operation !== "sync") return;
      second = journal.append("orders.created", "{}");
      throw new Error("EIO");
    },
  };
  await assert.rejects(journal.append("orders.created", "{}"), { code: "untrusted" });
  await assert.rejects(second ?? assert.fail("no fsync"), { code: "refused" });
  await journal.close();
});

test("a journal goes on in the next file between two batches", async (t) => {
  const { journal, disk } = await setUp(t, { delay: turn });
  const next = await disk.open("/store/two", "replace");
  const first = journal.append("orders.created", "{}");
  let lengthAtSwitch = 0;
  const switched = journal.rotate(next, 0, () => {
    lengthAtSwitch = journal.length;
  });
  const second = journal.append("orders.updated", "{}");
  await Promise.all([first, switched, second]);
  const third = journal.append("orders.deleted", "{}");
  await third;
  assert.equal(lengthAtSwitch, disk.files().get("one")?.length);
  assert.equal(journal.length, disk.files().get("two")?.length);
  const all = [...records(disk, "one"), ...records(disk, "two")];
  assert.deepEqual(all.map((record) => record.split(" ")[0]), ["1", "2", "3"]);
  await journal.close();
  assert.equal(disk.openFiles, 0);
});

test("a journal that has more to write than memory for it says so", async (t) => {
  const { journal } = await setUp(t);
  const data = JSON.stringify("x".repeat(1_000_000));
  const accepted: Promise<void>[] = [];
  const fill = (): void => {
    for (let count = 0; count < 60; count++) accepted.push(journal.append("orders.created", data));
  };
  assert.throws(fill, { code: "busy" });
  assert.ok(accepted.length > 30, `expected some 33 MB to be accepted, got ${accepted.length}`);
  await Promise.all(accepted);
  await journal.append("orders.created", "{}");
  await journal.close();
});

test("records accepted while the journal closes are stored, and none after that", async (t) => {
  const { journal, disk } = await setUp(t, { delay: turn });
  const first = journal.append("orders.created", "{}");
  await turn();
  const closing = journal.close();
  const second = first.then(() => journal.append("orders.updated", "{}"));
  await Promise.all([closing, second]);
  assert.deepEqual(records(disk, "one").slice(0, 2), ["1 0 orders.created", "2 1 orders.updated"]);
  assert.throws(() => journal.append("orders.created", "{}"), { code: "closed" });
  assert.equal(disk.openFiles, 0);
});
