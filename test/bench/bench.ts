/**
 * Forno against bare node:http, in one run: `npm run bench`. Prints tables on stdout and progress
 * on stderr, writes every round's figures as JSON, and leaves nothing else behind. An answer with
 * the wrong status ends it with exit code 1; a missed wish does not, machines being what they are.
 */

import { existsSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { runContest } from "./contest.ts";
import { isInMemory, measureDevice } from "./device.ts";
import { measureGrowth } from "./growth.ts";
import { type BenchOptions, type Effort, parseOptions, quick, thorough, usage } from "./options.ts";
import { progress } from "./progress.ts";
import { type Figures, report } from "./report.ts";
import { dist, Servers } from "./servers.ts";
import { measureStartUp } from "./start-up.ts";
import { Workspace } from "./workspace.ts";
import { workloads } from "./workloads.ts";

const parts = [...workloads.map(({ name }) => name), "growth", "start", "device"];

async function measure(options: BenchOptions, effort: Effort): Promise<Figures> {
  const runs = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
  const workspace = new Workspace();
  const servers = new Servers(workspace);
  if (servers.cores === undefined) progress("no taskset here: load and servers share the cores");
  if (isInMemory(workspace.folder)) progress(`${workspace.folder} is in memory: set TMPDIR`);
  if (runs("device")) progress("the raw device");
  const device = runs("device") && measureDevice(workspace.folder, effort.milliseconds * 2);
  if (runs("start")) progress("start-up and idle memory");
  const startUp = runs("start") && (await measureStartUp(servers, effort));
  const chosen = workloads.filter(({ name }) => runs(name));
  const contest = chosen.length > 0 ? await runContest(servers, chosen, effort) : [];
  const growth = runs("growth") && (await measureGrowth(servers, effort));
  return {
    workloads: contest,
    ...(device && { device }), ...(startUp && { startUp }), ...(growth && { growth }),
  };
}

function machine(): object {
  return {
    date: new Date().toISOString(), node: process.version, platform: process.platform,
    cpu: cpus()[0]?.model ?? "unknown", cores: availableParallelism(),
  };
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2), parts);
  if (options.help) return void process.stdout.write(`${usage(parts)}\n`);
  if (!existsSync(join(dist, "server.js"))) throw new Error("dist is missing: npm run build first");
  const figures = await measure(options, options.quick ? quick : thorough);
  process.stdout.write(`${report(figures)}\n`);
  const everything = { machine: machine(), quick: options.quick, ...figures };
  writeFileSync(options.jsonFile, `${JSON.stringify(everything, undefined, 1)}\n`);
  progress(`every round's figures are in ${options.jsonFile}`);
}

try {
  await main();
  // The generators and their channels are still open; the exit ends them.
  process.exit(0);
} catch (cause) {
  process.stderr.write(`bench: ${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exit(1);
}
