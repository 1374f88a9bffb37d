/** Goes through the crash states of the load, and of starts upon them. */

import { crashStates, type Files, type Random, seededRandom } from "../helpers/crash-states.ts";
import type { FakeTimers } from "../helpers/fake-timers.ts";
import { isLong } from "../helpers/long.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { faultOf, hashOf, type Outcome, tryFiles } from "./crash-check.ts";
import { type Moment, recordLoad, recordRestart } from "./crash-load.ts";
import type { Mutant } from "./crash-mutants.ts";

export interface Found {
  /** How many different states were tried. */
  readonly states: number;
  readonly fault: string | undefined;
}

/** So many contents are drawn for each combination of names. */
const drawsOfLoad = isLong ? 24 : 5;
const drawsOfRestart = isLong ? 3 : 2;
const drawsOfMutant = 30;
/** A start upon every nth moment, as a kill leaves it, and state, as a power cut does. */
const killEvery = isLong ? 4 : 16;
const cutEvery = isLong ? 80 : 100;
/** Different states that all the parts together try at least. */
export const statesAtLeast: number = isLong ? 10_000 : 1_500;

/** Part `part` of the `parts` that run beside each other and share the states. */
export class CrashSearch {
  readonly #timers: FakeTimers;
  readonly #part: number;
  readonly #parts: number;
  readonly #random: Random = seededRandom(2);
  /** By the hash of the files; undefined for those that another part tries. */
  readonly #outcomes = new Map<string, Outcome | undefined>();
  #tried = 0;
  #fault: string | undefined;

  constructor(timers: FakeTimers, part: number, parts: number) {
    this.#timers = timers;
    this.#part = part;
    this.#parts = parts;
  }

  /** Everything, up to the first fault. */
  async all(): Promise<Found> {
    const moments = await this.#load();
    for (const moment of moments) await this.#examine(moment, drawsOfLoad);
    for (const [index, moment] of moments.entries()) {
      if (index % killEvery === 0) await this.#restart(moment, index);
    }
    return this.#found();
  }

  /** Up to the first fault with one fsync left out. */
  async with({ in: where, lies }: Mutant): Promise<Found> {
    const moments = await this.#load(where === "load" ? lies : undefined);
    if (where === "restart") moments.reverse(); // A missing fsync of a start shows sooner so.
    for (const [index, moment] of moments.entries()) {
      if (where === "restart") await this.#restart(moment, index, lies);
      else await this.#examine(moment, drawsOfMutant);
      if (this.#fault !== undefined) break;
    }
    return this.#found();
  }

  #load(lies?: Mutant["lies"]): Promise<Moment[]> {
    return recordLoad(() => this.#timers.tick(1_000), lies);
  }

  #found(): Found {
    return { states: this.#tried, fault: this.#fault };
  }

  async #examine(moment: Moment, draws: number): Promise<void> {
    for (const files of crashStates(moment.image, draws, this.#random)) {
      if (this.#fault !== undefined) return;
      const hash = hashOf(files);
      const isNew = !this.#outcomes.has(hash);
      if (isNew) this.#outcomes.set(hash, await this.#try(files));
      // The same files may be right at one moment and lack an answered write at the next.
      const outcome = this.#outcomes.get(hash);
      if (outcome === undefined) continue;
      this.#fault = faultOf(outcome, moment);
      if (!isNew || draws !== drawsOfLoad || this.#tried % cutEvery !== 0) continue;
      const survivor = new SimulatedDisk(files);
      await this.#restart({ ...moment, survivor }, this.#tried);
    }
  }

  async #try(files: Files): Promise<Outcome | undefined> {
    if (this.#outcomes.size % this.#parts !== this.#part) return undefined;
    this.#tried += 1;
    return tryFiles(files);
  }

  async #restart(moment: Moment, seed: number, lies?: Mutant["lies"]): Promise<void> {
    for (const next of await recordRestart(moment, seed, lies)) {
      await this.#examine(next, drawsOfRestart);
    }
  }
}
