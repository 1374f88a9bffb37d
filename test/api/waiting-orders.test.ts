/** How many orders of customers may wait for the kitchen (contract part 1). */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Client, type Forno, type Response, startForno } from "../helpers/forno.ts";
import { type Body, order } from "../helpers/samples.ts";
import { assertProblem } from "./assertions.ts";

/** A shop behind a proxy, so that a test can send from many addresses. */
function start(t: TestContext, dataDir?: string): Promise<Forno> {
  const env = { TRUST_PROXY: "on", RATE_LIMIT: "off", GUEST_ORDERS: "1000" };
  return startForno(t, dataDir === undefined ? { env } : { env, dataDir });
}

let count = 0;

/** Places so many orders in one request. */
function place(
  forno: Client, client: string, orders: number, fields: Body = {}, token = forno.customer,
): Promise<Response> {
  const body = Array.from({ length: orders }, () => order({ id: `w${(count += 1)}`, ...fields }));
  const headers = { "x-forwarded-for": client };
  return forno.call("POST", "/api/orders", { token, body, headers });
}

function assertTooMany(response: Response): void {
  const { detail } = assertProblem(response, "rate-limited");
  assert.match(detail, /^the kitchen has more orders than it can start/);
  assert.equal(response.headers.get("retry-after"), "60");
}

const address = (number: number): string => `192.0.2.${number}`;

test("of one client 60 orders wait at most, also of several tokens at once", async (t) => {
  const forno = await start(t);
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) =>
    place(forno, address(1), 12, {}, forno.token({ role: "customer", sub: `guest-${index}` }))));
  const placed = answers.filter(({ status }) => status === 201);
  assert.equal(placed.length, 5);
  for (const answer of answers) if (answer.status !== 201) assertTooMany(answer);
  assertTooMany(await place(forno, address(1), 1));
  assert.equal((await place(forno, address(2), 12)).status, 201, "another client");
  assert.equal((await place(forno, address(1), 12, {}, forno.staff)).status, 201, "staff");
  const [first, second] = placed[0]?.json;
  await forno.write("PATCH", `/api/orders/${first.id}`, { status: "Ready" });
  assert.equal((await place(forno, address(1), 1)).status, 201, "one is made");
  await forno.write("DELETE", `/api/orders/${second.id}`);
  assertTooMany(await place(forno, address(1), 2));
  assert.equal((await place(forno, address(1), 1)).status, 201, "one is deleted");
});

test("in all 300 orders of customers wait at most, also after a restart", async (t) => {
  const forno = await start(t);
  await place(forno, address(9), 12, {}, forno.staff);
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) =>
    place(forno, address(index), 12, { status: "Pending" })));
  assert.deepEqual(answers.filter(({ status }) => status === 201).length, 25);
  assertTooMany(await place(forno, address(40), 1));
  await forno.close();
  const again = await start(t, forno.dataDir);
  assertTooMany(await place(again, address(40), 1));
  const { id } = answers.find(({ status }) => status === 201)?.json[0];
  await again.write("PATCH", `/api/orders/${id}`, { status: "Preparing" });
  assertTooMany(await place(again, address(40), 1));
  await again.write("PATCH", `/api/orders/${id}`, { status: "Cancelled" });
  assert.equal((await place(again, address(40), 1)).status, 201);
});

test("an order that is wanted later waits from then on", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-01-31T18:00:00Z") });
  const forno = await start(t);
  const tonight = { wantedAt: "2026-01-31T19:00:00Z" };
  for (let round = 0; round < 6; round += 1) {
    assert.equal((await place(forno, address(1), 12, tonight)).status, 201);
  }
  assert.equal((await place(forno, address(1), 12)).status, 201);
  t.mock.timers.setTime(Date.parse("2026-01-31T19:00:00Z"));
  assertTooMany(await place(forno, address(1), 1, { wantedAt: "2026-01-31T18:00:00Z" }));
  const tomorrow = { wantedAt: "2026-02-01T19:00:00Z" };
  assert.equal((await place(forno, address(1), 1, tomorrow)).status, 201);
});

test("with those that are wanted later 3,000 wait at most", async (t) => {
  const forno = await start(t);
  const tomorrow = { wantedAt: new Date(Date.now() + 86_400_000).toISOString() };
  const answers = await Promise.all(Array.from({ length: 250 }, (_, index) =>
    place(forno, address(index), 12, tomorrow)));
  assert.ok(answers.every(({ status }) => status === 201));
  assertTooMany(await place(forno, address(0), 1, tomorrow));
  assertTooMany(await place(forno, address(0), 1));
  assert.equal((await place(forno, address(0), 1, tomorrow, forno.staff)).status, 201, "staff");
});

test("a retry of an order is 409 however many wait", async (t) => {
  const forno = await start(t);
  const first = await place(forno, address(1), 12);
  for (let round = 0; round < 4; round += 1) await place(forno, address(1), 12);
  const body = first.json.map(({ id }: Body) => order({ id }));
  const headers = { "x-forwarded-for": address(1) };
  const retry = await forno.call("POST", "/api/orders", { token: forno.customer, body, headers });
  assert.equal(assertProblem(retry, "id-taken").identical, true);
});
