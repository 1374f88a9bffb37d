/**
 * GET /metrics, for staff and monitors: what the service has counted, what is in the store, and the
 * state of the process.
 */

import { noCache } from "../http/reply.ts";
import { version } from "../http/version.ts";
import type { Metrics } from "../metrics.ts";
import type { Store } from "../store/store.ts";
import { contentType, Exposition } from "./exposition.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { orderStatuses } from "../pizzeria/model.ts";
import { orders } from "../pizzeria/orders.ts";
import { exposeProcess, watchProcess } from "./process-metrics.ts";
import type { Route } from "../http/route.ts";
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
