/**
 * GUEST_ORDERS (contract part 1): off, there is no such path; on, anyone gets a customer token that
 * may place orders: thirty at once and ten a minute per client, whatever RATE_LIMIT says.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Forno, type Response, startForno } from "../helpers/forno.ts";

const order = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };
const on = { GUEST_ORDERS: "on" };

/** The JSON Web Token in an answer, whatever its member is called. */
function tokenIn(response: Response): string {
  const values: unknown[] = Object.values(response.json ?? {});
  const tokens = values.filter((value) => /^eyJ[^.]+\.[^.]+\.[^.]+$/.test(String(value)));
  assert.equal(tokens.length, 1, response.text);
  return String(tokens[0]);
}

async function guest(forno: Forno): Promise<string> {
  const response = await forno.call("POST", "/api/tokens");
  assert.ok(response.status === 200 || response.status === 201, response.text);
  return tokenIn(response);
}

function claimsOf(token: string): Record<string, unknown> {
  const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
  return JSON.parse(payload) as Record<string, unknown>; // Made by the service; asserted below.
}

test("a 401 says that anyone may have a token, where that is so and helps", async (t) => {
  const ending = /\(or customer, or reader\), or with POST \/api\/tokens$/;
  for (const [env, path, isSaid] of [
    [on, "/api/orders", true],
    [on, "/api/toppings", false],
    [{}, "/api/orders", false],
  ] as const) {
    const forno = await startForno(t, { env });
    const { status, json } = await forno.call("POST", path, { body: order });
    assert.deepEqual([status, ending.test(json.detail)], [401, isSaid], json.detail);
  }
});

test("a guest's token is a customer's, in date, and no cache keeps it", async (t) => {
  const forno = await startForno(t, { env: on });
  const response = await forno.call("POST", "/api/tokens");
  assert.match(response.headers.get("cache-control") ?? "", /no-store/);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  const { role, sub, exp } = claimsOf(tokenIn(response));
  assert.equal(role, "customer");
  assert.equal(typeof sub, "string");
  assert.ok(Number(exp) > Date.now() / 1000);
});

test("under ORDER_READS=own each guest sees only what that guest placed", async (t) => {
  const forno = await startForno(t, { env: { ...on, ORDER_READS: "own" } });
  const [anna, bruno] = [await guest(forno), await guest(forno)];
  const { json } = await forno.call("POST", "/api/orders", { token: anna, body: order });
  const seen = async (token: string): Promise<[number, number]> => [
    (await forno.call("GET", `/api/orders/${json.id}`, { token })).status,
    (await forno.call("GET", "/api/orders", { token })).json.length,
  ];
  assert.deepEqual(await seen(anna), [200, 1]);
  assert.deepEqual(await seen(bruno), [404, 0]);
});

/** The refusal, which must come after thirty and, however slow the machine, before sixty. */
async function refusedAfterThirty(ask: () => Promise<Response>): Promise<Response> {
  for (let served = 0; served < 60; served += 1) {
    const response = await ask();
    if (response.status === 429) {
      assert.ok(served >= 30, `only ${served} were served`);
      return response;
    }
    assert.ok(response.status < 300, response.text);
  }
  return assert.fail("Expected 429 within 60, got none");
}

test("tokens are free: asking for one takes nothing from the orders", async (t) => {
  const forno = await startForno(t, { env: on });
  for (let asked = 0; asked < 45; asked += 1) {
    assert.equal((await forno.call("POST", "/api/tokens")).status, 201);
  }
  const placed = await forno.call("POST", "/api/orders", { token: forno.customer, body: order });
  assert.equal(placed.status, 201);
});

test("one client places thirty orders and then ten a minute, whatever the token", async (t) => {
  const forno = await startForno(t, { env: on });
  let customers = 0;
  const refused = await refusedAfterThirty(() => {
    const claims = { role: "customer", sub: `c${(customers += 1)}` };
    return forno.call("POST", "/api/orders", { token: forno.token(claims), body: order });
  });
  assert.equal(refused.json.type, "/problems/rate-limited");
  assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
});

test("staff's creates and everybody's reads are not slowed", async (t) => {
  const forno = await startForno(t, { env: on });
  for (let asked = 0; asked < 45; asked += 1) {
    const placed = await forno.asStaff("POST", "/api/orders", order);
    assert.equal(placed.status, 201);
    assert.equal((await forno.call("GET", "/api/orders?limit=1")).status, 200);
  }
});

test("the limit of guests and RATE_LIMIT hold side by side", async (t) => {
  const env = { ...on, RATE_LIMIT: "100" };
  const placing = await startForno(t, { env });
  const token = placing.customer;
  await refusedAfterThirty(() => placing.call("POST", "/api/orders", { token, body: order }));
  const slow = await startForno(t, { env: { ...on, RATE_LIMIT: "0.1" } });
  const statuses = new Set<number>();
  for (let asked = 0; asked < 5; asked += 1) {
    statuses.add((await slow.call("GET", "/api/toppings")).status);
  }
  assert.deepEqual([...statuses], [200, 429]);
});
