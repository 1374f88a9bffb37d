/**
 * The table: each workload on a naive node:http server, this Forno, and optionally another
 * checkout's, in turn. A ratio is taken within a round, since machines are noisy in spells.
 */

import type { Job, Result } from "./load.ts";
import type { Model } from "./naive-server.ts";
import { type Call, create, get, getUnlessChanged, orderId, setStatus, writeDocument } from "./pizzeria.ts";
import { cpuMicros, median, ownProgram, progress, restored, type Server, startForno, table }
  from "./programs.ts";

interface Workload {
  readonly title: string;
  readonly connections: number;
  /** The path whose answer the naive server gives to reads. */
  readonly model: string;
  readonly calls: (lane: number, round: number, tag: string) => Call[];
}

const pathOf = (index: number): string => `/api/orders/${orderId(index)}`;
const oneOrder = pathOf(1);

function several(count: number, call: (index: number) => Call): Call[] {
  return Array.from({ length: count }, (_, index) => call(index));
}

function reads(lane: number): Call[] {
  return several(16, (index) => get(pathOf(lane * 16 + index)));
}

function creates(lane: number): Call[] {
  return several(4, (index) => create(lane + index));
}

/** Two statuses in turn, and other two in the next round: what changes nothing is not written. */
function statusChanges(lane: number, round: number): Call[] {
  const [there, back] = round % 2 === 0 ? ["Ready", "Preparing"] : ["Pending", "Out for Delivery"];
  const calls = (status = ""): Call[] =>
    several(8, (index) => setStatus(lane * 8 + index, status));
  return [...calls(there), ...calls(back)];
}

/** The connections create at different turns, as strangers would. */
function mixed(lane: number): Call[] {
  return reads(lane).slice(0, 10).map((call, index) => index === lane % 10 ? create(lane) : call);
}

const workloads: readonly Workload[] = [
  { title: "read one order", connections: 64, model: oneOrder, calls: reads },
  {
    title: "not modified (304)", connections: 64, model: oneOrder,
    calls: (_lane, _round, tag) => [getUnlessChanged(oneOrder, tag)],
  },
  {
    title: "list of 50", connections: 64, model: "/api/beverages",
    calls: () => [get("/api/beverages")],
  },
  {
    title: "page of 50 orders", connections: 64, model: "/api/orders?limit=50",
    calls: () => [get("/api/orders?limit=50")],
  },
  ...[1, 64, 256].map((connections) => ({
    title: `durable create, ${connections} connection${connections === 1 ? "" : "s"}`,
    connections, model: oneOrder, calls: creates,
  })),
  { title: "status change, 64 connections", connections: 64, model: oneOrder, calls: statusChanges },
  { title: "nine reads to one create", connections: 64, model: oneOrder, calls: mixed },
];

interface Measured extends Result {
  readonly cpu: number;
}

export interface Effort {
  readonly rounds: number;
  readonly milliseconds: number;
  /** Only the rows with this text in their title. */
  readonly row: string;
}

/** `dists`: of what is compared with the naive server, by its name. */
export async function measureWorkloads(
  dists: ReadonlyMap<string, string>, effort: Effort,
): Promise<string> {
  const document = await writeDocument("workloads", 10_000);
  const naive = ownProgram("naive-server", "server");
  const port = await naive.ask<number>();
  const servers: Server[] = [{ name: "naive", port, program: naive, startMs: 0 }];
  for (const [name, dist] of dists) {
    const dataDir = await restored(dist, document, `workloads-${name}`);
    servers.push(await startForno(dist, dataDir, name));
  }
  const load = ownProgram("load", "load");

  const measure = async (server: Server, lanes: Job["lanes"], ms: number): Promise<Measured> => {
    const before = cpuMicros(server);
    const job: Job = { port: server.port, milliseconds: ms, lanes };
    const result = await load.ask<Result>(job);
    return { ...result, cpu: (cpuMicros(server) - before) / result.requests };
  };

  const rows: string[][] = [];
  for (const { title, connections, model, calls } of workloads) {
    if (!title.includes(effort.row)) continue;
    progress(title);
    const [, forno] = servers;
    const response = await fetch(`http://127.0.0.1:${forno?.port}${model}`);
    const etag = response.headers.get("etag") ?? "";
    const status = calls(0, 0, etag)[0]?.status ?? 200;
    await naive.ask({ status, etag, value: (await response.json()) as object } satisfies Model);
    const lanes = (round: number): Job["lanes"] =>
      Array.from({ length: connections }, (_, lane) => calls(lane, round, etag));
    for (const server of servers) await measure(server, lanes(1), effort.milliseconds / 2);
    const rounds = servers.map((): Measured[] => []);
    for (let round = 0; round < effort.rounds; round++) {
      for (let turn = 0; turn < servers.length; turn++) {
        // A server that always came first would always find an idle core.
        const index = (turn + round) % servers.length;
        rounds[index]?.push(await measure(servers[index]!, lanes(round), effort.milliseconds));
      }
    }
    rows.push(row(title, rounds));
  }
  for (const { program } of servers) await program.stop();
  await load.stop();
  const head = [...dists.keys()].flatMap((name) => [name, "× naive", "p99", "CPU", "× naive"]);
  return table(["requests per second, ms, µs", "naive", "p99", ...head], ...rows);
}

function row(title: string, [naive = [], ...others]: readonly Measured[][]): string[] {
  const middle = (results: readonly Measured[], pick: (result: Measured) => number): number =>
    median(results.map(pick));
  const ratio = (results: readonly Measured[], pick: (result: Measured) => number): string => {
    const ratios = results.map((result, round) => pick(result) / pick(naive[round] ?? result));
    return median(ratios.filter(Number.isFinite)).toFixed(2);
  };
  const perSecond = (results: readonly Measured[]): string =>
    Math.round(middle(results, (result) => result.perSecond)).toLocaleString("en");
  const p99 = (results: readonly Measured[]): string =>
    middle(results, (result) => result.p99).toFixed(1);
  const busy = Math.max(...[naive, ...others].map((all) => middle(all, (one) => one.busy)));
  return [
    // Where the load was busy itself, the servers may be faster than the table says.
    busy > 0.9 ? `${title} *` : title,
    perSecond(naive), p99(naive),
    ...others.flatMap((results) => [
      perSecond(results), ratio(results, (result) => result.perSecond), p99(results),
      middle(results, (result) => result.cpu).toFixed(0), ratio(results, (result) => result.cpu),
    ]),
  ];
}
