/**
 * Bytes that are not HTTP/1.1, the shapes of request smuggling first: Node's parser refuses them.
 * And what Forno refuses in its place, so that the rate counts it.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { holdTime } from "../helpers/patience.ts";
import { openWire } from "../helpers/raw-http.ts";
import { topping } from "../helpers/samples.ts";

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
      const wire = openWire(t, forno.port);
      const authorized = `${host}Authorization: Bearer ${forno.staff}\r\n`;
      wire.send(Buffer.from(sent.replace(host, authorized), "latin1"));
      const answers = (await wire.closed()).map((response) => [response.status, response.text]);
      assert.deepEqual(answers, [[status, ""]], what);
    }
  }));
  assert.equal((await forno.call("GET", "/api/toppings")).text, before.text);
});

test("a request has at most a hundred header fields, however small", async (t) => {
  const forno = await startForno(t);
  for (const [count, status] of [[100, 200], [101, 431], [3_000, 431]] as const) {
    const wire = openWire(t, forno.port);
    // Date has as many letters as Host, which may come once.
    wire.send(`${get}${host}Date: x\r\n${"a:b\r\n".repeat(count - 3)}\r\n`);
    const [response, ...others] = await wire.closed();
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
    const wire = openWire(t, forno.port);
    wire.send(`${head}\r\n${good}`);
    const [response, ...others] = await wire.closed();
    assert.deepEqual([response?.status, response?.text, others], [status, "", []], head);
    assert.equal(response?.headers.get("connection"), "close");
  }
  const { text } = await forno.asStaff("GET", "/metrics");
  assert.match(text, /^forno_http_requests_total{method="PROPFIND",status="400"} 1$/m);
  assert.match(text, /^forno_http_requests_total{method="DELETE",status="417"} 1$/m);
  while ((await forno.call("GET", "/api")).status === 200);
  for (const head of ["GET / HTTP/1.1\r\n", `GET / HTTP/1.1\r\n${host}Expect: x\r\n`]) {
    const wire = openWire(t, forno.port);
    wire.send(`${head}Connection: close\r\n\r\n`);
    assert.equal((await wire.closed())[0]?.status, 429);
  }
});
