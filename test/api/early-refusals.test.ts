/**
 * Requests refused before their body is in (contract part 3): the rest is read and dropped, so the
 * client sees the response and not a reset.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno, type Forno } from "../helpers/forno.ts";
import { openWire, type RawResponse } from "../helpers/raw-http.ts";

interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly line: string;
  readonly caller?: "staff" | "customer";
  readonly headers?: string;
}

/** Refused on the headers alone, whatever the body. */
const refusals: readonly Refusal[] = [
  { status: 404, type: "not-found", line: "POST /api/nothing-here" },
  { status: 405, type: "method-not-allowed", line: "POST /api/toppings/funghi", caller: "staff" },
  { status: 401, type: "not-authenticated", line: "POST /api/toppings" },
  { status: 403, type: "forbidden", line: "POST /api/toppings", caller: "customer" },
  { status: 404, type: "not-found", line: "PUT /api/toppings/nobody-has-this", caller: "staff" },
  { status: 415, type: "unsupported-media-type", line: "POST /api/toppings", caller: "staff",
    headers: "Content-Type: image/png\r\n" },
  { status: 415, type: "unsupported-media-type", line: "POST /api/toppings", caller: "staff",
    headers: "Content-Encoding: gzip\r\n" },
  { status: 412, type: "precondition-failed", line: "PUT /api/toppings/funghi", caller: "staff",
    headers: 'If-Match: "nothing-like-it"\r\n' },
];
const tooLarge: Refusal =
  { status: 413, type: "body-too-large", line: "POST /api/toppings", caller: "staff" };

const topping = '{"name":"Rocket","isVegetarian":true,"isVegan":true}';
const healthz = "GET /healthz HTTP/1.1\r\nHost: forno\r\nConnection: close\r\n\r\n";

function head(forno: Forno, { line, caller, headers = "" }: Refusal, framing: string): string {
  const token = caller === undefined ? "" : `Authorization: Bearer ${forno[caller]}\r\n`;
  return `${line} HTTP/1.1\r\nHost: forno\r\n${token}${headers}${framing}\r\n\r\n`;
}

function assertRefusal(response: RawResponse | undefined, { status, type }: Refusal): void {
  assert.ok(response !== undefined);
  assert.equal(response.status, status, response.body);
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.equal(response.json?.type, `/problems/${type}`);
}

test("a client that uploads a lot reads its refusal, whatever its framing", async (t) => {
  const forno = await startForno(t);
  const size = 900_000;
  const framings: [string, string][] = [
    [`Content-Length: ${size}`, " ".repeat(size)],
    ["Transfer-Encoding: chunked", `${size.toString(16)}\r\n${" ".repeat(size)}\r\n0\r\n\r\n`],
  ];
  for (const refusal of [...refusals.filter(({ status }) => status !== 412), tooLarge]) {
    for (const [framing, body] of framings) {
      const wire = openWire(t, forno.port);
      wire.send(head(forno, refusal, framing));
      wire.send(body);
      const [response] = await wire.responses(1);
      assertRefusal(response, refusal);
      assert.equal(wire.fault(), undefined, `${refusal.line} ${framing}`);
      wire.destroy();
    }
  }
});

test("a refused body is dropped, never taken for a request, and the connection goes on", async (t) => {
  const forno = await startForno(t);
  const hidden = `DELETE /api/toppings/funghi HTTP/1.1\r\nHost: forno\r\n`
    + `Authorization: Bearer ${forno.staff}\r\n\r\n`;
  for (const refusal of [...refusals, tooLarge]) {
    const body = refusal === tooLarge ? hidden.padEnd(70_000, "\r\n") : hidden;
    const wire = openWire(t, forno.port);
    wire.send(`${head(forno, refusal, `Content-Length: ${body.length}`)}${body}${healthz}`);
    const [refused, ...others] = await wire.closed();
    assertRefusal(refused, refusal);
    for (const { status } of others) assert.equal(status, 200);
    // After a large body the connection may close.
    if (refusal !== tooLarge) assert.equal(others.length, 1, refusal.line);
  }
  assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
});

test("Expect: 100-continue is answered with 100, then with the result", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const framing = `Content-Length: ${topping.length}\r\nExpect: 100-continue`;
  wire.send(head(forno, tooLarge, framing));
  const [interim] = await wire.responses(1);
  assert.equal(interim?.status, 100);
  wire.send(topping);
  const [, final] = await wire.responses(2);
  assert.equal(final?.status, 201);
  wire.send(healthz);
  assert.equal((await wire.closed())[2]?.status, 200);
});

test("a client that sends its body without waiting for 100 is served as well", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const framing = `Content-Length: ${topping.length}\r\nExpect: 100-continue\r\nConnection: close`;
  wire.send(head(forno, tooLarge, framing) + topping);
  const responses = await wire.closed();
  assert.equal(responses.at(-1)?.status, 201);
  assert.ok(responses.slice(0, -1).every(({ status }) => status === 100));
});
