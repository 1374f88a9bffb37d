/**
 * No request costs much more processor time than a plain one of its length, whatever its path, its
 * query and its fields hold (contract part 5), and none much more memory. Ratios, because machines
 * differ.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { type Forno, spawnForno, startForno } from "../helpers/forno.ts";
import { openWire, rawExchange } from "../helpers/raw-http.ts";

const length = 15_600;
const filled = (text: string): string => text.repeat(length / text.length);

const get = (target: string, field = ""): string =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${field}\r\n`;

/** Text in the middle of which are very many spaces: some patterns look at each of them again. */
const spaced = (start: string, end: string): string => `${start}${filled(" ")}${end}`;

const misspelled = `{${Array.from({ length: 1_300 }, (_, at) => `"nam${at}":1`).join()}}`;

const requestsOf = ({ staff }: Forno): Readonly<Record<string, string>> => ({
  "a path of bad escapes": get(filled("/%")),
  "a path of slashes": get(filled("/")),
  "a path of encoded dots": get(`/${filled("%2e")}`),
  "a query of bad escapes, where a query means nothing": get(`/healthz?${filled("%ff=%ff&")}`),
  "a query of bad escapes behind a page": get(`/board/?${filled("%ff=%ff&")}`),
  "a query of bad escapes": get(`/api/toppings?${filled("%&")}`),
  "a query of unknown names": get(`/api/toppings?${filled("limi&")}`),
  "tags without an end": get("/api/toppings/funghi", `If-None-Match: ${filled('W/"')}\r\n`),
  "languages": get("/", `Accept-Language: ${filled("a;q=1,")}\r\n`),
  "a host of another": get("/", `X-A: b\r\n`).replace("localhost", filled(":1")),
  ...Object.fromEntries([
    "Host", "Expect", "Accept", "Accept-Encoding", "Accept-Language", "If-None-Match", "Origin",
    "X-Request-Id", "X-Forwarded-For", "Authorization", "Last-Event-ID",
  ].map((name) => [`spaces in ${name}`, get("/", `${name}: ${spaced('a/"b"', "x")}\r\n`)])),
  "a body of misspelled members": get("/api/orders",
    `Authorization: Bearer ${staff}\r\nContent-Length: ${misspelled.length}\r\n`)
    .replace("GET", "POST") + misspelled,
  ...Object.fromEntries([
    "Content-Type", "Content-Encoding", "If-Match", "X-A",
  ].map((name) => [`spaces in ${name} of a write`, get("/api/toppings/funghi",
    `${name}: ${spaced('a/"b"', "x")}\r\nAuthorization: Bearer ${staff}\r\n`
    + "Content-Length: 2\r\n").replace("GET", "PUT") + "{}"])),
});

/** Milliseconds of processor time, the client's included: the least of a few rounds. */
async function costOf({ port }: Forno, request: string): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const start = process.cpuUsage();
    for (let count = 0; count < 10; count += 1) await rawExchange(port, request);
    const { user, system } = process.cpuUsage(start);
    rounds.push((user + system) / 1_000);
  }
  return Math.min(...rounds);
}

test("a request of 16 KB costs at most ten times a plain one of that length", async (t) => {
  const forno = await startForno(t);
  const plain = await costOf(forno, get(`/${filled("a")}`));
  for (const [what, request] of Object.entries(requestsOf(forno))) {
    const cost = await costOf(forno, request);
    assert.ok(cost < 10 * plain, `${what}: ${cost} ms for ten, a plain one ${plain} ms`);
  }
});

test("a body of unknown fields costs at most ten times a plain one of its length", async (t) => {
  const forno = await startForno(t);
  const post = (body: object): string => {
    const json = JSON.stringify(body).slice(0, -1).padEnd(65_000) + "}";
    return `POST /api/orders HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`
      + `Authorization: Bearer ${forno.staff}\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
  };
  // Each is near to several fields, so that a hint takes long to find.
  const almost = Array.from({ length: 4_000 }, (_, index) => [`placed${index}`, 0]);
  const plain = await costOf(forno, post({ name: 0 }));
  const cost = await costOf(forno, post(Object.fromEntries(almost)));
  assert.ok(cost < 10 * plain, `${cost} ms for ten, a plain one ${plain} ms`);
});

/** The most memory that a server needed, in kB, after `attack` by two hundred connections. */
async function peakOf(t: TestContext, attack: string): Promise<number> {
  const forno = await spawnForno(t, { env: { LOG_LEVEL: "silent" } });
  const attackers = Array.from({ length: 200 }, async () => {
    const wire = openWire(t, forno.port);
    wire.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await wire.started();
    wire.send(attack);
    if (attack !== "") await wire.text();
    return wire;
  });
  for (const wire of await Promise.all(attackers)) wire.destroy();
  const status = readFileSync(`/proc/${forno.child.pid}/status`, "utf8");
  await forno.end();
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
}

test("thousands of requests behind each of 200 event streams take no memory", async (t) => {
  if (process.platform !== "linux") return t.skip("needs /proc");
  const plain = await peakOf(t, "");
  for (const one of ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n"]) {
    const attacked = await peakOf(t, one.repeat(3_600));
    assert.ok(attacked < 1.5 * plain, `${attacked} kB, and ${plain} kB without them`);
  }
});
