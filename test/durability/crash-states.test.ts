/**
 * The states that a power cut can leave, of the load and of starts upon them: a store is opened on
 * each, and compared with the answered writes and with the bytes that a reader may have.
 */

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { mock, test } from "node:test";
import { openStore } from "../../src/store/opening.ts";
import { crashStates, type Files, seededRandom } from "../helpers/crash-states.ts";
import { isLong } from "../helpers/long.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { orders, put, toppings } from "../helpers/things.ts";
import { clock, crashStoreOptions, type Moment, recordLoad, recordRestart } from "./crash-load.ts";
import { contentText } from "./ledger.ts";

/** So many contents are drawn for each combination of names. */
const drawsOfLoad = isLong ? 120 : 12;
const drawsOfRestart = isLong ? 24 : 4;
/** A start upon every nth moment, as a kill leaves it, and state, as a power cut does. */
const killEvery = isLong ? 2 : 12;
const cutEvery = isLong ? 16 : 72;

/** The result of a start on some files. */
interface Outcome {
  readonly content: string;
  readonly lastSeq: number;
  /** The file after the start. */
  readonly file: Buffer;
}

/** Opens a store on the files, lets it take a write, and opens it again. */
async function tryFiles(files: Files): Promise<Outcome> {
  const disk = new SimulatedDisk(files);
  clock.now = 40_000_000;
  const store = await openStore(crashStoreOptions(disk));
  const [content, lastSeq] = [contentText(store), store.history.last];
  const file = disk.files().get("store.ndjson") ?? assert.fail("there is a file");
  for (const kind of [toppings, orders]) {
    const seqs = Array.from(store.rows(kind), ({ seq }) => seq);
    assert.ok(seqs.every((seq, index) => seq > (seqs[index - 1] ?? 0)), "a list is in its order");
  }
  await put(store, "after");
  const written = contentText(store);
  await store.close();
  clock.now = 50_000_000;
  const again = await openStore(crashStoreOptions(disk));
  assert.equal(contentText(again), written, "opened again it holds the same");
  await again.close();
  assert.equal([...disk.files().keys()].join(), "store.ndjson");
  assert.equal(disk.openFiles, 0);
  return { content, lastSeq, file };
}

function check({ content, lastSeq, file }: Outcome, expected: Moment): void {
  if (!expected.acceptable.has(content)) {
    const acceptable = [...expected.acceptable].join("\nor\n");
    assert.fail(`it holds what it should not:\n${content}\ninstead of\n${acceptable}`);
  }
  const header = file.subarray(0, file.indexOf("\n"));
  const hasSameHeader = expected.sent.indexOf(header) === 0;
  assert.ok(!hasSameHeader || file.indexOf(expected.sent) === 0, "what a reader has was changed");
  assert.ok(lastSeq >= expected.lastSeq, "its changes end before an answered one");
}

/** By durable content, which is the same object in many states. */
const digests = new WeakMap<Buffer, string>();

function digestOf(content: Buffer): string {
  const digest = digests.get(content) ?? hash("sha1", content, "base64");
  digests.set(content, digest);
  return digest;
}

/** The same for the same files. */
function hashOf(files: Files): string {
  const parts = Array.from(files, ([name, content]) => `${name} ${digestOf(content)}`);
  return parts.sort().join("\n");
}

const random = seededRandom(2);
/** By the hash of the files. */
const outcomes = new Map<string, Outcome>();

async function examine(moment: Moment, draws: number): Promise<void> {
  for (const files of crashStates(moment.disk, draws, random)) {
    const key = hashOf(files);
    const known = outcomes.get(key);
    const outcome = known ?? (await tryFiles(files));
    outcomes.set(key, outcome);
    // The same files may be right at one moment and lack an answered write at the next.
    check(outcome, moment);
    const { size } = outcomes;
    if (known !== undefined || draws !== drawsOfLoad || size % cutEvery !== 0) continue;
    await restart({ ...moment, disk: new SimulatedDisk(files) }, size);
  }
}

async function restart(moment: Moment, seed: number): Promise<void> {
  for (const next of await recordRestart(moment, seed)) await examine(next, drawsOfRestart);
}

// The load is the same whenever and however slow. (A mock would note every call of
// performance.now.)
mock.timers.enable({ apis: ["Date"] });
Date.now = () => clock.now;
performance.now = () => 0;

async function search(): Promise<void> {
  const moments = await recordLoad();
  for (const moment of moments) await examine(moment, drawsOfLoad);
  for (const [index, moment] of moments.entries()) {
    if (index % killEvery === 0) await restart(moment, index);
  }
}

// Before the test begins, because within it the runner follows each promise, which takes half as
// long again.
const failure = await search().then(() => undefined, (error: unknown) => error);

test("after any power cut every answered write is there and nothing else", (t) => {
  t.diagnostic(`${outcomes.size} different states of the disk were tried`);
  if (failure !== undefined) throw failure;
  assert.ok(outcomes.size >= 1_000, `${outcomes.size} states are too few`);
});
