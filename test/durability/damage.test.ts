import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fs from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fillStore, openStore } from "../../dist/store/opening.js";
import { StoreError } from "../../dist/store/store-error.js";
import { makeRow } from "../../dist/store/rows.js";
import type { Store } from "../../dist/store/store.js";
import { Tables } from "../../dist/store/tables.js";
import { type Files, seededRandom } from "../helpers/crash-states.ts";
import { type FakeTimers, fakeTimers } from "../helpers/fake-timers.ts";
import { temporaryFolder } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { orders, thing } from "../helpers/things.ts";
import { crashStoreOptions } from "./crash-load.ts";
import { contentText } from "./ledger.ts";

/** A folder, and what it held after each write that was answered; the last is what it holds. */
interface Folder {
  readonly name: string;
  readonly files: Files;
  readonly history: readonly string[];
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 40; turns++) await turn();
}

async function writeSome(store: Store, prefix: string): Promise<string[]> {
  const history = [contentText(store)];
  for (const [index, note] of ["a", "ü☕", "x".repeat(600), ""].entries()) {
    const id = `${prefix}-${index}`;
    await store.write(orders, id, () => thing(id, { note }));
    history.push(contentText(store));
  }
  await store.write(orders, `${prefix}-1`, () => "remove");
  return [...history, contentText(store)];
}

/** Closed; killed when idle, with a journal; killed in a snapshot; filled, never opened. */
async function makeFolders(timers: FakeTimers): Promise<Folder[]> {
  const disk = new SimulatedDisk();
  const options = { ...crashStoreOptions(disk), journalBytesLimit: 1_000_000 };
  const first = await openStore(options);
  const firstHistory = await writeSome(first, "one");
  await first.close();
  const closed = { name: "closed", files: disk.files(), history: firstHistory.slice(-1) };

  const second = await openStore(options);
  const history = await writeSome(second, "two");
  timers.tick(1_000);
  await settle();
  const idle = { name: "idle", files: disk.files(), history };

  let inSnapshot: Files | undefined;
  disk.observer = {
    before: ({ operation, name }) => {
      if (operation === "rename" && name === "store.json.tmp") inSnapshot = disk.files();
    },
  };
  await second.close();
  assert.ok(inSnapshot, "a stop takes a snapshot");

  const filled = new SimulatedDisk();
  const tables = new Tables(crashStoreOptions(filled).kinds);
  for (const [index, id] of ["a", "b", "c"].entries()) {
    tables.of(orders).put(makeRow(index + 1, thing(id, {}, { placedBy: "anna" })));
  }
  await fillStore(crashStoreOptions(filled), { tables, lastSeq: undefined });
  const filledFiles = filled.files();
  const opened = await openStore(crashStoreOptions(filled));
  const filledHistory = [contentText(opened)];
  await opened.close();
  return [
    closed,
    idle,
    { name: "in a snapshot", files: inSnapshot, history },
    { name: "filled", files: filledFiles, history: filledHistory },
  ];
}

type Outcome = { readonly content: string } | { readonly error: StoreError };

/** Opens damaged files; when they are refused, they must be as they were. */
async function open(files: Files): Promise<Outcome> {
  const disk = new SimulatedDisk(files);
  try {
    const store = await openStore(crashStoreOptions(disk));
    const content = contentText(store);
    await store.close();
    return { content };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    assert.equal(error.code, "damaged");
    assert.ok(error.hint, "there is something to do about it");
    assert.deepEqual(disk.files(), files, "a store that is refused is not touched");
    assert.equal(disk.openFiles, 0);
    return { error };
  }
}

function linesOf(bytes: Buffer): string[] {
  return bytes.toString().split(/(?<=\n)/);
}

function eachFile(
  t: TestContext,
  what: string,
  check: (folder: Folder, name: string, bytes: Buffer) => Promise<void>,
): Promise<void> {
  return t.test(what, async (t) => {
    for (const folder of await makeFolders(fakeTimers(t))) {
      for (const [name, bytes] of folder.files) {
        // A start does not read what an interrupted write left.
        if (!name.endsWith(".tmp")) await check(folder, name, bytes);
      }
    }
  });
}

function without(files: Files, name: string): Files {
  return new Map([...files].filter(([other]) => other !== name));
}

test("damage never passes for what was written", async (t) => {
  await eachFile(t, "a changed byte stops the start, or loses nothing", async (
    folder,
    name,
    bytes,
  ) => {
    const random = seededRandom(bytes.length);
    for (let at = 0; at < bytes.length; at += isLong ? 1 : 5) {
      const broken = Buffer.from(bytes);
      broken[at] = (broken[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      const outcome = await open(new Map([...folder.files, [name, broken]]));
      const place = `${folder.name}: byte ${at} of ${name}`;
      if ("content" in outcome) assert.equal(outcome.content, folder.history.at(-1), place);
      else assert.equal(outcome.error.file, name, place);
    }
  });

  await eachFile(t, "a line missing, doubled or swapped stops the start", async (
    folder,
    name,
    bytes,
  ) => {
    const lines = linesOf(bytes);
    for (const [index, line] of lines.entries()) {
      const before = lines.slice(0, index);
      const rest = lines.slice(index + 1);
      const next = rest[0] ?? "";
      for (const [what, changed] of [
        ["missing", [...before, ...rest]],
        ["doubled", [...before, line, line, ...rest]],
        ["swapped", [...before, next, line, ...rest.slice(1)]],
      ] as const) {
        const files = new Map([...folder.files, [name, Buffer.from(changed.join(""))]]);
        const outcome = await open(files);
        const place = `${folder.name}: line ${index + 1} of ${name} ${what}`;
        const isEnd = rest.length === 0 && what !== "doubled";
        if (isEnd) continue;
        assert.ok("error" in outcome, place);
      }
    }
  });

  await eachFile(t, "a cut file stops the start, or ends a journal earlier", async (
    folder,
    name,
    bytes,
  ) => {
    for (let length = 0; length < bytes.length; length += isLong ? 1 : 5) {
      const cut = bytes.subarray(0, length);
      const outcome = await open(new Map([...folder.files, [name, cut]]));
      if ("error" in outcome) continue;
      const place = `${folder.name}: ${name} cut at ${length}`;
      assert.match(name, /^journal/, place);
      assert.ok(folder.history.includes(outcome.content), place);
    }
  });

  await eachFile(t, "a missing file stops the start, unless it is the newest journal", async (
    folder,
    name,
  ) => {
    const outcome = await open(without(folder.files, name));
    const place = `${folder.name} without ${name}`;
    if ("error" in outcome || folder.files.size === 1) return;
    assert.ok(folder.history.includes(outcome.content), place);
    assert.match(name, /^journal/, place);
  });
});

test("damage in a journal names the file, the line, and what to do", async (t) => {
  const folders = await makeFolders(fakeTimers(t));
  const idle = folders.find(({ name }) => name === "idle");
  const [name, bytes] = [...(idle?.files ?? [])].find(([file]) => file.startsWith("journal")) ?? [];
  assert.ok(idle && name && bytes, "there is a journal");
  const lines = linesOf(bytes);
  for (const [index, line] of lines.slice(0, -1).entries()) {
    const changed = [...lines];
    changed[index] = line.replace(/"seq":\d+/, '"seq":7');
    const outcome = await open(new Map([...idle.files, [name, Buffer.from(changed.join(""))]]));
    assert.ok("error" in outcome, `line ${index + 1}`);
    assert.match(outcome.error.message, new RegExp(`^${name}, line ${index + 1}: `));
    assert.match(outcome.error.hint ?? "", /Restore the folder from a copy/);
  }
});

test("a damaged folder on a real disk is refused as it is, and given back", async (t) => {
  const folder = temporaryFolder(t);
  const { fileSystem: _, lock: __, ...options } = crashStoreOptions(new SimulatedDisk());
  const store = await openStore({ ...options, folder });
  await writeSome(store, "one");
  await store.close();
  const path = join(folder, "store.json");
  const good = fs.readFileSync(path);
  fs.writeFileSync(path, good.toString().replace("ü", "ö").replace("one-3", "one-4"));
  const before = fs.readdirSync(folder).map((name) => [name, fs.readFileSync(join(folder, name))]);
  await assert.rejects(openStore({ ...options, folder }), { code: "damaged", file: "store.json" });
  const after = fs.readdirSync(folder).map((name) => [name, fs.readFileSync(join(folder, name))]);
  assert.deepEqual(after, before);
  fs.writeFileSync(path, good);
  await (await openStore({ ...options, folder })).close();
});
