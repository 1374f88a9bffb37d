/**
 * What a larger store costs: the same requests on stores of several sizes, side by side, as
 * ratios to the smallest; and what each size takes to start, in memory and on disk.
 */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { newOrderBody, orderId, seededFolder } from "./fixture.ts";
import { median } from "./latencies.ts";
import type { LoadRequest } from "./load-job.ts";
import type { Effort } from "./options.ts";
import { residentBytes } from "./process-cpu.ts";
import { progress } from "./progress.ts";
import { interleave, summarize, type Summary } from "./rounds.ts";
import { staffToken, type Contender, type Servers } from "./servers.ts";
import { timeStart } from "./start-up.ts";
import { create, get } from "./workloads.ts";

export interface SizeResult {
  readonly orders: number;
  readonly startMs: number;
  /** The same lines read and parsed by a bare script, from its start to its end. */
  readonly parseFloorMs: number;
  readonly residentBytes: number;
  readonly diskBytes: number;
}

export interface GrowthResult {
  readonly sizes: readonly SizeResult[];
  readonly lines: readonly { readonly title: string; readonly summaries: readonly Summary[] }[];
}

/** Every line of every size within this of the smallest size's. */
export const allowedGrowth = 0.15;

/** On the board at any size. */
const open = 40;
const connections = 64;

interface Line {
  readonly title: string;
  readonly requests: (lane: number, orders: number, token: string) => LoadRequest[];
}

const lines: readonly Line[] = [
  {
    title: "read one",
    // From all over the store, so that a large one does not stay in the processor's cache.
    requests: (lane, orders) =>
      Array.from({ length: 64 }, (_, n) =>
        get(`/api/orders/${orderId(((lane * 64 + n) * 7919) % orders)}`),
      ),
  },
  { title: "page of 50", requests: () => [get("/api/orders?limit=50")] },
  { title: `board filter, ${open} match`, requests: () => [get("/api/orders?status=Preparing")] },
  {
    title: "durable create",
    // Closed ones, so that the board keeps its length; the last line, since it makes stores grow.
    requests: (lane, _orders, token) => [create(newOrderBody(lane, "Delivered"), token)],
  },
];

interface SizedContender extends Contender {
  readonly orders: number;
}

export async function measureGrowth(servers: Servers, effort: Effort): Promise<GrowthResult> {
  const sizes: SizeResult[] = [];
  const contenders: SizedContender[] = [];
  for (const orders of effort.growthSizes) {
    progress(`growth: a store of ${orders.toLocaleString("en")} orders`);
    const dataDir = await seededFolder(servers, `growth-${orders}`, orders, open);
    const { startMs, parseFloorMs } = await measureStart(servers, effort, dataDir);
    const contender = await servers.forno(dataDir, orders.toLocaleString("en"));
    const resident = residentBytes(contender.program.pid);
    contenders.push({ ...contender, orders });
    sizes.push({
      orders, startMs, parseFloorMs, residentBytes: resident, diskBytes: folderBytes(dataDir),
    });
  }
  const measured = await measureLines(servers, effort, contenders);
  for (const { program } of contenders) await program.stop("SIGKILL");
  return { sizes, lines: measured };
}

async function measureLines(
  servers: Servers, effort: Effort, contenders: readonly SizedContender[],
): Promise<{ title: string; summaries: Summary[] }[]> {
  const generator = servers.generator();
  const token = staffToken();
  const baseline = contenders[0]?.name ?? "";
  const measured = [];
  for (const { title, requests } of lines) {
    progress(`growth: ${title}`);
    const run = (contender: SizedContender, milliseconds: number) =>
      generator.run(
        contender, milliseconds,
        Array.from({ length: connections }, (_, lane) => requests(lane, contender.orders, token)),
      );
    for (const contender of contenders) await run(contender, effort.warmUpMilliseconds);
    const rounds = await interleave(contenders, effort.rounds, (contender) =>
      run(contender, effort.milliseconds),
    );
    measured.push({ title, summaries: summarize(rounds, baseline) });
  }
  return measured;
}

async function measureStart(
  servers: Servers, effort: Effort, dataDir: string,
): Promise<{ startMs: number; parseFloorMs: number }> {
  const starts: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < Math.min(3, effort.starts); round++) {
    starts.push(await timeStart(servers, dataDir));
    const began = performance.now();
    const floor = servers.once("parse-floor", [dataDir]);
    await floor.hear();
    floors.push(performance.now() - began);
    await floor.stop("SIGKILL");
  }
  return { startMs: median(starts), parseFloorMs: median(floors) };
}

function folderBytes(folder: string): number {
  return readdirSync(folder)
    .map((name) => statSync(join(folder, name)).size)
    .reduce((sum, size) => sum + size, 0);
}
