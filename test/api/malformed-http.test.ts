/**
 * Bytes that are not HTTP/1.1 (RFC 9112), sent through raw sockets because no client would: the
 * shapes of request smuggling first. Node's parser refuses them; nothing is carried out, the
 * connection is closed, and the server goes on.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { openWire } from "../helpers/raw-http.ts";

const topping = '{"name":"Rocket","isVegetarian":true,"isVegan":true}';
const get = "GET /healthz HTTP/1.1\r\nConnection: close\r\n";
const host = "Host: forno\r\n";
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
  const good = `${post}Content-Length: ${topping.length}\r\n\r\n${topping}`;
  await Promise.all(malformed.map(async ([status, what, request]) => {
    for (const sent of [request.replace("{}", topping), request + good]) {
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
    wire.send(`${get}${host}${"a:b\r\n".repeat(count - 2)}\r\n`);
    const [response, ...others] = await wire.closed();
    assert.deepEqual([response?.status, others], [status, []], `${count}`);
    // Newer versions of Node refuse more than one too many themselves.
    if (count !== 101) continue;
    assert.equal(response?.json.type, "/problems#headers-too-large");
    assert.match(response?.json.detail, /at most 100 header fields/);
  }
});
