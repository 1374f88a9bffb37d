/**
 * No request costs much more processor time than a plain one of its length, whatever its path, its
 * query and its fields hold (contract part 5), and none holds up others: long answers are sent in
 * turns (part 6). Ratios, because machines differ.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "../../src/http/body.ts";
import { type Forno, startForno } from "../helpers/forno.ts";
import { bearer, rawExchange, requestText } from "../helpers/raw-http.ts";
import { orderLine, storeFile } from "../helpers/store-file.ts";
import { startLarge } from "./streams.ts";

const length = 15_600;
const filled = (text: string): string => text.repeat(length / text.length);

const get = (target: string, field = ""): string =>
  requestText(`GET ${target}`, `Connection: close\r\n${field}`);

/** Text in the middle of which are very many spaces: some patterns look at each of them again. */
const spaced = (start: string, end: string): string => `${start}${filled(" ")}${end}`;

/** Each is near to several fields, so that a hint takes long to find. */
const misspelled = `{${Array.from({ length: 1_100 }, (_, at) => `"placed${at}":1`).join()}}`;

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
  "languages without names": get("/", `Accept-Language: ${filled(",")}\r\n`),
  "codings without names": get("/pages/x/icon.svg", `Accept-Encoding: ${filled(",")}\r\n`),
  "codings": get("/pages/x/icon.svg", `Accept-Encoding: ${filled("a;q=1,")}\r\n`),
  "a host of another": get("/", `X-A: b\r\n`).replace("localhost", filled(":1")),
  ...Object.fromEntries([
    "Host", "Expect", "Accept", "Accept-Encoding", "Accept-Language", "If-None-Match", "Origin",
    "X-Request-Id", "X-Forwarded-For", "Authorization", "Last-Event-ID",
  ].map((name) => [`spaces in ${name}`, get("/", `${name}: ${spaced('a/"b"', "x")}\r\n`)])),
  "a body of misspelled members":
    requestText("POST /api/orders", `Connection: close\r\n${bearer(staff)}`, misspelled),
  ...Object.fromEntries([
    "Content-Type", "Content-Encoding", "If-Match", "X-A",
  ].map((name) => [`spaces in ${name} of a write`, requestText("PUT /api/toppings/funghi",
    `Connection: close\r\n${name}: ${spaced('a/"b"', "x")}\r\n${bearer(staff)}`, {})])),
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

/** The least time of each task, measured in turns, so that both meet the same machine. */
async function leastTimes(
  rounds: number, ...tasks: readonly ((round: number) => unknown)[]
): Promise<number[]> {
  const least = tasks.map(() => Infinity);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, task] of tasks.entries()) {
      const start = performance.now();
      await task(round);
      least[index] = Math.min(least[index] ?? 0, performance.now() - start);
    }
  }
  return least;
}

test("a body nested to the limit costs little more than to parse its JSON", async () => {
  const body = Buffer.from(`[${Array(1_100).fill("[".repeat(29) + "]".repeat(29)).join()}]`);
  const [json = 0, whole = 0] = await leastTimes(
    100, () => JSON.parse(body.toString()), () => parseJson(body));
  assert.ok(whole < 2 * json, `${whole} ms, its JSON ${json} ms`);
});

test("an own list, and a group, cost what they have, not what the shop has", async (t) => {
  const orders = Array.from({ length: 30_000 }, (_, index) =>
    orderLine(`o${index}`, "2026-01-31T18:00:00.000Z", { group: `g${index % 10_000}` }));
  const forno = await startForno(t, { store: storeFile(orders), env: { ORDER_READS: "own" } });
  // Another query each time, since short lists are shared.
  const ask = (path: string, token: string) => async (round: number) => {
    for (let count = 0; count < 10; count += 1) {
      await rawExchange(forno.port, get(`${path}after=s${round}${count}`, bearer(token)));
    }
  };
  const [menu = 0, own = 0, group = 0] = await leastTimes(
    10,
    ask("/api/toppings?", forno.staff),
    ask("/api/orders?", forno.customer),
    ask("/api/orders?group=g77&", forno.staff),
  );
  assert.ok(own < 3 * menu, `${own} ms for ten, the menu ${menu} ms`);
  assert.ok(group < 3 * menu, `${group} ms for ten, the menu ${menu} ms`);
});

test("a hundred groups cost a few times what a list of all costs", async (t) => {
  const orders = Array.from({ length: 30_000 }, (_, index) =>
    orderLine(`o${index}`, "2026-01-31T18:00:00.000Z", { group: `g${index % 100}` }));
  const forno = await startForno(t, { store: storeFile(orders) });
  const groups = Array.from({ length: 100 }, (_, index) => `group=g${index}`).join("&");
  // Another query each time, since short lists are shared.
  const ask = (query: string) => (round: number) =>
    rawExchange(forno.port, get(`/api/orders?${query}&after=s${round}`));
  const [all = 0, allGroups = 0] = await leastTimes(5, ask("sort=oldest"), ask(groups));
  assert.ok(allGroups < 8 * all, `${allGroups} ms, all ${all} ms`);
  const [first = 0, firstOfGroups = 0] = await leastTimes(
    5, ask("limit=1"), ask(`${groups}&limit=1`));
  assert.ok(firstOfGroups < 8 * first, `${firstOfGroups} ms, of all orders ${first} ms`);
});

test("others are answered while a client reads a long answer as fast as it comes", async (t) => {
  const forno = await startLarge(t);
  for (const path of ["/api/orders", "/api/backup"]) {
    let responses = 0;
    let isOver = false;
    const whole = rawExchange(forno.port, get(path, bearer(forno.staff)))
      .finally(() => (isOver = true));
    for (; !isOver; responses += 1) await forno.call("GET", "/healthz");
    assert.ok((await whole).length > 8_000_000, path);
    // About one for every two pieces. Without turns there are four: whenever the socket is full.
    assert.ok(responses > 20, `${path}: ${responses} responses`);
  }
});
