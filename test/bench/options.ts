/** The bench's command line. */

import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Short rounds and a small growth, to end within a minute. */
  readonly quick: boolean;
  /** Names of the parts to run; empty means all. */
  readonly only: readonly string[];
  readonly jsonFile: string;
  readonly help: boolean;
}

/**
 * How long things are measured. Many short rounds beat few long ones: noise comes in spells. The
 * warm-up is for the compiler: what a server does in its first seconds is not what it does later.
 */
export interface Effort {
  readonly rounds: number;
  readonly milliseconds: number;
  readonly warmUpMilliseconds: number;
  readonly starts: number;
  /** Orders in the stores that growth compares, the first being the measure. */
  readonly growthSizes: readonly number[];
}

export const thorough: Effort = {
  rounds: 7,
  milliseconds: 1000,
  warmUpMilliseconds: 2000,
  starts: 7,
  growthSizes: [1_000, 100_000, 1_000_000],
};

export const quick: Effort = {
  rounds: 3,
  milliseconds: 150,
  warmUpMilliseconds: 400,
  starts: 3,
  growthSizes: [1_000, 10_000],
};

export function usage(parts: readonly string[]): string {
  return `npm run bench -- [--quick] [--only PART]... [--json FILE]

  --quick      short rounds and a small growth, within a minute
  --only PART  one part alone; may be given more than once: ${parts.join(", ")}
  --json FILE  where the figures go (default bench-result.json)

The table goes to stdout, progress to stderr. Stores are made in the temporary folder: set TMPDIR
to measure another disk.`;
}

/** Throws Error on an unknown option or part. */
export function parseOptions(args: readonly string[], parts: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      json: { type: "string", default: "bench-result.json" },
      help: { type: "boolean", default: false },
    },
  });
  for (const name of values.only) {
    if (!parts.includes(name)) {
      throw new Error(`--only: expected one of ${parts.join(", ")}, got ${name}`);
    }
  }
  return { quick: values.quick, only: values.only, jsonFile: values.json, help: values.help };
}
