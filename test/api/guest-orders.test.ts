/**
 * Limits of customers' orders (contract part 1): the tokens and places of guests, by GUEST_ORDERS,
 * and how many orders may wait for the kitchen.
 */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { ProblemType } from "../../src/problems/problem.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { type Client, type Forno, type Response, startForno } from "../helpers/forno.ts";
import { holdTime } from "../helpers/patience.ts";
import { bearer, holdBody } from "../helpers/raw-http.ts";
import { type Body, order } from "../helpers/samples.ts";
import { assertProblem } from "./assertions.ts";

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

function post(
  forno: Client, sent: unknown, token = forno.customer, headers = {},
): Promise<Response> {
  return forno.call("POST", "/api/orders", { token, body: sent, headers });
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
  const { json } = await post(forno, body, anna);
  for (const [token, status] of [[anna, 200], [bruno, 404]] as const) {
    assert.equal((await forno.call("GET", `/api/orders/${json.id}`, { token })).status, status);
  }
});

test("a client places three minutes' orders at once, by any tokens, then on", async (t) => {
  const pass = holdTime(t);
  for (const [GUEST_ORDERS, RATE_LIMIT, burst, seconds] of [
    ["on", "off", 30, 6], ["10", "1000", 30, 6], ["2", "off", 6, 30],
  ] as const) {
    const forno = await startForno(t, { env: { GUEST_ORDERS, RATE_LIMIT } });
    const placed = await Promise.all(Array.from({ length: burst + 5 }, (_, index) =>
      post(forno, body, forno.token({ role: "customer", sub: `c${index}` }))));
    const refused = placed.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 5, GUEST_ORDERS);
    for (const response of refused) {
      assertProblem(response, "rate-limited");
      assert.equal(response.headers.get("retry-after"), `${seconds}`);
    }
    pass(seconds * 1_000);
    const token = await guest(forno);
    assert.equal((await post(forno, body, token)).status, 201);
    assertProblem(await post(forno, body, token), "rate-limited");
    // Reads and orders of staff have no such limit.
    await forno.write("POST", "/api/orders", body);
    assert.equal((await forno.call("GET", "/api/orders?limit=1", { token })).status, 200);
  }
});

test("a place is taken last: by no body that is not stored, and by no retry", async (t) => {
  holdTime(t);
  const forno = await startForno(t, { env: on });
  const token = forno.customer;
  // Their bodies have not arrived.
  await Promise.all(Array.from({ length: 40 }, () =>
    holdBody(t, forno.port, "POST /api/orders", bearer(token), body)));
  const others: readonly (readonly [sent: unknown, ProblemType, query?: string])[] = [
    [{}, "invalid-body"],
    [{ ...body, toppings: [{ id: "nowhere" }] }, "invalid-body"],
    [body, "invalid-query", "?dryRun=true"],
    [{ ...body, id: "o0" }, "id-taken"],
  ];
  for (let index = 0; index <= 30; index += 1) {
    const response = await post(forno, { ...body, id: `o${index}` });
    if (index < 30) assert.equal(response.status, 201);
    else assertProblem(response, "rate-limited");
    // They neither take a place nor need one.
    for (const [sent, type, query = ""] of others) {
      assertProblem(await forno.call("POST", `/api/orders${query}`, { token, body: sent }), type);
    }
  }
  await forno.write("PATCH", "/api/shop", { isOpen: false });
  assertProblem(await post(forno, body), "shop-closed");
});

test("an order that the disk did not take gives its place back", async (t) => {
  holdTime(t);
  const forno = await startForno(t, { env: on });
  const writeAll: typeof forno.store.writeAll = async (kind, ids, decide) => {
    decide(ids.map((id) => forno.store.accepted.get(kind, id)));
    throw new StoreError("write-failed", "the disk is full");
  };
  t.mock.method(forno.store, "writeAll", writeAll);
  for (let asked = 0; asked < 31; asked += 1) {
    assertProblem(await post(forno, body), "storage-unavailable");
  }
  t.mock.restoreAll();
  assert.equal((await post(forno, body)).status, 201);
});

/** A shop behind a proxy, so that a test can send from many addresses. */
function startBehindProxy(t: TestContext, more: { dataDir?: string } = {}): Promise<Forno> {
  const env = { TRUST_PROXY: "on", RATE_LIMIT: "off", GUEST_ORDERS: "1000" };
  return startForno(t, { env, ...more });
}

/** Places so many orders in one request, from the address of that number. */
function place(
  forno: Client, client: number, orders: number, fields: Body = {}, token = forno.customer,
): Promise<Response> {
  const sent = Array(orders).fill({ ...body, ...fields });
  return post(forno, sent, token, { "x-forwarded-for": `192.0.2.${client}` });
}

async function assertPlaced(answer: Promise<Response>, who?: string): Promise<Response> {
  const response = await answer;
  assert.equal(response.status, 201, who ?? response.text);
  return response;
}

async function assertTooMany(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  const { detail } = assertProblem(response, "rate-limited");
  assert.match(detail, /^the kitchen has more orders than it can start/);
  assert.equal(response.headers.get("retry-after"), "60");
}

test("of one client 60 orders wait at most, also of several tokens at once", async (t) => {
  const forno = await startBehindProxy(t);
  const first = await assertPlaced(place(forno, 1, 12));
  const answers = await Promise.all(Array.from({ length: 11 }, (_, index) =>
    place(forno, 1, 12, {}, forno.token({ role: "customer", sub: `guest-${index}` }))));
  assert.equal(answers.filter(({ status }) => status === 201).length, 4);
  await assertTooMany(place(forno, 1, 1));
  const retry = await place(forno, 1, 1, { id: first.json[0].id });
  assert.equal(assertProblem(retry, "id-taken").identical, true, "however many wait");
  await assertPlaced(place(forno, 2, 12), "another client");
  await assertPlaced(place(forno, 1, 12, {}, forno.staff), "staff");
  const [made, deleted] = first.json;
  await forno.write("PATCH", `/api/orders/${made.id}`, { status: "Ready" });
  await assertPlaced(place(forno, 1, 1), "one is made");
  await forno.write("DELETE", `/api/orders/${deleted.id}`);
  await assertTooMany(place(forno, 1, 2));
  await assertPlaced(place(forno, 1, 1), "one is deleted");
});

test("in all 300 orders of customers wait at most, also after a restart", async (t) => {
  const forno = await startBehindProxy(t);
  await place(forno, 9, 12, {}, forno.staff);
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) =>
    place(forno, index, 12, { status: "Pending" })));
  assert.equal(answers.filter(({ status }) => status === 201).length, 25);
  await assertTooMany(place(forno, 40, 1));
  await forno.close();
  const again = await startBehindProxy(t, { dataDir: forno.dataDir });
  await assertTooMany(place(again, 40, 1));
  const { id } = answers.find(({ status }) => status === 201)?.json[0];
  await again.write("PATCH", `/api/orders/${id}`, { status: "Preparing" });
  await assertTooMany(place(again, 40, 1));
  await again.write("PATCH", `/api/orders/${id}`, { status: "Cancelled" });
  await assertPlaced(place(again, 40, 1));
});

test("an order that is wanted later waits from then on", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-01-31T18:00:00Z") });
  const forno = await startBehindProxy(t);
  const tonight = { wantedAt: "2026-01-31T19:00:00Z" };
  for (let round = 0; round < 6; round += 1) await assertPlaced(place(forno, 1, 12, tonight));
  await assertPlaced(place(forno, 1, 12));
  t.mock.timers.setTime(Date.parse("2026-01-31T19:00:00Z"));
  await assertTooMany(place(forno, 1, 1, { wantedAt: "2026-01-31T18:00:00Z" }));
  await assertPlaced(place(forno, 1, 1, { wantedAt: "2026-02-01T19:00:00Z" }));
});

test("with those that are wanted later 3,000 wait at most", async (t) => {
  const forno = await startBehindProxy(t);
  const tomorrow = { wantedAt: new Date(Date.now() + 86_400_000).toISOString() };
  await Promise.all(Array.from({ length: 250 }, (_, index) =>
    assertPlaced(place(forno, index, 12, tomorrow))));
  await assertTooMany(place(forno, 0, 1, tomorrow));
  await assertTooMany(place(forno, 0, 1));
  await assertPlaced(place(forno, 0, 1, tomorrow, forno.staff), "staff");
});
