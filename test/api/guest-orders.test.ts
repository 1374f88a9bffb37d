/**
 * GUEST_ORDERS (contract part 1): on, anyone gets a customer token that may place orders: thirty at
 * once and ten a minute per client, whatever RATE_LIMIT says.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, type Response, startForno } from "../helpers/forno.ts";
import { assertProblem } from "./assertions.ts";

const body = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };
const on = { GUEST_ORDERS: "on" };

async function guest(forno: Client): Promise<string> {
  const { status, json } = await forno.call("POST", "/api/tokens");
  assert.equal(status, 201);
  const hours = (Date.parse(json.expiresAt) - Date.now()) / 3_600_000;
  assert.ok(hours > 11.9 && hours <= 12, `${hours} hours`);
  return json.token;
}

test("off, a token without a code is 403 that names the setting", async (t) => {
  const forno = await startForno(t, { env: { GUEST_ORDERS: "off" } });
  const { detail } = assertProblem(await forno.call("POST", "/api/tokens"), "forbidden");
  assert.match(detail, /^guests may not order here: .*GUEST_ORDERS=on/);
});

test("a 401 says that anyone may have a token, where that is so and helps", async (t) => {
  const ending = /\(or customer, or reader\), or with POST \/api\/tokens$/;
  for (const [env, path, isSaid] of [
    [on, "/api/orders", true],
    [on, "/api/toppings", false],
    [{ GUEST_ORDERS: "off" }, "/api/orders", false],
  ] as const) {
    const forno = await startForno(t, { env });
    const { status, json } = await forno.call("POST", path, { body });
    assert.deepEqual([status, ending.test(json.detail)], [401, isSaid], json.detail);
  }
});

test("under ORDER_READS=own each guest sees only what that guest placed", async (t) => {
  const forno = await startForno(t, { env: { ...on, ORDER_READS: "own" } });
  const [anna, bruno] = [await guest(forno), await guest(forno)];
  const { json } = await forno.call("POST", "/api/orders", { token: anna, body });
  const seen = async (token: string): Promise<[number, number]> => [
    (await forno.call("GET", `/api/orders/${json.id}`, { token })).status,
    (await forno.call("GET", "/api/orders", { token })).json.length,
  ];
  assert.deepEqual(await seen(anna), [200, 1]);
  assert.deepEqual(await seen(bruno), [404, 0]);
});

/** The refusal, which must come after thirty and, however slow the machine, before sixty. */
async function refusedAfterThirty(ask: (served: number) => Promise<Response>): Promise<Response> {
  for (let served = 0; served < 60; served += 1) {
    const response = await ask(served);
    if (response.status === 201) continue;
    assert.ok(served >= 30, `only ${served} were served`);
    return response;
  }
  return assert.fail("Expected 429 within 60, got none");
}

for (const RATE_LIMIT of ["off", "100"]) {
  test(`one client places thirty orders by any tokens (RATE_LIMIT=${RATE_LIMIT})`, async (t) => {
    const forno = await startForno(t, { env: { ...on, RATE_LIMIT } });
    const refused = await refusedAfterThirty((served) => {
      const token = forno.token({ role: "customer", sub: `c${served}` });
      return forno.call("POST", "/api/orders", { token, body });
    });
    assertProblem(refused, "rate-limited");
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  });
}

test("tokens, staff's creates and everybody's reads are not slowed", async (t) => {
  const forno = await startForno(t, { env: on });
  for (let asked = 0; asked < 45; asked += 1) {
    const token = await guest(forno);
    assert.equal((await forno.asStaff("POST", "/api/orders", body)).status, 201);
    assert.equal((await forno.call("GET", "/api/orders?limit=1", { token })).status, 200);
  }
  const placed = await forno.call("POST", "/api/orders", { token: forno.customer, body });
  assert.equal(placed.status, 201);
});
