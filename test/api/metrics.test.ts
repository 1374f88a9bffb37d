/** GET /metrics (contract part 3): for staff, in the text format that Prometheus scrapes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { diskFileSystem } from "../../dist/store/file-system.js";
import { StoreError } from "../../dist/store/store-error.js";
import { type Forno, startForno } from "../helpers/forno.ts";
import { assertProblem } from "./assertions.ts";
import { order, topping } from "./kinds.ts";

/** Samples by name and labels, as they are spelled. */
type Samples = ReadonlyMap<string, number>;

async function scrape({ call, staff }: Forno): Promise<{ text: string; samples: Samples }> {
  const { status, text } = await call("GET", "/metrics", { token: staff });
  assert.equal(status, 200);
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split("\n")) {
    if (line.startsWith("#")) continue;
    const [, name, value] = /^([a-z_][a-z0-9_]*(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    assert.ok(name !== undefined && value !== undefined, line);
    assert.ok(!samples.has(name), `${name} is there twice`);
    samples.set(name, value === "+Inf" ? Infinity : Number(value));
  }
  return { text, samples };
}

test("GET /metrics is text format 0.0.4, for staff and readers", async (t) => {
  const forno = await startForno(t);
  const token = forno.token({ role: "reader", exp: Date.now() / 1_000 + 3_600 });
  const answer = await forno.call("GET", "/metrics", { token });
  assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(answer.headers.get("cache-control"), "no-cache");
  assert.ok(answer.text.endsWith("\n"));
  assertProblem(await forno.call("GET", "/metrics"), "not-authenticated");
  assertProblem(await forno.call("GET", "/metrics", { token: forno.customer }), "forbidden");
});

test("requests are counted by method, route and status", async (t) => {
  const forno = await startForno(t);
  const { staff: token } = forno;
  const first = await forno.call("GET", "/api/toppings/funghi");
  await forno.call("GET", "/api/toppings/basilico");
  await forno.call("GET", "/api/toppings/ananas");
  await forno.call("POST", "/api/toppings", { token, body: topping() });
  await forno.call("POST", "/api/toppings", { body: topping() });
  await forno.call("GET", "/nowhere");
  const { samples } = await scrape(forno);
  const requests = [...samples].filter(([name]) => name.startsWith("forno_http_requests_total"));
  assert.deepEqual(
    new Map(requests),
    new Map([
      ['forno_http_requests_total{method="GET",route="/api/toppings/:id",status="200"}', 2],
      ['forno_http_requests_total{method="GET",route="/api/toppings/:id",status="404"}', 1],
      ['forno_http_requests_total{method="POST",route="/api/toppings",status="201"}', 1],
      ['forno_http_requests_total{method="POST",route="/api/toppings",status="401"}', 1],
      ['forno_http_requests_total{method="",route="unmatched",status="404"}', 1],
    ]),
  );
  const labels = 'method="GET",route="/api/toppings/:id"';
  assert.equal(samples.get(`forno_http_request_duration_seconds_count{${labels}}`), 3);
  assert.equal(samples.get(`forno_http_request_duration_seconds_bucket{${labels},le="+Inf"}`), 3);
  assert.ok((samples.get(`forno_http_request_duration_seconds_sum{${labels}}`) ?? 0) > 0);
  const bytes = samples.get(`forno_http_response_bytes_total{${labels}}`) ?? 0;
  assert.ok(bytes > 2 * first.text.length, `${bytes}`);
});

test("no id, token or query of a request becomes a label", async (t) => {
  const forno = await startForno(t);
  await forno.call("GET", "/api/toppings/my-secret-id?_=my-secret-query");
  await forno.call("GET", "/my-secret-path");
  const { text } = await scrape(forno);
  assert.ok(!text.includes("my-secret"));
  assert.ok(!text.includes(forno.staff));
});

test("the store's size, its journal and its fsyncs are shown", async (t) => {
  const forno = await startForno(t);
  // The first snapshots are made beside the start, and have an fsync of their own.
  await forno.store.snapshot();
  const before = (await scrape(forno)).samples;
  const { staff: token } = forno;
  for (const id of ["a", "b"]) {
    await forno.call("POST", "/api/toppings", { token, body: topping({ id }) });
  }
  await forno.call("DELETE", "/api/beverages/birra", { token });
  const { samples } = await scrape(forno);
  const grown = (name: string): number => (samples.get(name) ?? 0) - (before.get(name) ?? 0);
  assert.equal(samples.get('forno_store_resources{kind="toppings"}'), 18);
  assert.equal(samples.get('forno_store_resources{kind="beverages"}'), 5);
  assert.equal(samples.get('forno_store_resources{kind="orders"}'), 0);
  assert.ok(grown("forno_store_journal_bytes") > 0);
  assert.equal(grown("forno_store_fsync_duration_seconds_count"), 3);
  assert.ok(grown("forno_store_fsync_duration_seconds_sum") > 0);
});

test("orders are counted by status, also where there are none", async (t) => {
  const forno = await startForno(t);
  const { staff: token } = forno;
  for (const id of ["a", "b", "c"]) {
    await forno.call("POST", "/api/orders", { token, body: order({ id, status: "Pending" }) });
  }
  await forno.call("PATCH", "/api/orders/b", { token, body: { status: "Ready" } });
  await forno.call("DELETE", "/api/orders/c", { token });
  const { samples } = await scrape(forno);
  const counted = [...samples].filter(([name]) => name.startsWith("forno_orders"));
  assert.deepEqual(Object.fromEntries(counted), {
    'forno_orders{status="Pending"}': 1,
    'forno_orders{status="Preparing"}': 0,
    'forno_orders{status="Ready"}': 1,
    'forno_orders{status="Out for Delivery"}': 0,
    'forno_orders{status="Delivered"}': 0,
    'forno_orders{status="Cancelled"}': 0,
  });
});

test("server errors are there at 0, and are counted by status", async (t) => {
  const forno = await startForno(t);
  const errors = async (): Promise<unknown[]> => {
    const { samples } = await scrape(forno);
    return ["500", "503"].map((status) =>
      samples.get(`forno_http_server_errors_total{status="${status}"}`));
  };
  assert.deepEqual(await errors(), [0, 0]);
  const { mock } = t.mock.method(forno.store, "write", () => {
    throw new StoreError("full", "the disk is full");
  });
  await forno.call("POST", "/api/toppings", { token: forno.staff, body: topping() });
  mock.mockImplementation(() => {
    throw new Error("nobody foresaw this");
  });
  await forno.call("POST", "/api/toppings", { token: forno.staff, body: topping() });
  await forno.call("DELETE", "/api/toppings/funghi", { token: forno.staff });
  assert.deepEqual(await errors(), [2, 1]);
});

test("whether a write would be stored is shown, as /readyz says it", async (t) => {
  const forno = await startForno(t);
  const writable = async (): Promise<number | undefined> =>
    (await scrape(forno)).samples.get("forno_store_writable");
  assert.equal(await writable(), 1);
  t.mock.method(diskFileSystem, "freeBytes", async () => 0);
  assert.equal((await forno.call("GET", "/readyz")).status, 503);
  assert.equal(await writable(), 0);
});

test("the version that runs is shown", async (t) => {
  const forno = await startForno(t);
  const { version } = (await forno.call("GET", "/api")).json;
  const { samples } = await scrape(forno);
  assert.equal(samples.get(`forno_build_info{version="${version}"}`), 1);
});

test("an open stream of events is shown while it is open", async (t) => {
  const forno = await startForno(t);
  const streams = async (): Promise<number | undefined> =>
    (await scrape(forno)).samples.get("forno_event_streams");
  assert.equal(await streams(), 0);
  const { body } = await fetch(`${forno.origin}/api/events`);
  assert.equal(await streams(), 1);
  await body?.cancel();
});

const processNames = [
  "process_cpu_user_seconds_total",
  "process_cpu_system_seconds_total",
  "process_cpu_seconds_total",
  "process_start_time_seconds",
  "process_open_fds",
  "process_max_fds",
  "process_resident_memory_bytes",
  "process_virtual_memory_bytes",
  "nodejs_heap_size_total_bytes",
  "nodejs_heap_size_used_bytes",
  "nodejs_external_memory_bytes",
  "nodejs_eventloop_lag_seconds",
  "nodejs_eventloop_lag_mean_seconds",
  "nodejs_eventloop_lag_p50_seconds",
  "nodejs_eventloop_lag_p90_seconds",
  "nodejs_eventloop_lag_p99_seconds",
  'nodejs_gc_duration_seconds_count{kind="minor"}',
  'nodejs_gc_duration_seconds_sum{kind="major"}',
];
const ofLinux = ["process_open_fds", "process_max_fds", "process_virtual_memory_bytes"];

test("the state of the process stands under the usual names, in base units", async (t) => {
  const forno = await startForno(t);
  const { samples } = await scrape(forno);
  for (const name of processNames) {
    if (ofLinux.includes(name) && process.platform !== "linux") continue;
    const value = samples.get(name);
    assert.ok(value !== undefined && value >= 0 && Number.isFinite(value), `${name} is ${value}`);
  }
  const started = samples.get("process_start_time_seconds") ?? 0;
  assert.ok(Math.abs(Date.now() / 1_000 - started) < 3_600, "seconds since 1970");
  const versions = [...samples.keys()].filter((name) => name.startsWith("nodejs_version_info"));
  assert.match(versions.join(), new RegExp(`version="${process.version}",major="\\d+"`));
});

test("garbage collections are counted by kind", async (t) => {
  const forno = await startForno(t);
  const major = 'nodejs_gc_duration_seconds_count{kind="major"}';
  const { samples } = await scrape(forno);
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  // Node tells of it in a later turn of the event loop.
  while (((await scrape(forno)).samples.get(major) ?? 0) <= (samples.get(major) ?? 0));
});

test("every sample belongs to the family of its HELP and TYPE above it", async (t) => {
  const forno = await startForno(t);
  await forno.call("GET", "/api/toppings");
  const { text } = await scrape(forno);
  let family = "";
  const families = new Set<string>();
  for (const line of text.trimEnd().split("\n")) {
    const [, keyword, name = ""] = /^# (HELP|TYPE) ([a-z0-9_]+) \S/.exec(line) ?? [];
    if (keyword === "HELP") {
      assert.ok(!families.has(name), `${name} is there twice`);
      families.add(name);
      family = name;
    } else if (keyword === "TYPE") {
      assert.equal(name, family);
      assert.equal(line.endsWith(" counter"), name.endsWith("_total"), line);
    } else {
      assert.equal(line.replace(/(_bucket|_sum|_count)?(\{.*\})? \S+$/, ""), family, line);
    }
  }
});
