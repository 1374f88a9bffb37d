/** The bench's figures as Markdown tables, with what is wanted of each beside it. */

import type { WorkloadResult } from "./contest.ts";
import type { DeviceFloor } from "./device.ts";
import { allowedGrowth, type GrowthResult } from "./growth.ts";
import type { Summary } from "./rounds.ts";
import { type StartUp, wantedStartUp } from "./start-up.ts";

export interface Figures {
  readonly device?: readonly DeviceFloor[];
  readonly startUp?: StartUp;
  readonly workloads: readonly WorkloadResult[];
  readonly growth?: GrowthResult;
}

/** A server with time to spare beside a generator with little was not what set the pace. */
const generatorLimit = 0.6;
const serverLimit = 0.9;

export function report({ device, startUp, workloads, growth }: Figures): string {
  const parts = [
    ...(workloads.length > 0 ? [workloadTable(workloads), ...generatorNotes(workloads)] : []),
    ...(growth ? [sizeTable(growth), growthTable(growth)] : []),
    ...(startUp ? [startUpTable(startUp)] : []),
    ...(device ? [deviceTable(device)] : []),
  ];
  return parts.join("\n\n");
}

/** A Markdown table with its columns lined up; all but the first are numbers, to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? title).length)),
  );
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(" | ")} |`;
  };
  const rule = widths.map((width, column) => "-".repeat(column === 0 ? width : width - 1));
  const ruled = rule.map((dashes, column) => (column === 0 ? dashes : `${dashes}:`));
  return [line(head), line(ruled), ...rows.map(line)].join("\n");
}

function workloadTable(results: readonly WorkloadResult[]): string {
  const head = [
    "workload", "server", "req/s", "p50 ms", "p99 ms", "CPU µs",
    "req/s × naive", "wanted", "CPU × naive", "wanted",
  ];
  return table(head, results.flatMap((result) => [
    ...result.summaries.map((summary) => workloadRow(result, summary)),
    ...extraRows(result),
  ]));
}

function workloadRow({ workload, summaries }: WorkloadResult, summary: Summary): string[] {
  const isForno = summary === summaries[0];
  const { throughput, cpu } = workload.wanted;
  return [
    isForno ? workload.title : "", summary.name,
    Math.round(summary.perSecond).toLocaleString("en"),
    milliseconds(summary.p50), milliseconds(summary.p99), summary.cpuMicros.toFixed(1),
    summary.throughputRatio.toFixed(2), isForno ? atLeast(summary.throughputRatio, throughput) : "",
    summary.cpuRatio.toFixed(3), isForno ? atMost(summary.cpuRatio, cpu) : "",
  ];
}

/** Wishes that have no column of their own. */
function extraRows({ workload, summaries, firstByte }: WorkloadResult): string[][] {
  const { readP99, firstByte: wantedFirstByte } = workload.wanted;
  const reads = readP99 === undefined ? [] : summaries.map((summary, index) => [
    index === 0 ? "- its reads alone" : "", summary.name, "", "", milliseconds(summary.readP99), "",
    index === 0 ? `p99 × ${summary.readP99Ratio.toFixed(2)}` : "",
    index === 0 ? atMost(summary.readP99Ratio, readP99) : "", "", "",
  ]);
  const first = Object.entries(firstByte ?? {}).map(([name, time], index) => [
    index === 0 ? "- first byte, 1 connection" : "", name, "", milliseconds(time), "", "", "",
    index === 0 ? atMost(time, wantedFirstByte, " ms") : "", "", "",
  ]);
  return [...reads, ...first];
}

function generatorNotes(results: readonly WorkloadResult[]): string[] {
  const notes = results.flatMap(({ workload, summaries }) =>
    summaries
      .filter((summary) => summary.generatorBusy > generatorLimit && busy(summary) < serverLimit)
      .map(({ name, generatorBusy }) =>
        `${workload.title}, ${name}: the load generator was ${percent(generatorBusy)} busy; ` +
        "throughput is a lower bound, CPU per request stands."),
  );
  return notes.length > 0 ? [notes.join("\n")] : [];
}

/** Share of a core that the server used under load; writes wait for the disk as well. */
function busy({ perSecond, cpuMicros }: Summary): number {
  return (perSecond * cpuMicros) / 1e6;
}

function sizeTable({ sizes }: GrowthResult): string {
  const head = ["orders", "start ms", "lines parsed, ms", "memory MB", "on disk MB"];
  return table(head, sizes.map((size) => [
    size.orders.toLocaleString("en"), size.startMs.toFixed(0), size.parseFloorMs.toFixed(0),
    megabytes(size.residentBytes), megabytes(size.diskBytes),
  ]));
}

function growthTable({ lines }: GrowthResult): string {
  const head = [
    "with more orders", "orders", "req/s", "p50 ms", "p99 ms", "CPU µs",
    "req/s × smallest", "wanted", "CPU × smallest", "wanted",
  ];
  return table(head, lines.flatMap(({ title, summaries }) => summaries.map((summary, index) => [
    index === 0 ? title : "", summary.name, Math.round(summary.perSecond).toLocaleString("en"),
    milliseconds(summary.p50), milliseconds(summary.p99), summary.cpuMicros.toFixed(1),
    summary.throughputRatio.toFixed(2),
    index === 0 ? "" : atLeast(summary.throughputRatio, 1 - allowedGrowth),
    summary.cpuRatio.toFixed(2), index === 0 ? "" : atMost(summary.cpuRatio, 1 + allowedGrowth),
  ])));
}

function startUpTable({ emptyMs, ordersMs, memoryAboveNaive }: StartUp): string {
  const wanted = wantedStartUp;
  const mebibyte = 2 ** 20;
  return table(["start", "measured", "wanted"], [
    ["to ready, empty store, ms", emptyMs.toFixed(0), atMost(emptyMs, wanted.emptyMs)],
    ["to ready, 10,000 orders, ms", ordersMs.toFixed(0), atMost(ordersMs, wanted.ordersMs)],
    ["idle memory above naive's, MB", megabytes(memoryAboveNaive),
      atMost(memoryAboveNaive / mebibyte, wanted.memoryAboveNaive / mebibyte)],
  ]);
}

function deviceTable(floors: readonly DeviceFloor[]): string {
  const head = ["appends of 300 bytes, fdatasync", "appends/s", "p50 ms", "p99 ms"];
  return table(head, floors.map(({ batch, appendsPerSecond, p50, p99 }) => [
    batch === 1 ? "each alone" : `${batch} share one`,
    Math.round(appendsPerSecond).toLocaleString("en"), milliseconds(p50), milliseconds(p99),
  ]));
}

function atLeast(value: number, wanted: number | undefined): string {
  return wanted === undefined ? "" : `≥ ${wanted} ${value >= wanted ? "✓" : "✗"}`;
}

function atMost(value: number, wanted: number | undefined, unit = ""): string {
  return wanted === undefined ? "" : `≤ ${wanted}${unit} ${value <= wanted ? "✓" : "✗"}`;
}

function milliseconds(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
