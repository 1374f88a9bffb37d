/**
 * Interleaved rounds and what they say: machines are noisy in spells, so every contender has its
 * turn in every round, and a ratio is taken within a round before it is taken over all of them.
 */

import { median } from "./latencies.ts";
import type { LoadResult } from "./load-job.ts";

/** A contender's figures, each the median of its rounds; ratios are to the baseline contender. */
export interface Summary {
  readonly name: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly readP99: number;
  readonly cpuMicros: number;
  readonly generatorBusy: number;
  readonly throughputRatio: number;
  readonly cpuRatio: number;
  readonly readP99Ratio: number;
  readonly rounds: readonly LoadResult[];
}

export type Rounds = ReadonlyMap<string, readonly LoadResult[]>;

/**
 * Runs every contender in every round. Who goes first changes from round to round: the first is
 * the one that meets a core that has just been idle.
 */
export async function interleave<C extends { readonly name: string }>(
  contenders: readonly C[], rounds: number,
  run: (contender: C, round: number) => Promise<LoadResult>,
): Promise<Rounds> {
  const results = new Map(contenders.map(({ name }): [string, LoadResult[]] => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contender of rotated(contenders, round)) {
      results.get(contender.name)?.push(await run(contender, round));
    }
  }
  return results;
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

export function summarize(rounds: Rounds, baseline: string): Summary[] {
  const base = rounds.get(baseline) ?? [];
  return [...rounds].map(([name, results]) => summarizeOne(name, results, base));
}

function summarizeOne(
  name: string, rounds: readonly LoadResult[], base: readonly LoadResult[],
): Summary {
  const middle = (pick: (result: LoadResult) => number): number => median(rounds.map(pick));
  const ratio = (pick: (result: LoadResult) => number): number =>
    median(rounds.flatMap((result, round) => {
      const measure = base[round];
      const quotient = measure === undefined ? NaN : pick(result) / pick(measure);
      // CPU time is counted in ticks: a server that was given none of a short round shows none.
      return Number.isFinite(quotient) ? [quotient] : [];
    }));
  return {
    name,
    perSecond: middle((result) => result.perSecond),
    p50: middle((result) => result.p50),
    p99: middle((result) => result.p99),
    readP99: middle((result) => result.readP99),
    cpuMicros: middle((result) => result.cpuMicros),
    generatorBusy: middle((result) => result.generatorBusy),
    throughputRatio: ratio((result) => result.perSecond),
    cpuRatio: ratio((result) => result.cpuMicros),
    readP99Ratio: ratio((result) => result.readP99),
    rounds,
  };
}
