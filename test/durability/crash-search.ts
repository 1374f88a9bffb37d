/**
 * Goes through the crash states of the load, and of starts upon them: opens a store on each state,
 * and reports the first fault. crash-states.test.ts runs it in processes of its own, because
 * promises cost less outside the test runner, and there are two processors. Arguments: PART PARTS,
 * to try one part of the states.
 */

import { hash } from "node:crypto";
import { mock } from "node:test";
import { openStore } from "../../src/store/opening.ts";
import type { Store } from "../../src/store/store.ts";
import { crashStates, type Files, seededRandom } from "../helpers/crash-states.ts";
import { isLong } from "../helpers/long.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { orders, put, toppings } from "../helpers/things.ts";
import { clock, crashStoreOptions, type Moment, recordLoad, recordRestart } from "./crash-load.ts";
import { contentText } from "./ledger.ts";

export interface Found {
  /** How many different states were tried. */
  readonly states: number;
  readonly fault: string | undefined;
}

/** So many contents are drawn for each combination of names. */
const drawsOfLoad = isLong ? 240 : 80;
const drawsOfRestart = isLong ? 24 : 12;
/** A start upon every nth moment, as a kill leaves it, and state, as a power cut does. */
const killEvery = isLong ? 1 : 4;
const cutEvery = isLong ? 8 : 24;

/** The result of a start on some files. */
interface Outcome {
  readonly content: string;
  readonly lastSeq: number;
  /** The file after the start. */
  readonly file: Buffer;
  /** A fault that does not depend on the writes before. */
  readonly fault: string | undefined;
}

/** Opens a store on the files, lets it take a write, and opens it again. */
async function tryFiles(files: Files): Promise<Outcome> {
  const disk = new SimulatedDisk(files);
  clock.now = 40_000_000;
  try {
    const store = await openStore(crashStoreOptions(disk));
    const content = contentText(store);
    const lastSeq = store.history.last;
    const file = disk.files().get("store.ndjson") ?? Buffer.alloc(0);
    const fault = faultOfOrder(store) ?? (await faultAfterWriting(store, disk));
    return { content, lastSeq, file, fault };
  } catch (error) {
    const fault = `it does not open: ${error instanceof Error ? error.message : String(error)}`;
    return { content: "", lastSeq: 0, file: Buffer.alloc(0), fault };
  }
}

function faultOfOrder(store: Store): string | undefined {
  for (const kind of [toppings, orders]) {
    const seqs = Array.from(store.rows(kind), ({ seq }) => seq);
    const isRising = seqs.every((seq, index) => seq > (seqs[index - 1] ?? 0));
    if (!isRising) return "a list is not in the order of seq";
  }
  return undefined;
}

async function faultAfterWriting(store: Store, disk: SimulatedDisk): Promise<string | undefined> {
  await put(store, "after");
  const written = contentText(store);
  await store.close();
  clock.now = 50_000_000;
  const again = await openStore(crashStoreOptions(disk));
  const found = contentText(again);
  await again.close();
  if (found !== written) return `opened again it holds\n${found}\ninstead of\n${written}`;
  const names = [...disk.files().keys()];
  if (names.length !== 1) return `the folder has ${names.join(", ")}`;
  return disk.openFiles > 0 ? `${disk.openFiles} files are left open` : undefined;
}

/** The fault of an outcome at a moment. */
function faultOf(
  { content, lastSeq, file, fault }: Outcome, expected: Moment,
): string | undefined {
  if (fault !== undefined) return fault;
  if (!expected.acceptable.has(content)) {
    const acceptable = [...expected.acceptable].join("\nor\n");
    return `it holds what it should not:\n${content}\ninstead of\n${acceptable}`;
  }
  const header = file.subarray(0, file.indexOf("\n"));
  const hasSameHeader = expected.sent.indexOf(header) === 0;
  if (hasSameHeader && file.indexOf(expected.sent) !== 0) return "what a reader has was changed";
  if (lastSeq >= expected.lastSeq) return undefined;
  return `its changes end at ${lastSeq}, and ${expected.lastSeq} was answered`;
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

const [part = 0, parts = 0] = process.argv.slice(2).map(Number);
// A bare node --test runs this file, too.
if (parts === 0) process.exit();
const random = seededRandom(2);
/** By the hash of the files; undefined for those that another part tries. */
const outcomes = new Map<string, Outcome | undefined>();
let states = 0;
let fault: string | undefined;

async function tryOwn(files: Files): Promise<Outcome | undefined> {
  if (outcomes.size % parts !== part) return undefined;
  states += 1;
  return tryFiles(files);
}

async function examine(moment: Moment, draws: number): Promise<void> {
  for (const files of crashStates(moment.disk, draws, random)) {
    if (fault !== undefined) return;
    const key = hashOf(files);
    const isNew = !outcomes.has(key);
    if (isNew) outcomes.set(key, await tryOwn(files));
    // The same files may be right at one moment and lack an answered write at the next.
    const outcome = outcomes.get(key);
    if (outcome === undefined) continue;
    fault = faultOf(outcome, moment);
    if (!isNew || draws !== drawsOfLoad || states % cutEvery !== 0) continue;
    await restart({ ...moment, disk: new SimulatedDisk(files) }, states);
  }
}

async function restart(moment: Moment, seed: number): Promise<void> {
  if (fault !== undefined) return;
  for (const next of await recordRestart(moment, seed)) await examine(next, drawsOfRestart);
}

// The load is the same in every process, whenever and however slow. (A mock would note every call
// of performance.now.)
mock.timers.enable({ apis: ["Date"] });
Date.now = () => clock.now;
performance.now = () => 0;
try {
  const moments = await recordLoad();
  for (const moment of moments) await examine(moment, drawsOfLoad);
  for (const [index, moment] of moments.entries()) {
    if (index % killEvery === 0) await restart(moment, index);
  }
} catch (error) {
  fault ??= `the load fails: ${error instanceof Error ? error.stack : String(error)}`;
}
const found: Found = { states, fault };
process.send?.(found, () => process.disconnect?.());
