/** The state of this process, under the names of Prometheus's client library for Node. */

import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Exposition } from "./exposition.ts";

export type LagHistogram = ReturnType<typeof monitorEventLoopDelay>;

/** How often the event loop is looked at. */
const resolutionMs = 20;

/** Starts to look at the event loop; it does not keep the process alive. */
export function eventLoopDelay(): LagHistogram {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  return delay;
}

/** Resolves to the seconds that a callback has to wait right now. */
export async function eventLoopLag(): Promise<number> {
  const asked = performance.now();
  await new Promise((resolve) => setImmediate(resolve));
  return (performance.now() - asked) / 1_000;
}

export function exposeProcess(
  exposition: Exposition,
  lagSeconds: number,
  delay: LagHistogram,
): void {
  exposeUsage(exposition);
  exposeMemory(exposition);
  exposeEventLoop(exposition, lagSeconds, delay);
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
  const openFiles = countOpenFiles();
  if (openFiles !== undefined) {
    exposition.gauge("process_open_fds", "Number of open file descriptors.", openFiles);
  }
}

function exposeMemory(exposition: Exposition): void {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const bytes = (name: string, what: string, value: number): void =>
    exposition.gauge(name, `${what} in bytes.`, value);
  bytes("process_resident_memory_bytes", "Resident memory size", rss);
  bytes("nodejs_heap_size_total_bytes", "Process heap size from Node.js", heapTotal);
  bytes("nodejs_heap_size_used_bytes", "Process heap size used from Node.js", heapUsed);
  bytes("nodejs_external_memory_bytes", "Node.js external memory size", external);
}

/** The delays since the last call, which this one resets. */
function exposeEventLoop(exposition: Exposition, lagSeconds: number, delay: LagHistogram): void {
  const lag = (suffix: string, what: string, seconds: number): void =>
    exposition.gauge(`nodejs_eventloop_lag_${suffix}`, `${what} in seconds.`, seconds);
  lag("seconds", "Lag of event loop", lagSeconds);
  lag("min_seconds", "The minimum recorded event loop delay", beyondInterval(delay.min));
  lag("max_seconds", "The maximum recorded event loop delay", beyondInterval(delay.max));
  lag("mean_seconds", "The mean of the recorded event loop delays", beyondInterval(delay.mean));
  lag("stddev_seconds", "The standard deviation of the recorded delays", known(delay.stddev) / 1e9);
  for (const percent of [50, 90, 99]) {
    const nanoseconds = delay.percentile(percent);
    const what = `The ${percent}th percentile of the recorded event loop delays`;
    lag(`p${percent}_seconds`, what, beyondInterval(nanoseconds));
  }
  delay.reset();
}

/** Node counts the time between two looks, of which the interval itself is no delay. */
function beyondInterval(nanoseconds: number): number {
  return Math.max(0, known(nanoseconds) / 1e9 - resolutionMs / 1_000);
}

/** NaN: nothing was recorded yet. So is a minimum of 2^63. */
function known(nanoseconds: number): number {
  return nanoseconds > 1e18 || Number.isNaN(nanoseconds) ? 0 : nanoseconds;
}

/** Undefined where the system has no /proc. */
function countOpenFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
