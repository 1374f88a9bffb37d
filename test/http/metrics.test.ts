/** Counters and histograms: what is observed is counted, once, where it belongs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Histogram, latencyBounds, Metrics } from "../../dist/http/metrics.js";

test("a histogram counts each observation in the first bucket that holds it", () => {
  const histogram = new Histogram();
  for (const seconds of [0, 0.0001, 0.00011, 1, 10, 10.1, 1e9]) histogram.observe(seconds);
  const counted = [...latencyBounds, Infinity].flatMap((bound, index) => {
    const count = histogram.counts[index];
    return count === 0 ? [] : [[bound, count]];
  });
  assert.deepEqual(counted, [
    [0.0001, 2],
    [0.00025, 1],
    [1, 1],
    [10, 1],
    [Infinity, 2],
  ]);
  assert.equal(histogram.sum, 0 + 0.0001 + 0.00011 + 1 + 10 + 10.1 + 1e9);
});

test("a method on a path is one row, however often it is asked for", () => {
  const metrics = new Metrics();
  const row = metrics.route("GET", "/api/toppings");
  assert.equal(metrics.route("GET", "/api/toppings"), row);
  assert.notEqual(metrics.route("POST", "/api/toppings"), row);
  row.observe(200, 0.002);
  row.observe(200, 0.003);
  row.observe(404, 0.001);
  assert.deepEqual([row.method, row.path], ["GET", "/api/toppings"]);
  assert.deepEqual(
    [...row.byStatus],
    [
      [200, 2],
      [404, 1],
    ],
  );
  assert.equal(row.latency.counts.reduce((sum, count) => sum + count), 3);
});
