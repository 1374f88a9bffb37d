/**
 * GET /metrics (contract part 3): metrics of the requests, the store and the process, in Prometheus
 * text format 0.0.4. Process metrics have the names of Node's usual Prometheus library.
 */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { noCache, type Response } from "../http/response.ts";
import { type Histogram, latencyBounds, type Metrics } from "../http/metrics.ts";
import type { Route } from "../http/route.ts";
import { listedKinds } from "../resources/kinds.ts";
import { type Order, orders, orderStatuses } from "../resources/order.ts";
import type { Row } from "../store/rows.ts";
import type { Services } from "./services.ts";

const contentType = "text/plain; version=0.0.4; charset=utf-8";

export function metricsRoute(services: Services): Route {
  return {
    method: "GET",
    path: "/metrics",
    rule: "reader",
    handle: () => metricsResponse(services),
  };
}

/** The interval at which Node measures the delay of the event loop. */
const resolutionMs = 20;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

async function metricsResponse({ store, metrics }: Services): Promise<Response> {
  const isWritable = await store.requireWritable().then(() => 1, () => 0);
  const { user, system } = process.cpuUsage();
  const counts = listedKinds.map((kind) => [{ kind: kind.name }, store.count(kind)] as const);
  const byStatus = countByStatus(store.rows(orders));
  const statuses = Array.from(byStatus, ([status, count]) => [{ status }, count] as const);
  const body = [
    ...requests(metrics),
    gauge("forno_store_writable", "1 if a write would be stored, else 0.", isWritable),
    gauge("forno_store_resources", "Resources in the store, by kind.", counts),
    gauge("forno_orders", "Orders in the store, by status.", statuses),
    gauge("forno_store_file_bytes", "Bytes in the store's file.", store.file.length),
    histogram("forno_store_fsync_duration_seconds", "Time to bring a batch of writes to disk.", [
      [{}, metrics.sync],
    ]),
    counter(
      "process_cpu_seconds_total",
      "Total user and system CPU time spent in seconds.",
      (user + system) / 1e6,
    ),
    gauge(
      "process_resident_memory_bytes",
      "Resident memory size in bytes.",
      process.memoryUsage.rss(),
    ),
    gauge(
      "process_start_time_seconds",
      "Start time of the process since unix epoch in seconds.",
      performance.timeOrigin / 1_000,
    ),
    gauge(
      "nodejs_eventloop_lag_mean_seconds",
      "The mean of the event loop delays since the last scrape.",
      beyondResolution(delay.mean),
    ),
    gauge(
      "nodejs_eventloop_lag_p99_seconds",
      "The 99th percentile of the event loop delays since the last scrape.",
      beyondResolution(delay.percentile(99)),
    ),
  ].join("");
  delay.reset();
  return { status: 200, headers: ["Content-Type", contentType, ...noCache], body };
}

function countByStatus(rows: readonly Row<Order>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>(orderStatuses.map((status) => [status, 0]));
  for (const { value: { status } } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

/** Node's values include the interval itself. NaN: nothing was measured yet. */
function beyondResolution(nanoseconds: number): number {
  return Math.max(0, (nanoseconds || 0) / 1e9 - resolutionMs / 1_000);
}

/** Only routes that were requested; `route="unmatched"` is for everything that matched none. */
function requests({ routes }: Metrics): readonly string[] {
  const requested = [...routes.values()].filter(({ byStatus }) => byStatus.size > 0);
  const byStatus = requested.flatMap(({ method, path, byStatus }) =>
    [...byStatus].map(([status, count]) => {
      return [{ method, route: path, status: `${status}` }, count] as const;
    }),
  );
  return [
    counter(
      "forno_http_requests_total",
      "Requests answered, by method, route and status. HEAD counts as GET.",
      byStatus,
    ),
    histogram(
      "forno_http_request_duration_seconds",
      "From the end of a request's header until its response is handed to the socket.",
      requested.map(({ method, path, latency }) => [{ method, route: path }, latency]),
    ),
  ];
}

type Labels = Readonly<Record<string, string>>;
type Samples = number | readonly (readonly [labels: Labels, value: number])[];

function counter(name: string, help: string, samples: Samples): string {
  return family(name, "counter", help, samplesText(name, samples));
}

function gauge(name: string, help: string, samples: Samples): string {
  return family(name, "gauge", help, samplesText(name, samples));
}

/** A bucket counts everything at or below its bound. */
function histogram(
  name: string,
  help: string,
  series: readonly (readonly [labels: Labels, histogram: Histogram])[],
): string {
  const texts = series.map(([labels, { counts, sum }]) => {
    let count = 0;
    const buckets = [...latencyBounds, "+Inf"].map((bound, index) => {
      count += counts[index] ?? 0;
      return sample(`${name}_bucket`, { ...labels, le: `${bound}` }, count);
    });
    return [...buckets, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, count)];
  });
  return family(name, "histogram", help, texts.flat().join(""));
}

function family(name: string, type: string, help: string, samples: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples}`;
}

function samplesText(name: string, samples: Samples): string {
  if (typeof samples === "number") return sample(name, {}, samples);
  return samples.map(([labels, value]) => sample(name, labels, value)).join("");
}

/** Labels are routes, statuses and fixed names, so nothing needs escaping. */
function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
}
