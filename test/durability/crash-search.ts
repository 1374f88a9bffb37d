/** Goes through the crash states of the load, and of starts upon them. */

import { crashStates, type Files, type Random, seededRandom } from "../helpers/crash-states.ts";
import { isLong } from "../helpers/long.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { faultOf, hashOf, type Outcome, tryFiles } from "./crash-check.ts";
import { type Moment, recordConversion, recordLoad, recordRestart } from "./crash-load.ts";

export interface Found {
  /** How many different states were tried. */
  readonly states: number;
  readonly fault: string | undefined;
}

/** So many contents are drawn for each combination of names. */
const drawsOfLoad = isLong ? 240 : 60;
const drawsOfRestart = isLong ? 24 : 12;
/** A start upon every nth moment, as a kill leaves it, and state, as a power cut does. */
const killEvery = isLong ? 1 : 4;
const cutEvery = isLong ? 15 : 40;
/** Different states that all the parts together try at least. */
export const statesAtLeast: number = isLong ? 40_000 : 10_000;

/** Part `part` of the `parts` that run beside each other and share the states. */
export class CrashSearch {
  readonly #part: number;
  readonly #parts: number;
  readonly #random: Random = seededRandom(2);
  /** By the hash of the files; undefined for those that another part tries. */
  readonly #outcomes = new Map<string, Outcome | undefined>();
  #tried = 0;
  #fault: string | undefined;

  constructor(part: number, parts: number) {
    this.#part = part;
    this.#parts = parts;
  }

  /** Everything, up to the first fault. */
  async all(): Promise<Found> {
    try {
      for (const moment of await recordConversion()) await this.#examine(moment, drawsOfLoad);
      const moments = await recordLoad();
      for (const moment of moments) await this.#examine(moment, drawsOfLoad);
      for (const [index, moment] of moments.entries()) {
        if (index % killEvery === 0) await this.#restart(moment, index);
      }
    } catch (error) {
      this.#fault ??= `the load fails: ${error instanceof Error ? error.stack : String(error)}`;
    }
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

  async #restart(moment: Moment, seed: number): Promise<void> {
    if (this.#fault !== undefined) return;
    for (const next of await recordRestart(moment, seed)) {
      await this.#examine(next, drawsOfRestart);
    }
  }
}
