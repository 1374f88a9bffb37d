/**
 * Requests that are broken. Node's parser refuses what is not HTTP/1.1, the shapes of request
 * smuggling first; some of it Forno refuses in its place, so that the rate counts it. Then valid
 * requests with bytes changed, cut, inserted and spliced: seeded, so that a failure comes again.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../helpers/crash-states.ts";
import { startForno } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { holdTime } from "../helpers/patience.ts";
import { bearer, requestText, responsesTo } from "../helpers/raw-http.ts";
import { order, topping } from "../helpers/samples.ts";

const body = JSON.stringify(topping());
const get = "GET /healthz HTTP/1.1\r\nConnection: close\r\n";
const host = "Host: localhost\r\n";
const post = `POST /api/toppings HTTP/1.1\r\n${host}`;
const chunked = `${post}Transfer-Encoding: chunked\r\n`;

/** Refused by every version of Node; with a token, so that only the HTTP stands in the way. */
const malformed: readonly (readonly [status: number, what: string, request: string])[] = [
  [400, "two Content-Lengths", `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  [400, "both framings", `${chunked}Content-Length: 5\r\n\r\n0\r\n\r\n`],
  [400, "an unknown coding", `${post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
  [400, "a chunk longer than it says", `${chunked}\r\n2\r\n{}xx\r\n0\r\n\r\n`],
  [400, "a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  [431, "a header of 100 kB", `${get}${host}A: ${"a".repeat(100_000)}\r\n\r\n`],
];

test("Node refuses a malformed request, and nothing of it or behind it is done", async (t) => {
  const forno = await startForno(t);
  const before = await forno.call("GET", "/api/toppings");
  const good = `${post}Content-Length: ${body.length}\r\n\r\n${body}`;
  await Promise.all(malformed.map(async ([status, what, request]) => {
    for (const sent of [request.replace("{}", body), request + good]) {
      const bytes = Buffer.from(sent.replace(host, host + bearer(forno.staff)), "latin1");
      const answers = await responsesTo(forno.port, bytes);
      assert.deepEqual(answers.map((one) => [one.status, one.text]), [[status, ""]], what);
    }
  }));
  assert.equal((await forno.call("GET", "/api/toppings")).text, before.text);
});

test("a request has at most a hundred header fields, however small", async (t) => {
  const forno = await startForno(t);
  for (const [count, status] of [[100, 200], [101, 431], [3_000, 431]] as const) {
    // Date has as many letters as Host, which may come once.
    const [response, ...others] = await responsesTo(forno.port,
      `${get}${host}Date: x\r\n${"a:b\r\n".repeat(count - 3)}\r\n`);
    assert.deepEqual([response?.status, others], [status, []], `${count}`);
    // Newer versions of Node refuse more than one too many themselves.
    if (count !== 101) continue;
    assert.equal(response?.json.type, "/problems#headers-too-large");
    assert.match(response?.json.detail, /at most 100 header fields/);
  }
});

test("no Host, two of them and an unknown Expect are refused, within the rate", async (t) => {
  holdTime(t);
  const forno = await startForno(t, { env: { RATE_LIMIT: "2", TRUST_PROXY: "on" } });
  const good = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
  for (const [status, head] of [
    [400, "GET /api/toppings HTTP/1.1\r\n"],
    [400, "PROPFIND /nowhere HTTP/1.1\r\nExpect: x\r\n"],
    [400, `GET /api/toppings HTTP/1.1\r\n${host}hOST: pizza.example\r\n`],
    [400, `GET /api/toppings HTTP/1.0\r\n${host}${host}`],
    [417, `GET /nowhere HTTP/1.1\r\n${host}Expect: x\r\n`],
    [417, `DELETE /api/toppings HTTP/1.1\r\n${host}Expect: 100-continue, x\r\n`],
  ] as const) {
    const [response, ...others] = await responsesTo(forno.port, `${head}\r\n${good}`);
    assert.deepEqual([response?.status, response?.text, others], [status, "", []], head);
    assert.equal(response?.headers.get("connection"), "close");
  }
  const { text } = await forno.asStaff("GET", "/metrics");
  assert.match(text, /^forno_http_requests_total{method="PROPFIND",status="400"} 1$/m);
  assert.match(text, /^forno_http_requests_total{method="DELETE",status="417"} 1$/m);
  while ((await forno.call("GET", "/api")).status === 200);
  for (const head of ["GET / HTTP/1.1\r\n", `GET / HTTP/1.1\r\n${host}Expect: x\r\n`]) {
    const [response] = await responsesTo(forno.port, `${head}Connection: close\r\n\r\n`);
    assert.equal(response?.status, 429);
  }
});

const caseCount = isLong ? 10_000 : 1_000;
const sideBySide = 200;
/** Short, so that a request cut in the middle and an idle connection are given up at once. */
const timeouts = { headersMs: 250, requestMs: 250, idleMs: 250 };

const requests = ([
  ["POST /api/toppings", topping({ id: undefined })],
  ["PUT /api/toppings/funghi", topping({ id: "funghi" })],
  ["POST /api/orders", order({ id: undefined })],
  ["PATCH /api/toppings/funghi", { name: "Patched" }],
  ["DELETE /api/toppings/rucola"],
  ["GET /api/toppings/funghi"],
  ["GET /api/toppings?limit=2&sort=newest&name=Rocket"],
] as const).map(([line, body]) =>
  requestText(line, `Connection: close\r\n${bearer("TOKEN")}`, body));

/** A request with some bytes replaced: by none, by one that is drawn, or by a piece of itself. */
function mutated(index: number): string {
  const text = requests[index % requests.length] ?? "";
  const random = seededRandom(index);
  const draw = (below: number): number => Math.floor(random() * below);
  const [at, from] = [draw(text.length), draw(text.length)];
  const inserted = ["", String.fromCharCode(draw(256)), text.slice(from, from + 1 + draw(12))];
  const removed = [0, 1, 1 + draw(12), text.length];
  return text.slice(0, at) + inserted[draw(3)] + text.slice(at + (removed[draw(4)] ?? 0));
}

test("mutilated requests get no 5xx and change nothing but what was answered", async (t) => {
  const forno = await startForno(t, { timeouts });
  const { last } = forno.store.history;
  const statuses: number[] = [];
  /** Refusals by Node of what follows a request, in place of the request's own answer. */
  let unknown = 0;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < caseCount) {
      const index = next++;
      const request = Buffer.from(mutated(index).replace("TOKEN", forno.staff), "latin1");
      for (const { status, headers, text } of await responsesTo(forno.port, request)) {
        assert.ok(status < 500, `case ${index}: ${request}\n${text}`);
        statuses.push(status);
        if (status >= 400 && !headers.has("content-type")) unknown += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
  for (const status of [200, 201, 204, 400]) assert.ok(statuses.includes(status), `no ${status}`);
  const changes = forno.store.history.last - last;
  const answered = statuses.filter((status) => status < 300).length;
  assert.ok(changes > 0 && changes <= answered + unknown, `${changes} changes`);
  const { text } = await forno.call("GET", "/api/toppings");
  await forno.close();
  const again = await startForno(t, { dataDir: forno.dataDir });
  assert.equal((await again.call("GET", "/api/toppings")).text, text);
});
