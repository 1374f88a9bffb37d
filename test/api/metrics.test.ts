/** GET /metrics (contract part 3): every sample, in the text format of Prometheus. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Forno, startForno } from "../helpers/forno.ts";
import { order, statuses, topping } from "../helpers/samples.ts";

/** By name and labels, as they are spelled. */
type Samples = ReadonlyMap<string, number>;

/** The samples, each of which stands below the HELP and the TYPE of its family. */
async function scrape(forno: Forno): Promise<Samples> {
  const { headers, text } = await forno.asStaff("GET", "/metrics");
  assert.equal(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const samples = new Map<string, number>();
  const [nothing, ...families] = text.split(/^# HELP /m);
  assert.equal(nothing, "");
  for (const family of families) {
    const [, name = "", type, lines = ""] =
      /^([a-z0-9_]+) \S.*\n# TYPE \1 (\w+)\n([^]*)$/.exec(family) ?? assert.fail(family);
    const suffix = /_total$|_duration_seconds$|$/.exec(name)?.[0] ?? "";
    const types = { "_total": "counter", "_duration_seconds": "summary", "": "gauge" };
    assert.equal(type, Reflect.get(types, suffix), name);
    for (const line of lines.split("\n").slice(0, -1)) {
      const [, sample = "", value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      assert.equal(sample.replace(/(_sum|_count)?(\{.*\})?$/, ""), name, line);
      assert.ok(!samples.has(sample), `${sample} is there twice`);
      samples.set(sample, Number(value));
    }
  }
  return samples;
}

/** The samples of a family. */
function family(samples: Samples, name: string): Record<string, number> {
  return Object.fromEntries([...samples].filter(([sample]) => sample.startsWith(`${name}{`)));
}

test("requests are counted by method and status, and the process is shown", async (t) => {
  const forno = await startForno(t);
  for (const id of ["funghi", "basilico", "ananas"]) await forno.call("GET", `/api/toppings/${id}`);
  await forno.write("POST", "/api/toppings", topping());
  await forno.call("POST", "/api/toppings", { body: topping() });
  await forno.call("GET", "/nowhere");
  const samples = await scrape(forno);
  assert.deepEqual(family(samples, "forno_http_requests_total"), {
    'forno_http_requests_total{method="GET",status="200"}': 2,
    'forno_http_requests_total{method="GET",status="404"}': 2,
    'forno_http_requests_total{method="POST",status="201"}': 1,
    'forno_http_requests_total{method="POST",status="401"}': 1,
  });
  const labels = 'method="GET",status="404"';
  assert.equal(samples.get(`forno_http_request_duration_seconds_count{${labels}}`), 2);
  assert.ok((samples.get(`forno_http_request_duration_seconds_sum{${labels}}`) ?? 0) > 0);
  // These have the names of Node's client library.
  const started = samples.get("process_start_time_seconds") ?? 0;
  assert.ok(Math.abs(Date.now() / 1_000 - started) < 3_600, "seconds since 1970");
  assert.ok((samples.get("process_resident_memory_bytes") ?? 0) > 10_000_000);
});

test("the store's file, its disk, its fsyncs and if it takes writes are shown", async (t) => {
  const forno = await startForno(t);
  const before = await scrape(forno);
  for (const id of ["a", "b"]) await forno.write("POST", "/api/toppings", topping({ id }));
  await forno.write("DELETE", "/api/beverages/birra");
  const samples = await scrape(forno);
  const grown = (name: string): number => (samples.get(name) ?? 0) - (before.get(name) ?? 0);
  const { text } = await forno.asStaff("GET", "/api/backup");
  assert.equal(samples.get("forno_store_file_bytes"), Buffer.byteLength(text));
  assert.ok((samples.get("forno_store_free_bytes") ?? 0) > 1_048_576);
  assert.equal(grown("forno_store_fsync_duration_seconds_count"), 3);
  const sum = grown("forno_store_fsync_duration_seconds_sum");
  const longest = samples.get("forno_store_fsync_longest_seconds") ?? 0;
  assert.ok(longest >= sum / 3, `${longest} s of ${sum} s`);
  assert.equal(samples.get("forno_store_writable"), 1);
  t.mock.method(forno.store, "requireWritable", () => Promise.reject(new Error("full")));
  assert.equal((await scrape(forno)).get("forno_store_writable"), 0);
});

test("orders are counted by status, also where there are none", async (t) => {
  const forno = await startForno(t);
  for (const id of ["a", "b", "c", "d"]) {
    await forno.write("POST", "/api/orders", order({ id, status: "Pending" }));
  }
  await forno.write("PATCH", "/api/orders/b", { status: "Ready" });
  await forno.write("DELETE", "/api/orders/c");
  assert.deepEqual(family(await scrape(forno), "forno_orders"), {
    ...Object.fromEntries(statuses.map((status) => [`forno_orders{status="${status}"}`, 0])),
    'forno_orders{status="Pending"}': 2,
    'forno_orders{status="Ready"}': 1,
  });
});
