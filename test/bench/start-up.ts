/** How long Forno takes from its start to being ready, and what it holds in memory when idle. */

import { setTimeout as pause } from "node:timers/promises";
import { seededFolder } from "./fixture.ts";
import { median } from "./latencies.ts";
import type { Effort } from "./options.ts";
import { residentBytes } from "./process-cpu.ts";
import type { Contender, Servers } from "./servers.ts";

export interface StartUp {
  /** Milliseconds from the start of the process to the first 200 of /readyz, medians. */
  readonly emptyMs: number;
  readonly ordersMs: number;
  /** Bytes above an idle naive server's. */
  readonly memoryAboveNaive: number;
}

export const wantedStartUp: StartUp = {
  emptyMs: 150,
  ordersMs: 250,
  memoryAboveNaive: 20 * 2 ** 20,
};

export async function measureStartUp(servers: Servers, effort: Effort): Promise<StartUp> {
  const { workspace } = servers;
  const dataDir = await seededFolder(servers, "start", 10_000, 40);
  const empty: number[] = [];
  const orders: number[] = [];
  for (let round = 0; round < effort.starts; round++) {
    empty.push(await timeStart(servers, workspace.subfolder(`empty-${round}`)));
    orders.push(await timeStart(servers, dataDir));
  }
  const memoryAboveNaive = await measureIdle(servers, workspace.subfolder("idle"));
  return { emptyMs: median(empty), ordersMs: median(orders), memoryAboveNaive };
}

export async function timeStart(servers: Servers, dataDir: string): Promise<number> {
  const start = performance.now();
  const { program } = await servers.forno(dataDir);
  const milliseconds = performance.now() - start;
  await program.stop();
  return milliseconds;
}

async function measureIdle(servers: Servers, dataDir: string): Promise<number> {
  const contenders: Contender[] = [await servers.forno(dataDir), await servers.bare("naive")];
  await pause(500); // the start's own garbage is not idle memory yet
  const [forno = 0, naive = 0] = contenders.map(({ program }) => residentBytes(program.pid));
  for (const { program } of contenders) await program.stop();
  return forno - naive;
}
