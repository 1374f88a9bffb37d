/**
 * Requests refused before their body is in (contract part 3): the rest is read and dropped, so the
 * client sees the response and not a reset.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, startForno } from "../helpers/forno.ts";
import { openWire } from "../helpers/raw-http.ts";
import { assertProblem, type ProblemType } from "./assertions.ts";

type Refusal = readonly [ProblemType, line: string, caller?: "staff" | "customer", fields?: string];

/** All but the last on the header alone, whatever the body. */
const refusals: readonly Refusal[] = [
  ["not-found", "POST /api/nothing-here"],
  ["method-not-allowed", "POST /api/toppings/funghi", "staff"],
  ["not-authenticated", "POST /api/toppings"],
  ["forbidden", "POST /api/toppings", "customer"],
  ["not-found", "PUT /api/toppings/nobody-has-this", "staff"],
  ["unsupported-media-type", "POST /api/toppings", "staff", "Content-Encoding: gzip\r\n"],
  ["precondition-failed", "PUT /api/toppings/funghi", "staff", 'If-Match: "other"\r\n'],
  ["body-too-large", "POST /api/toppings", "staff"],
];

const topping = '{"name":"Rocket","isVegetarian":true,"isVegan":true}';
const healthz = "GET /healthz HTTP/1.1\r\nHost: forno\r\nConnection: close\r\n\r\n";

function head(forno: Client, [, line, caller, fields = ""]: Refusal, framing: string): string {
  const token = caller === undefined ? "" : `Authorization: Bearer ${forno[caller]}\r\n`;
  return `${line} HTTP/1.1\r\nHost: forno\r\n${token}${fields}${framing}\r\n\r\n`;
}

test("a client that uploads a lot reads its refusal, whatever its framing", async (t) => {
  const forno = await startForno(t);
  const size = 900_000;
  const framings: [string, string][] = [
    [`Content-Length: ${size}`, " ".repeat(size)],
    ["Transfer-Encoding: chunked", `${size.toString(16)}\r\n${" ".repeat(size)}\r\n0\r\n\r\n`],
  ];
  for (const refusal of refusals.filter(([type]) => type !== "precondition-failed")) {
    for (const [framing, body] of framings) {
      const wire = openWire(t, forno.port);
      wire.send(head(forno, refusal, framing));
      wire.send(body);
      const [response] = await wire.responses(1);
      assertProblem(response ?? assert.fail(), refusal[0]);
      assert.equal(wire.fault(), undefined, `${refusal[1]} ${framing}`);
      wire.destroy();
    }
  }
});

test("a refused body is never taken for a request, and the connection goes on", async (t) => {
  const forno = await startForno(t);
  const hidden = `DELETE /api/toppings/funghi HTTP/1.1\r\nHost: forno\r\n`
    + `Authorization: Bearer ${forno.staff}\r\n\r\n`;
  for (const refusal of refusals) {
    const isTooLarge = refusal[0] === "body-too-large";
    const body = isTooLarge ? hidden.padEnd(70_000, "\r\n") : hidden;
    const wire = openWire(t, forno.port);
    wire.send(`${head(forno, refusal, `Content-Length: ${body.length}`)}${body}${healthz}`);
    const [refused, ...others] = await wire.closed();
    assertProblem(refused ?? assert.fail(), refusal[0]);
    // After a large body the connection may close.
    const statuses = others.map(({ status }) => status);
    if (!isTooLarge || others.length > 0) assert.deepEqual(statuses, [200], refusal[1]);
  }
  assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
});

for (const waits of [true, false]) {
  test(`Expect: 100-continue is served, the client ${waits ? "waits" : "does not"}`, async (t) => {
    const forno = await startForno(t);
    const wire = openWire(t, forno.port);
    const framing = `Content-Length: ${topping.length}\r\nExpect: 100-continue`;
    wire.send(head(forno, ["not-found", "POST /api/toppings", "staff"], framing));
    if (waits) assert.equal((await wire.responses(1))[0]?.status, 100);
    wire.send(topping + healthz);
    const statuses = (await wire.closed()).map(({ status }) => status);
    assert.deepEqual(statuses.filter((status) => status !== 100), [201, 200]);
  });
}
