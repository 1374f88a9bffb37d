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
import { measureWorkloads } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
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

const parts: Readonly<Record<string, () => Promise<string>>> = {
  workloads: () => measureWorkloads(dists, effort),
  "hold-ups": () => measureHoldUps(own, orders),
};

if (only !== undefined && !(only in parts)) {
  console.error(`--only ${only}: expected one of ${Object.keys(parts).join(", ")}`);
  process.exit(1);
}
console.log(`Node ${process.version}, ${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores\n`);
for (const [name, measure] of Object.entries(parts)) {
  if (only === undefined || only === name) console.log(`${await measure()}\n`);
}
// The children are still connected; the exit ends them.
process.exit(0);
