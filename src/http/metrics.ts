/** Counters and histograms in memory. api/prometheus.ts shows them. */

/** Upper bounds in seconds, from a read in memory to a failing disk. */
export const latencyBounds: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** A count for each bucket of `latencyBounds`, and a last one for all longer durations. */
export class Histogram {
  readonly counts: number[] = new Array<number>(latencyBounds.length + 1).fill(0);
  /** Seconds. */
  sum = 0;

  observe(seconds: number): void {
    this.sum += seconds;
    let bucket = 0;
    while (seconds > (latencyBounds[bucket] ?? Infinity)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
  }
}

/** The requests of one method on one route. */
export class RouteMetrics {
  readonly method: string;
  /** As in the route table: "/api/toppings/:id". */
  readonly path: string;
  readonly latency: Histogram = new Histogram();
  readonly byStatus: Map<number, number> = new Map();

  constructor(method: string, path: string) {
    this.method = method;
    this.path = path;
  }

  observe(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    this.latency.observe(seconds);
  }
}

export class Metrics {
  /** By method and path pattern: "GET /api/toppings/:id". */
  readonly routes: Map<string, RouteMetrics> = new Map();
  /** Seconds that each fsync of a batch of writes took. */
  readonly sync: Histogram = new Histogram();

  route(method: string, path: string): RouteMetrics {
    const key = `${method} ${path}`;
    const metrics = this.routes.get(key) ?? new RouteMetrics(method, path);
    this.routes.set(key, metrics);
    return metrics;
  }
}
