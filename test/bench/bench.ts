/**
 * `npm run bench`: prints Markdown tables on stdout and progress on stderr, and leaves nothing
 * behind. An answer with the wrong status ends it with exit code 1. README.md beside this file
 * explains the options.
 */

import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureHoldUps } from "./hold-ups.ts";
import { writeDocument } from "./pizzeria.ts";
import { median, progress, residentMiB, restored, startForno, subfolder, table }
  from "./programs.ts";
import { measureWorkloads } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    against: { type: "string" },
    orders: { type: "string" },
    row: { type: "string", default: "" },
    seconds: { type: "string" },
  },
});
const { quick, only, against, row } = values;
const orders = Number(values.orders ?? (quick ? 100_000 : 1_000_000));
const milliseconds = 1_000 * Number(values.seconds ?? (quick ? 0.4 : 1.5));
const effort = { rounds: quick ? 2 : 7, milliseconds, row };

const own = fileURLToPath(new URL("../../dist", import.meta.url));
const dists = new Map([["forno", own]]);
if (against !== undefined) dists.set("other", join(resolve(against), "dist"));

/** From the start of the process until it is ready, and what it holds in memory then. */
async function measureStart(): Promise<string> {
  progress("start");
  const document = await writeDocument("start", 10_000);
  const rows: string[][] = [];
  for (const [name, dist] of dists) {
    const filled = await restored(dist, document, `start-${name}`);
    const times: Record<string, number[]> = { empty: [], filled: [] };
    let memory = 0;
    for (let round = 0; round < effort.rounds; round++) {
      const folders = { empty: subfolder(`empty-${name}-${round}`), filled };
      for (const [what, dataDir] of Object.entries(folders)) {
        const server = await startForno(dist, dataDir, name);
        times[what]?.push(server.startMs);
        memory = residentMiB(server);
        await server.program.stop();
      }
    }
    const [empty, full] = [median(times["empty"] ?? []), median(times["filled"] ?? [])];
    rows.push([name, empty.toFixed(0), full.toFixed(0), memory.toFixed(0)]);
  }
  return table(["start", "new store, ms", "10,000 orders, ms", "MiB"], ...rows);
}

const parts: Readonly<Record<string, () => Promise<string>>> = {
  workloads: () => measureWorkloads(dists, effort),
  start: measureStart,
  "hold-ups": () => measureHoldUps(own, orders),
};

const unknown = only.find((name) => !(name in parts));
if (unknown !== undefined) {
  console.error(`--only ${unknown}: expected one of ${Object.keys(parts).join(", ")}`);
  process.exit(1);
}
console.log(`Node ${process.version}, ${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores\n`);
for (const [name, measure] of Object.entries(parts)) {
  if (only.length === 0 || only.includes(name)) console.log(`${await measure()}\n`);
}
// The children are still connected; the exit ends them.
process.exit(0);
