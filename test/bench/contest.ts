/** Forno beside the two bare servers, a workload at a time, on one store of 10,000 orders. */

import type { BareAnswer } from "./bare-server.ts";
import { orderId, seededFolder } from "./fixture.ts";
import type { LoadJob } from "./load-job.ts";
import type { Effort } from "./options.ts";
import { progress } from "./progress.ts";
import { interleave, summarize, type Summary } from "./rounds.ts";
import type { BareServer, Contender, Generator, Servers } from "./servers.ts";
import { staffToken } from "./servers.ts";
import type { Workload } from "./workloads.ts";

export interface WorkloadResult {
  readonly workload: Workload;
  readonly summaries: readonly Summary[];
  /** Milliseconds to the first byte for a lone client, by server; where that is wanted. */
  readonly firstByte?: Readonly<Record<string, number>>;
}

interface Contest {
  readonly forno: Contender;
  readonly naive: BareServer;
  readonly tuned: BareServer;
  readonly generator: Generator;
  readonly effort: Effort;
  readonly token: string;
}

export async function runContest(
  servers: Servers, workloads: readonly Workload[], effort: Effort,
): Promise<WorkloadResult[]> {
  progress("making a store of 10,000 orders");
  const dataDir = await seededFolder(servers, "contest", 10_000, 40);
  const [forno, naive, tuned] = await Promise.all([
    servers.forno(dataDir), servers.bare("naive"), servers.bare("tuned"),
  ]);
  const generator = servers.generator();
  const contest = { forno, naive, tuned, generator, effort, token: staffToken() };
  const results: WorkloadResult[] = [];
  for (const workload of workloads) {
    progress(workload.title);
    results.push(await runWorkload(contest, workload));
  }
  for (const { program } of [forno, naive, tuned]) await program.stop("SIGKILL");
  return results;
}

async function runWorkload(contest: Contest, workload: Workload): Promise<WorkloadResult> {
  const { forno, naive, tuned, generator, effort } = contest;
  const answer = await fetchAnswer(forno, workload);
  await Promise.all([naive.prepare(answer), tuned.prepare(answer)]);
  const contenders = workload.writes ? [forno, naive] : [forno, naive, tuned];
  const etags = await fetchEtags(forno, workload);
  const lanes = (round: number): LoadJob["lanes"] => lanesOf(contest, workload, etags, round);
  // An odd round before the first: it leaves the orders in statuses that the first one changes.
  for (const contender of contenders) {
    await generator.run(contender, effort.warmUpMilliseconds, lanes(1));
  }
  const rounds = await interleave(contenders, effort.rounds, (contender, round) =>
    generator.run(contender, effort.milliseconds, lanes(round)),
  );
  const summaries = summarize(rounds, naive.name);
  if (workload.wanted.firstByte === undefined) return { workload, summaries };
  return { workload, summaries, firstByte: await firstBytes(contest, contenders, lanes(0)) };
}

function lanesOf(
  { token }: Contest, workload: Workload, etags: readonly string[], round: number,
): LoadJob["lanes"] {
  const etag = (index: number): string => etags[index] ?? "";
  return Array.from({ length: workload.connections }, (_, lane) =>
    workload.requests({ lane, round, token, etag }),
  );
}

async function firstBytes(
  { generator, effort }: Contest, contenders: readonly Contender[], lanes: LoadJob["lanes"],
): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const contender of contenders) {
    const alone = await generator.run(contender, effort.milliseconds, lanes.slice(0, 1));
    times[contender.name] = alone.firstByteP50;
  }
  return times;
}

async function fetchAnswer(forno: Contender, workload: Workload): Promise<BareAnswer> {
  const response = await fetchOk(forno, workload.model);
  const body = await response.text();
  const { headers } = response;
  const contentType = headers.get("content-type") ?? "";
  const etag = headers.get("etag") ?? "";
  if (workload.conditional) return { status: 304, contentType, etag, body: "", value: null };
  return { status: 200, contentType, etag, body, value: JSON.parse(body) };
}

/** The ETags of the orders that lanes ask for again, by the order's index. */
async function fetchEtags(forno: Contender, workload: Workload): Promise<string[]> {
  if (!workload.conditional) return [];
  const etags: string[] = [];
  for (let index = 0; index < workload.connections; index++) {
    const response = await fetchOk(forno, `/api/orders/${orderId(index)}`);
    await response.text();
    etags.push(response.headers.get("etag") ?? "");
  }
  return etags;
}

async function fetchOk(forno: Contender, path: string): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${forno.port}${path}`);
  if (response.status === 200) return response;
  throw new Error(`GET ${path}: expected 200, got ${response.status}\n${await response.text()}`);
}
