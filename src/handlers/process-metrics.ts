/** The state of this process, under the names that dashboards for Node know. */

import { readdirSync, readFileSync } from "node:fs";
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";
import { Histogram } from "../metrics.ts";
import type { Exposition } from "./exposition.ts";

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
