/**
 * No request costs much more processor time than a plain one of its length, whatever its path, its
 * query and its fields hold (contract part 5), and none holds up others: long answers are sent in
 * turns (part 6). Ratios, because machines differ.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { parseJson } from "../../src/http/json.ts";
import { turn } from "../../src/http/turn.ts";
import { type Forno, startForno } from "../helpers/forno.ts";
import { bearer, holdBody, rawExchange, requestText } from "../helpers/raw-http.ts";
import { orderLine, storeFile } from "../helpers/store-file.ts";
import { startLarge } from "./streams.ts";

const length = 15_600;
const filled = (text: string): string => text.repeat(length / text.length);

const get = (target: string, field = ""): string =>
  requestText(`GET ${target}`, `Connection: close\r\n${field}`);

/** Text in the middle of which are very many spaces: some patterns look at each of them again. */
const spaced = (start: string, end: string): string => `${start}${filled(" ")}${end}`;

/** As many members as fill a body. */
const membersOf = (nameOf: (index: number) => string, separator = ","): string =>
  Array.from({ length: 1_100 }, (_, index) => `"${nameOf(index)}":1`).join(separator);

const bodies = {
  // Each is near to several fields, so that a hint takes long to find.
  "misspelled members": `{${membersOf((index) => `placed${index % 490}`)}}`,
  "members with names of their own": `{${membersOf((index) => `m${index * 7_919}`)}}`,
  "objects with names of their own": `[{${membersOf((index) => `o${index * 7_919}`, "},{")}}]`,
  "unknown members of items":
    `{"toppings":[${Array(20).fill(`{${membersOf((index) => `t${index % 55}`)}}`).join()}]}`
      .slice(0, length),
  "colons": JSON.stringify({ name: filled(":") }),
  "open brackets": filled("["),
};

const requestsOf = ({ staff }: Forno): Readonly<Record<string, string>> => ({
  "a path of bad escapes": get(filled("/%")),
  "a path of slashes": get(filled("/")),
  "a path of encoded percents": get(`/${filled("a%25")}`),
  "a path of percents encoded again": get(`/eyJ${"a".repeat(12)}%${filled("25")}`),
  "a path of encoded dots": get(`/${filled("%2e")}`),
  "a query of bad escapes, where a query means nothing": get(`/healthz?${filled("%ff=%ff&")}`),
  "a query of bad escapes behind a page": get(`/board/?${filled("%ff=%ff&")}`),
  "a query of bad escapes": get(`/api/toppings?${filled("%&")}`),
  "a query of brackets": get(`/api/toppings?${filled("[]")}`),
  "a query of names with open brackets": get(`/api/toppings?_=1${filled("&_[")}`),
  "a query of spaces in ids": get(`/api/toppings?id=${filled("+")}`),
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
  ...Object.fromEntries(Object.entries(bodies).map(([what, body]) => [`a body of ${what}`,
    requestText("POST /api/orders", `Connection: close\r\n${bearer(staff)}`, body)])),
  ...Object.fromEntries([
    "Content-Type", "Content-Encoding", "If-Match", "X-A",
  ].map((name) => [`spaces in ${name} of a write`, requestText("PUT /api/toppings/funghi",
    `Connection: close\r\n${name}: ${spaced('a/"b"', "x")}\r\n${bearer(staff)}`, {})])),
});

/**
 * Milliseconds of processor time that each task takes, the client's included: the least of some
 * rounds. The tasks take turns, so that all meet the same machine.
 */
async function leastCosts(
  rounds: number, tasks: readonly ((round: number) => unknown)[],
): Promise<number[]> {
  const least = tasks.map(() => Infinity);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, task] of tasks.entries()) {
      const start = process.cpuUsage();
      await task(round);
      const { user, system } = process.cpuUsage(start);
      least[index] = Math.min(least[index] ?? 0, (user + system) / 1_000);
    }
  }
  return least;
}

test("a request of 16 KB costs at most ten times a plain one of that length", async (t) => {
  const forno = await startForno(t);
  const requests = Object.entries({ plain: get(`/${filled("a")}`), ...requestsOf(forno) });
  const costs = await leastCosts(3, requests.map(([, request]) => async () => {
    for (let count = 0; count < 5; count += 1) await rawExchange(forno.port, request);
  }));
  const [plain = 0] = costs;
  for (const [index, [what]] of requests.entries()) {
    const cost = costs[index] ?? 0;
    assert.ok(cost < 10 * plain, `${what}: ${cost} ms for five, a plain one ${plain} ms`);
  }
});

test("a body nested to the limit costs a few times what its JSON costs", async () => {
  const body = Buffer.from(`[${Array(1_100).fill("[".repeat(29) + "]".repeat(29)).join()}]`);
  const tenTimes = (task: () => unknown) => (): void => {
    for (let count = 0; count < 10; count += 1) task();
  };
  const [json = 0, whole = 0] = await leastCosts(
    10, [tenTimes(() => JSON.parse(body.toString())), tenTimes(() => parseJson(body))]);
  assert.ok(whole < 3 * json, `${whole} ms, its JSON ${json} ms`);
});

test("an own list, and a group, cost what they have; several groups, what all cost", async (t) => {
  const orders = Array.from({ length: 20_000 }, (_, index) =>
    orderLine(`o${index}`, "2026-01-31T18:00:00.000Z", {
      group: index % 7_000 === 0 ? "few" : `g${index % 100}`,
    }));
  const forno = await startForno(t, { store: storeFile(orders), env: { ORDER_READS: "own" } });
  // Another query each time, since short lists are shared.
  const ask = (path: string, token = forno.staff, times = 1) => async (round: number) => {
    for (let count = 0; count < times; count += 1) {
      await rawExchange(forno.port, get(`${path}&after=s${round}${count}`, bearer(token)));
    }
  };
  const groups = Array.from({ length: 100 }, (_, index) => `group=g${index}`).join("&");
  for (const [most, path, token, other, times] of [
    [3, "/api/orders?sort=oldest", forno.customer, "/api/toppings?sort=oldest", 10],
    [3, "/api/orders?group=few", forno.staff, "/api/toppings?sort=oldest", 10],
    [8, `/api/orders?${groups}`, forno.staff, "/api/orders?sort=oldest", 1],
    [8, `/api/orders?${groups}&limit=1`, forno.staff, "/api/orders?limit=1", 1],
  ] as const) {
    const [cost = 0, otherCost = 0] = await leastCosts(
      5, [ask(path, token, times), ask(other, forno.staff, times)]);
    assert.ok(cost < most * otherCost, `${path}: ${cost} ms, ${other} ${otherCost} ms`);
  }
});

test("one body is parsed a turn: others are answered before many that come at once", async (t) => {
  const forno = await startForno(t);
  const held = await Promise.all(Array.from({ length: 40 }, () =>
    holdBody(t, forno.port, "POST /api/toppings", bearer(forno.staff), { x: filled("y") })));
  let answered = 0;
  const all = held.map(async (finish) => {
    assert.equal((await finish()).status, 400);
    answered += 1;
  });
  await forno.call("GET", "/healthz");
  assert.ok(answered < 20, `${answered} of 40 came first`);
  await Promise.all(all);
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

test("clients take turns, however much one of them asks for, and each in its order", async () => {
  const served: string[] = [];
  const ask = (client: string, name: string): Promise<unknown> =>
    turn(client).then(() => served.push(name));
  const all = ["a1", "a2", "a3", "a4", "b1", "c1", "c2"].map((name) => ask(name.slice(0, 1), name));
  await setImmediate();
  assert.deepEqual(served, ["a1"], "one a turn");
  all.push(ask("d", "d1"));
  await Promise.all(all);
  assert.deepEqual(served, ["a1", "b1", "c1", "a2", "d1", "c2", "a3", "a4"]);
});
