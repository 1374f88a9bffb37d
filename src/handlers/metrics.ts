/**
 * GET /metrics, for staff and monitors: what the service has counted, what is in the store, and the
 * state of the process, under the names that dashboards for Node know.
 */

import { readdirSync, readFileSync } from "node:fs";
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";
import { noCache } from "../http/reply.ts";
import type { Route } from "../http/route.ts";
import { Histogram, type Metrics } from "../metrics.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { orderStatuses } from "../pizzeria/model.ts";
import { orders } from "../pizzeria/orders.ts";
import { version } from "../settings.ts";
import type { Store } from "../store/store.ts";
import { contentType, Exposition } from "./exposition.ts";
import { serviceTag } from "./operations.ts";

export interface MetricsOptions {
  readonly kinds: readonly Kind[];
  readonly store: Store;
  readonly metrics: Metrics;
}

/** GET /metrics. */
export function metricsRoutes(options: MetricsOptions): readonly Route[] {
  watchProcess();
  return [
    {
      method: "GET",
      path: "/metrics",
      rule: "metrics",
      handle: async () => ({
        status: 200,
        type: contentType,
        head: noCache,
        body: await expose(options),
      }),
      operation: {
        id: "getMetrics",
        tag: serviceTag,
        summary: "What has been counted",
        description:
          "For Prometheus: requests by route and status, their latency, the store, its disk, the " +
          "process.",
        answers: {
          200: { description: "Text format 0.0.4.", content: { "text/plain": { type: "string" } } },
        },
      },
    },
  ];
}

async function expose({ kinds, store, metrics }: MetricsOptions): Promise<string> {
  const exposition = new Exposition();
  exposition.gauge("forno_build_info", "The version of Forno.", [[{ version }, 1]]);
  exposeRequests(exposition, metrics);
  exposition.gauge(
    "forno_store_writable",
    "Whether a write would be stored, 1 or 0.",
    await store.requireWritable().then(() => 1, () => 0),
  );
  exposition.gauge(
    "forno_store_resources",
    "Resources in the store, by kind.",
    kinds.map(({ name }) => [{ kind: name }, store.table(name).rows.length]),
  );
  exposition.gauge(
    "forno_orders",
    "Orders in the store, by status.",
    orderStatuses.map((status) => [{ status }, store.table(orders.name).count("status", status)]),
  );
  exposition.gauge(
    "forno_store_journal_bytes",
    "Bytes in the journals, which the next start replays.",
    store.journalBytes,
  );
  exposition.histogram(
    "forno_store_fsync_duration_seconds",
    "How long it took to bring a batch of writes to disk.",
    [[{}, metrics.sync]],
  );
  exposition.gauge("forno_event_streams", "Open streams of events.", metrics.eventStreams);
  await exposeProcess(exposition);
  return exposition.toString();
}

/** Series of routes that have been asked for; `route="unmatched"` is all that no route answered. */
function exposeRequests(exposition: Exposition, metrics: Metrics): void {
  const asked = [...metrics.routes.values()].filter(({ byStatus }) => byStatus.size > 0);
  const series = asked.map(
    (route) => [{ method: route.method, route: route.path }, route] as const,
  );
  exposition.counter(
    "forno_http_requests_total",
    "Requests answered, by method, route and status. HEAD counts as GET.",
    series.flatMap(([labels, { byStatus }]) =>
      [...byStatus].map(([status, count]) => [{ ...labels, status: `${status}` }, count] as const),
    ),
  );
  exposition.counter(
    "forno_http_server_errors_total",
    "Requests answered with a 5xx, by status: there before the first, so that its rise is seen.",
    serverErrors(metrics).map(([status, count]) => [{ status: `${status}` }, count]),
  );
  exposition.histogram(
    "forno_http_request_duration_seconds",
    "From the end of a request's header to its answer being handed to the socket.",
    series.map(([labels, { latency }]) => [labels, latency]),
  );
  exposition.counter(
    "forno_http_response_bytes_total",
    "Bytes in the bodies of answers, those apart that are sent piece by piece.",
    series.map(([labels, { bytesSent }]) => [labels, bytesSent]),
  );
}

function serverErrors({ routes }: Metrics): [status: number, count: number][] {
  const counts = new Map([[500, 0], [503, 0]]);
  for (const [status, count] of [...routes.values()].flatMap(({ byStatus }) => [...byStatus])) {
    if (status >= 500) counts.set(status, (counts.get(status) ?? 0) + count);
  }
  return [...counts];
}

/** How often the event loop is looked at. */
const resolutionMs = 20;

const collections: readonly (readonly [kind: string, flag: number])[] = [
  ["minor", constants.NODE_PERFORMANCE_GC_MINOR],
  ["major", constants.NODE_PERFORMANCE_GC_MAJOR],
  ["incremental", constants.NODE_PERFORMANCE_GC_INCREMENTAL],
  ["weakcb", constants.NODE_PERFORMANCE_GC_WEAKCB],
];

/** What is to be observed all the time; the rest is looked at when it is asked for. */
interface Watch {
  readonly delay: ReturnType<typeof monitorEventLoopDelay>;
  /** Seconds, by what node calls the kind of a garbage collection. */
  readonly pauses: ReadonlyMap<number, Histogram>;
}

/** An entry of the type "gc". */
type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } };

let watch: Watch | undefined;

/** Begins to observe this process, once. It does not keep the process alive. */
export function watchProcess(): Watch {
  if (watch !== undefined) return watch;
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const pauses = new Map(collections.map(([, flag]) => [flag, new Histogram()]));
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Collection[]) {
      pauses.get(entry.detail.kind)?.observe(entry.duration / 1_000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  watch = { delay, pauses };
  return watch;
}

/** Resolves once all is in the exposition, which takes a turn of the event loop. */
export async function exposeProcess(exposition: Exposition): Promise<void> {
  const { delay, pauses } = watchProcess();
  exposeUsage(exposition);
  exposeMemory(exposition);
  exposeEventLoop(exposition, await eventLoopLag(), delay);
  exposition.histogram(
    "nodejs_gc_duration_seconds",
    "Garbage collection duration by kind, one of minor, major, incremental or weakcb.",
    collections.map(([kind, flag]) => [{ kind }, pauses.get(flag) ?? new Histogram()]),
  );
  const [major = "", minor = "", patch = ""] = process.version.slice(1).split(".");
  exposition.gauge("nodejs_version_info", "Node.js version info.", [
    [{ version: process.version, major, minor, patch }, 1],
  ]);
}

function exposeUsage(exposition: Exposition): void {
  const { user, system } = process.cpuUsage();
  const cpu = (name: string, what: string, microseconds: number): void =>
    exposition.counter(name, `${what} CPU time spent in seconds.`, microseconds / 1e6);
  cpu("process_cpu_user_seconds_total", "Total user", user);
  cpu("process_cpu_system_seconds_total", "Total system", system);
  cpu("process_cpu_seconds_total", "Total user and system", user + system);
  exposition.gauge(
    "process_start_time_seconds",
    "Start time of the process since unix epoch in seconds.",
    performance.timeOrigin / 1_000,
  );
  const maxFiles = proc("limits", /^Max open files +(\d+)/m);
  gaugeIfKnown(exposition, "process_open_fds", "Number of open file descriptors.", openFiles());
  gaugeIfKnown(exposition, "process_max_fds", "Maximum number of open file descriptors.", maxFiles);
}

function exposeMemory(exposition: Exposition): void {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const bytes = (name: string, what: string, value: number | undefined): void =>
    gaugeIfKnown(exposition, name, `${what} in bytes.`, value);
  bytes("process_resident_memory_bytes", "Resident memory size", rss);
  const virtualKilobytes = proc("status", /^VmSize:\s*(\d+) kB/m);
  const virtual = virtualKilobytes && virtualKilobytes * 1_024;
  bytes("process_virtual_memory_bytes", "Virtual memory size", virtual);
  bytes("nodejs_heap_size_total_bytes", "Process heap size from Node.js", heapTotal);
  bytes("nodejs_heap_size_used_bytes", "Process heap size used from Node.js", heapUsed);
  bytes("nodejs_external_memory_bytes", "Node.js external memory size", external);
}

/** The delays since the last call, which this one resets. */
function exposeEventLoop(
  exposition: Exposition,
  lagSeconds: number,
  delay: Watch["delay"],
): void {
  const lag = (suffix: string, what: string, seconds: number): void =>
    exposition.gauge(`nodejs_eventloop_lag_${suffix}`, `${what} in seconds.`, seconds);
  lag("seconds", "Lag of event loop", lagSeconds);
  lag("mean_seconds", "The mean of the recorded event loop delays", beyondInterval(delay.mean));
  for (const percent of [50, 90, 99]) {
    const what = `The ${percent}th percentile of the recorded event loop delays`;
    lag(`p${percent}_seconds`, what, beyondInterval(delay.percentile(percent)));
  }
  delay.reset();
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

function gaugeIfKnown(
  exposition: Exposition,
  name: string,
  help: string,
  value: number | undefined,
): void {
  if (value !== undefined) exposition.gauge(name, help, value);
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
