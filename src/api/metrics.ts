/**
 * GET /metrics (contract part 3): counters and sums of the requests, the store and the process, in
 * Prometheus text format 0.0.4.
 */

import { noCache, type Response } from "../http/response.ts";
import type { Route } from "../http/router.ts";
import { orders } from "../resources/order.ts";
import { orderStatuses } from "../resources/order-status.ts";
import type { Services } from "./services.ts";

/** Counts since the start. */
export class Metrics {
  /** By labels: `method="GET",status="200"`. */
  readonly requests: Map<string, Sum> = new Map();
  readonly syncs: Sum = { count: 0, seconds: 0 };
  longestSync = 0;

  readonly answered = (method: string, status: number, seconds: number): void => {
    const labels = `method="${method}",status="${status}"`;
    const sum = this.requests.get(labels) ?? { count: 0, seconds: 0 };
    this.requests.set(labels, sum);
    add(sum, seconds);
  };

  readonly synced = (seconds: number): void => {
    add(this.syncs, seconds);
    this.longestSync = Math.max(this.longestSync, seconds);
  };
}

interface Sum {
  count: number;
  seconds: number;
}

function add(sum: Sum, seconds: number): void {
  sum.count += 1;
  sum.seconds += seconds;
}

export function metricsRoute(services: Services, metrics: Metrics): Route {
  return {
    method: "GET",
    path: "/metrics",
    rule: "reader",
    handle: () => metricsResponse(services, metrics),
  };
}

const contentType = "text/plain; version=0.0.4; charset=utf-8";

async function metricsResponse(
  { store, feed }: Services,
  metrics: Metrics,
): Promise<Response> {
  const isWritable = await store.requireWritable().then(() => 1, () => 0);
  // NaN is Prometheus' own word for a value that is not known.
  const freeBytes = await store.freeBytes().catch(() => NaN);
  const byStatus = new Map<string, number>(orderStatuses.map((status) => [status, 0]));
  for (const { value: { status } } of store.rows(orders)) {
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }
  const counts = Array.from(byStatus, ([status, count]) => [`status="${status}"`, count] as const);
  const requests = [...metrics.requests];
  const body = [
    family("forno_http_requests_total", "counter", "Requests answered.", {
      "": requests.map(([labels, { count }]) => [labels, count]),
    }),
    family("forno_http_request_duration_seconds", "summary",
      "From the end of a request's header until its response is handed to the socket.", {
        _sum: requests.map(([labels, { seconds }]) => [labels, seconds]),
        _count: requests.map(([labels, { count }]) => [labels, count]),
      }),
    family("forno_streams", "gauge", "Open event streams.", { "": feed.size }),
    family("forno_orders", "gauge", "Orders in the store, by status.", { "": counts }),
    family("forno_store_writable", "gauge", "1 if a write would be stored, else 0.",
      { "": isWritable }),
    family("forno_store_file_bytes", "gauge", "Bytes in the store's file.",
      { "": store.file.length }),
    family("forno_store_free_bytes", "gauge", "Free bytes on the store's disk.",
      { "": freeBytes }),
    family("forno_store_fsync_duration_seconds", "summary",
      "Time to bring a batch of writes to disk.",
      { _sum: metrics.syncs.seconds, _count: metrics.syncs.count }),
    family("forno_store_fsync_longest_seconds", "gauge", "The longest of them since the start.",
      { "": metrics.longestSync }),
    family("process_resident_memory_bytes", "gauge", "Resident memory of the process.",
      { "": process.memoryUsage.rss() }),
    family("process_start_time_seconds", "gauge", "Start of the process, in seconds since 1970.",
      { "": performance.timeOrigin / 1_000 }),
  ];
  return { status: 200, type: contentType, headers: noCache, body: body.join("") };
}

type Samples = number | readonly (readonly [labels: string, value: number])[];

/** `samples`: by the suffix of the name. */
function family(
  name: string,
  type: "counter" | "gauge" | "summary",
  help: string,
  samples: Readonly<Record<string, Samples>>,
): string {
  const lines = Object.entries(samples).flatMap(([suffix, values]) =>
    typeof values === "number"
      ? `${name}${suffix} ${values}`
      : values.map(([labels, value]) => `${name}${suffix}{${labels}} ${value}`));
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}
