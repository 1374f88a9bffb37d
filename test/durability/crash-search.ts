/**
 * Goes through the crash states of the load, and of starts upon them. A process of
 * crash-states.test.ts: promises cost less outside the test runner, and there are two processors.
 * Arguments: PART PARTS, to try one part of the states.
 */

import { mock } from "node:test";
import { crashStates, type Files, type Random, seededRandom } from "../helpers/crash-states.ts";
import { isLong } from "../helpers/long.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { faultOf, hashOf, type Outcome, tryFiles } from "./crash-check.ts";
import { clock, type Moment, recordLoad, recordRestart } from "./crash-load.ts";

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
const cutEvery = isLong ? 15 : 30;

const [part = 0, parts = 0] = process.argv.slice(2).map(Number);
// A bare node --test runs this file, too.
if (parts === 0) process.exit();
const random: Random = seededRandom(2);
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
  for (const files of crashStates(moment.image, draws, random)) {
    if (fault !== undefined) return;
    const hash = hashOf(files);
    const isNew = !outcomes.has(hash);
    if (isNew) outcomes.set(hash, await tryOwn(files));
    // The same files may be right at one moment and lack an answered write at the next.
    const outcome = outcomes.get(hash);
    if (outcome === undefined) continue;
    fault = faultOf(outcome, moment);
    if (!isNew || draws !== drawsOfLoad || states % cutEvery !== 0) continue;
    await restart({ ...moment, survivor: new SimulatedDisk(files) }, states);
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
if (fault !== undefined) process.exitCode = 1;
const found: Found = { states, fault };
process.send?.(found, () => process.disconnect?.());
