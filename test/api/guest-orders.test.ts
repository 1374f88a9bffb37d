/**
 * GUEST_ORDERS (contract part 1): if it is on or a number, anyone gets a customer token and may
 * place so many orders a minute per client, three times as many at once, whatever RATE_LIMIT says.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemType } from "../../src/problems/problem.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { type Client, type Response, startForno } from "../helpers/forno.ts";
import { holdTime } from "../helpers/patience.ts";
import { bearer, holdBody } from "../helpers/raw-http.ts";
import { assertProblem } from "./assertions.ts";
import { order } from "../helpers/samples.ts";

const body = order({ id: undefined });
const on = { GUEST_ORDERS: "on" };

/** A new guest's token. */
async function guest(forno: Client): Promise<string> {
  const { status, json } = await forno.call("POST", "/api/tokens");
  assert.deepEqual([status, json.role], [201, "customer"]);
  const hours = (Date.parse(json.expiresAt) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24, `${hours} hours`);
  return json.token;
}

test("off, a token without a code is 403 that names the setting", async (t) => {
  const forno = await startForno(t, { env: { GUEST_ORDERS: "off" } });
  const { detail } = assertProblem(await forno.call("POST", "/api/tokens"), "forbidden");
  assert.match(detail, /^guests may not order here: .*GUEST_ORDERS=on/);
});

test("a 401 says that anyone may have a token, where that is so and helps", async (t) => {
  const ending = /\(or owner, customer, reader\), or with POST \/api\/tokens$/;
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

test("each guest is another customer", async (t) => {
  const forno = await startForno(t, { env: { ...on, ORDER_READS: "own" } });
  const [anna, bruno] = [await guest(forno), await guest(forno)];
  const { json } = await forno.call("POST", "/api/orders", { token: anna, body });
  for (const [token, status] of [[anna, 200], [bruno, 404]] as const) {
    assert.equal((await forno.call("GET", `/api/orders/${json.id}`, { token })).status, status);
  }
});

test("a client places thirty orders at once, by any tokens, then ten a minute", async (t) => {
  const pass = holdTime(t);
  for (const [GUEST_ORDERS, RATE_LIMIT] of [["on", "off"], ["10", "1000"]] as const) {
    const forno = await startForno(t, { env: { GUEST_ORDERS, RATE_LIMIT } });
    const placed = await Promise.all(Array.from({ length: 40 }, (_, index) =>
      forno.call("POST", "/api/orders", {
        token: forno.token({ role: "customer", sub: `c${index}` }), body,
      })));
    const refused = placed.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 10);
    for (const response of refused) {
      assertProblem(response, "rate-limited");
      assert.equal(response.headers.get("retry-after"), "6");
    }
    pass(6_000);
    const token = await guest(forno);
    const place = () => forno.call("POST", "/api/orders", { token, body });
    assert.equal((await place()).status, 201);
    assertProblem(await place(), "rate-limited");
    // Reads and orders of staff have no such limit.
    await forno.write("POST", "/api/orders", body);
    assert.equal((await forno.call("GET", "/api/orders?limit=1", { token })).status, 200);
  }
});

test("a number is so many orders a minute, and three times as many at once", async (t) => {
  const pass = holdTime(t);
  const forno = await startForno(t, { env: { GUEST_ORDERS: "2" } });
  const place = () => forno.call("POST", "/api/orders", { token: forno.customer, body });
  for (let placed = 0; placed < 6; placed += 1) assert.equal((await place()).status, 201);
  const refused = await place();
  assertProblem(refused, "rate-limited");
  assert.equal(refused.headers.get("retry-after"), "30");
  pass(30_000);
  assert.equal((await place()).status, 201);
  assertProblem(await place(), "rate-limited");
});

test("a place is taken last: by no body that is not stored, and by no retry", async (t) => {
  holdTime(t);
  const forno = await startForno(t, { env: on });
  const token = forno.customer;
  // Their bodies have not arrived.
  const hold = (): Promise<() => Promise<Response>> =>
    holdBody(t, forno.port, "POST /api/orders", bearer(token), body);
  await Promise.all(Array.from({ length: 40 }, hold));
  const place = (sent: unknown, query = ""): Promise<Response> =>
    forno.call("POST", `/api/orders${query}`, { token, body: sent });
  const others: readonly (readonly [sent: unknown, ProblemType, query?: string])[] = [
    [{}, "invalid-body"],
    [{ ...body, toppings: [{ id: "nowhere" }] }, "invalid-body"],
    [body, "invalid-query", "?dryRun=true"],
    [{ ...body, id: "o0" }, "id-taken"],
  ];
  for (let index = 0; index <= 30; index += 1) {
    const response = await place({ ...body, id: `o${index}` });
    if (index < 30) assert.equal(response.status, 201);
    else assertProblem(response, "rate-limited");
    // They neither take a place nor need one.
    for (const [sent, type, query] of others) assertProblem(await place(sent, query), type);
  }
  await forno.write("PATCH", "/api/shop", { isOpen: false });
  assertProblem(await place(body), "shop-closed");
});

test("an order that the disk did not take gives its place back", async (t) => {
  holdTime(t);
  const forno = await startForno(t, { env: on });
  const place = (): Promise<Response> =>
    forno.call("POST", "/api/orders", { token: forno.customer, body });
  const writeAll: typeof forno.store.writeAll = async (kind, ids, decide) => {
    decide(ids.map((id) => forno.store.accepted.get(kind, id)));
    throw new StoreError("write-failed", "the disk is full");
  };
  t.mock.method(forno.store, "writeAll", writeAll);
  for (let asked = 0; asked < 31; asked += 1) {
    assertProblem(await place(), "storage-unavailable");
  }
  t.mock.restoreAll();
  assert.equal((await place()).status, 201);
});
