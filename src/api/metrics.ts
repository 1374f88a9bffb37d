/**
 * What GET /metrics answers: what the service has counted, what is in the store, and the state of
 * the process, under the names that dashboards for Node know.
 */

import { readdirSync, readFileSync } from "node:fs";
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";
import { type Answer, noCache } from "../http/answer.ts";
import { Histogram, type Metrics, type RouteMetrics } from "../http/metrics.ts";
import type { Kind } from "../resources/kind.ts";
import { orderStatuses } from "../resources/model.ts";
import { orders } from "../resources/order.ts";
import { version } from "../settings.ts";
import type { Store } from "../store/store.ts";
import { contentType, exposition, type Family } from "./exposition.ts";

export interface MetricsOptions {
  readonly kinds: readonly Kind[];
  readonly store: Store;
  readonly metrics: Metrics;
}

/** GET /metrics. Takes a turn of the event loop, to see how long one takes. */
export async function metricsAnswer({ kinds, store, metrics }: MetricsOptions): Promise<Answer> {
  const isWritable = await store.requireWritable().then(() => 1, () => 0);
  const lagSeconds = await eventLoopLag();
  const body = exposition([
    ["forno_build_info", "gauge", "The version of Forno.", [[{ version }, 1]]],
    ...requests(metrics),
    ["forno_store_writable", "gauge", "Whether a write would be stored, 1 or 0.", isWritable],
    [
      "forno_store_resources",
      "gauge",
      "Resources in the store, by kind.",
      kinds.map(({ name }) => [{ kind: name }, store.table(name).rows.length]),
    ],
    [
      "forno_orders",
      "gauge",
      "Orders in the store, by status.",
      orderStatuses.map((status) => {
        return [{ status }, store.table(orders.name).indexed("status", status).length];
      }),
    ],
    [
      "forno_store_journal_bytes",
      "gauge",
      "Bytes in the journals, which the next start replays.",
      store.journalBytes,
    ],
    [
      "forno_store_fsync_duration_seconds",
      "histogram",
      "How long it took to bring a batch of writes to disk.",
      [[{}, metrics.sync]],
    ],
    ["forno_event_streams", "gauge", "Open streams of events.", metrics.eventStreams],
    ...usage(),
    ...memory(),
    ...eventLoop(lagSeconds),
    [
      "nodejs_gc_duration_seconds",
      "histogram",
      "Garbage collection duration by kind, one of minor, major, incremental or weakcb.",
      [...collections.values()],
    ],
    nodeVersion(),
  ]);
  return { status: 200, headers: ["Content-Type", contentType, ...noCache], body };
}

/** Series of routes that have been asked for; `route="unmatched"` is all that no route answered. */
function requests({ routes }: Metrics): readonly Family[] {
  const asked = [...routes.values()].filter(({ byStatus }) => byStatus.size > 0);
  const series = asked.map((route) => {
    const { method, path } = route;
    return [{ method, route: path }, route] as const;
  });
  return [
    [
      "forno_http_requests_total",
      "counter",
      "Requests answered, by method, route and status. HEAD counts as GET.",
      series.flatMap(([labels, { byStatus }]) =>
        [...byStatus].map(([code, count]) => [{ ...labels, status: `${code}` }, count] as const),
      ),
    ],
    [
      "forno_http_server_errors_total",
      "counter",
      "Requests answered with a 5xx, by status: there before the first, so that its rise is seen.",
      serverErrors(asked).map(([status, count]) => [{ status: `${status}` }, count]),
    ],
    [
      "forno_http_request_duration_seconds",
      "histogram",
      "From the end of a request's header to its answer being handed to the socket.",
      series.map(([labels, { latency }]) => [labels, latency]),
    ],
    [
      "forno_http_response_bytes_total",
      "counter",
      "Bytes in the bodies of answers, those apart that are sent piece by piece.",
      series.map(([labels, { bytesSent }]) => [labels, bytesSent]),
    ],
  ];
}

function serverErrors(routes: readonly RouteMetrics[]): [status: number, count: number][] {
  const counts = new Map([[500, 0], [503, 0]]);
  for (const [status, count] of routes.flatMap(({ byStatus }) => [...byStatus])) {
    if (status >= 500) counts.set(status, (counts.get(status) ?? 0) + count);
  }
  return [...counts];
}

function usage(): readonly Family[] {
  const { user, system } = process.cpuUsage();
  const cpu = (name: string, what: string, microseconds: number): Family =>
    [name, "counter", `${what} CPU time spent in seconds.`, microseconds / 1e6];
  return [
    cpu("process_cpu_user_seconds_total", "Total user", user),
    cpu("process_cpu_system_seconds_total", "Total system", system),
    cpu("process_cpu_seconds_total", "Total user and system", user + system),
    [
      "process_start_time_seconds",
      "gauge",
      "Start time of the process since unix epoch in seconds.",
      performance.timeOrigin / 1_000,
    ],
    ...ifKnown("process_open_fds", "Number of open file descriptors.", openFiles()),
    ...ifKnown(
      "process_max_fds",
      "Maximum number of open file descriptors.",
      proc("limits", /^Max open files +(\d+)/m),
    ),
  ];
}

function memory(): readonly Family[] {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const kilobytes = proc("status", /^VmSize:\s*(\d+) kB/m);
  const virtual = kilobytes && kilobytes * 1_024;
  const bytes = (name: string, what: string, value: number): Family =>
    [name, "gauge", `${what} in bytes.`, value];
  return [
    bytes("process_resident_memory_bytes", "Resident memory size", rss),
    ...ifKnown("process_virtual_memory_bytes", "Virtual memory size in bytes.", virtual),
    bytes("nodejs_heap_size_total_bytes", "Process heap size from Node.js", heapTotal),
    bytes("nodejs_heap_size_used_bytes", "Process heap size used from Node.js", heapUsed),
    bytes("nodejs_external_memory_bytes", "Node.js external memory size", external),
  ];
}

function ifKnown(name: string, help: string, value: number | undefined): readonly Family[] {
  return value === undefined ? [] : [[name, "gauge", help, value]];
}

/** The number that the pattern finds in a file of /proc/self; undefined where there is none. */
function proc(file: string, pattern: RegExp): number | undefined {
  try {
    const [, digits] = pattern.exec(readFileSync(`/proc/self/${file}`, "utf8")) ?? [];
    return digits === undefined ? undefined : Number(digits);
  } catch {
    return undefined; // Not every system has a /proc.
  }
}

function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}

/** How often the event loop is looked at. */
const resolutionMs = 20;

/** Observed from now on, by this module being loaded; neither keeps the process alive. */
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

/** By what node calls the kind of a garbage collection: its label, and how long each took. */
const collections = new Map(
  ([
    ["minor", constants.NODE_PERFORMANCE_GC_MINOR],
    ["major", constants.NODE_PERFORMANCE_GC_MAJOR],
    ["incremental", constants.NODE_PERFORMANCE_GC_INCREMENTAL],
    ["weakcb", constants.NODE_PERFORMANCE_GC_WEAKCB],
  ] as const).map(([kind, flag]) => [flag, [{ kind }, new Histogram()] as const]),
);

/** An entry of the type "gc". */
type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } };

new PerformanceObserver((list) => {
  for (const { detail, duration } of list.getEntries() as Collection[]) {
    collections.get(detail.kind)?.[1].observe(duration / 1_000);
  }
}).observe({ entryTypes: ["gc"] });

/** The delays since the last call, which this one resets. */
function eventLoop(lagSeconds: number): readonly Family[] {
  const lag = (suffix: string, what: string, seconds: number): Family =>
    [`nodejs_eventloop_lag_${suffix}`, "gauge", `${what} in seconds.`, seconds];
  const percentiles = [50, 90, 99].map((percent) => {
    const what = `The ${percent}th percentile of the recorded event loop delays`;
    return lag(`p${percent}_seconds`, what, beyondInterval(delay.percentile(percent)));
  });
  const mean = beyondInterval(delay.mean);
  delay.reset();
  return [
    lag("seconds", "Lag of event loop", lagSeconds),
    lag("mean_seconds", "The mean of the recorded event loop delays", mean),
    ...percentiles,
  ];
}

/** Resolves to the seconds that a callback has to wait right now. */
async function eventLoopLag(): Promise<number> {
  const asked = performance.now();
  await new Promise((resolve) => setImmediate(resolve));
  return (performance.now() - asked) / 1_000;
}

/**
 * Node counts the time between two looks, of which the interval itself is no delay. NaN: nothing
 * was recorded yet.
 */
function beyondInterval(nanoseconds: number): number {
  return Math.max(0, (nanoseconds || 0) / 1e9 - resolutionMs / 1_000);
}

function nodeVersion(): Family {
  const [major = "", minor = "", patch = ""] = process.version.slice(1).split(".");
  const labels = { version: process.version, major, minor, patch };
  return ["nodejs_version_info", "gauge", "Node.js version info.", [[labels, 1]]];
}
