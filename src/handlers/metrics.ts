/**
 * GET /metrics, for staff and monitors: what the service has counted, and the state of its process under the
 * names that Prometheus's client libraries use. All of it is worked out when it is asked for.
 */

import { noCache } from "../http/reply.ts";
import type { Metrics } from "../metrics.ts";
import type { Store } from "../store/store.ts";
import { contentType, Exposition } from "./exposition.ts";
import type { Kind } from "../pizzeria/kind.ts";
import {
  eventLoopDelay,
  eventLoopLag,
  exposeProcess,
  type LagHistogram,
} from "./process-metrics.ts";
import type { Route } from "../http/route.ts";
import { serviceTag } from "./operations.ts";

export interface MetricsOptions {
  readonly kinds: readonly Kind[];
  readonly store: Store;
  readonly metrics: Metrics;
}

/** GET /metrics. */
export function metricsRoutes(options: MetricsOptions): readonly Route[] {
  const delay = eventLoopDelay();
  return [
    {
      method: "GET",
      path: "/metrics",
      rule: "metrics",
      handle: async () => ({
        status: 200,
        type: contentType,
        head: noCache,
        body: await expose(options, delay),
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

async function expose(
  { kinds, store, metrics }: MetricsOptions,
  delay: LagHistogram,
): Promise<string> {
  const lagSeconds = await eventLoopLag();
  const exposition = new Exposition();
  exposeRequests(exposition, metrics);
  exposition.gauge(
    "forno_store_resources",
    "Resources in the store, by kind.",
    kinds.map(({ name }) => [{ kind: name }, store.table(name).rows.length]),
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
  exposeProcess(exposition, lagSeconds, delay);
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
