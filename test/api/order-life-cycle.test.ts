/** The order life cycle (contract part 2): who may create in, move to and change in each status. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { startForno, temporaryFolder } from "../helpers/forno.ts";
import { assertFaults, assertProblem, assertResource } from "./assertions.ts";
import { order, statuses } from "./kinds.ts";
import type { Body } from "./kinds.ts";

const closed: readonly string[] = ["Delivered", "Cancelled"];

test("a customer's status is told with all the other faults of the body", async (t) => {
  const forno = await startForno(t);
  const body = { toppings: [], beverages: [], status: "Delivered", extra: 1 };
  const response = await forno.call("POST", "/api/orders", { token: forno.customer, body });
  assertFaults(response, ["#/pizzaSize", "#/status", "#/extra"]);
  assert.match(response.json.errors[1].detail, /^expected .*"Preparing" from a customer, got /);
});

test("a customer creates in Pending or Preparing, every other status is 400", async (t) => {
  const forno = await startForno(t);
  const token = forno.customer;
  for (const [index, status] of statuses.entries()) {
    const body = order({ id: `order-${index}`, status });
    const response = await forno.call("POST", "/api/orders", { token, body });
    if (status === "Pending" || status === "Preparing") assertResource(response, 201, body);
    else assertFaults(response, ["#/status"]);
  }
});

test("a status left out on create means Preparing, for either role", async (t) => {
  const forno = await startForno(t);
  for (const token of [forno.staff, forno.customer]) {
    const { status: _, id: __, ...without } = order();
    const created = await forno.call("POST", "/api/orders", { token, body: without });
    assertResource(created, 201, order({ id: created.json.id, status: "Preparing" }));
    const body = { ...without, status: null };
    assertFaults(await forno.call("POST", "/api/orders", { token, body }), ["#/status"]);
  }
});

function followersOf(status: string): string[] {
  const isDeadEnd = (next: string): boolean => closed.includes(status) && closed.includes(next);
  return statuses.filter((next) => next !== status && !isDeadEnd(next));
}

for (const method of ["PUT", "PATCH"]) {
  test(`${method} moves an order anywhere, but not between the two closed statuses`, async (t) => {
    const forno = await startForno(t);
    for (const [row, from] of statuses.entries()) {
      for (const [column, to] of statuses.entries()) {
        const id = `from-${row}-to-${column}`;
        const path = `/api/orders/${id}`;
        await forno.asStaff("POST", "/api/orders", order({ id, status: from }));
        const body = method === "PUT" ? order({ id, status: to }) : { status: to };
        const response = await forno.asStaff(method, path, body);
        if (from === to || followersOf(from).includes(to)) {
          assertResource(response, 200, order({ id, status: to }));
          continue;
        }
        const problem = assertProblem(response, "status-not-allowed");
        assert.deepEqual([...(problem.allowed ?? [])].sort(), followersOf(from).sort());
        assertResource(await forno.call("GET", path), 200, order({ id, status: from }));
      }
    }
  });
}

const contents: readonly Body[] = [
  { pizzaSize: { id: "piccola" } },
  { toppings: [] },
  { toppings: [{ id: "funghi" }] },
  { toppings: [{ id: "funghi" }, { id: "rucola" }, { id: "funghi" }] },
  { beverages: [] },
  { beverages: [{ id: "birra" }] },
];

test("the content of a closed order is locked, also in an update that opens it", async (t) => {
  const forno = await startForno(t);
  const token = forno.staff;
  for (const status of closed) {
    const path = `/api/orders/${status}`;
    const stored = order({ id: status, status });
    await forno.asStaff("POST", "/api/orders", stored);
    const before = await forno.call("GET", path);
    for (const content of contents) {
      const put = { token, body: { ...stored, ...content } };
      assertProblem(await forno.call("PUT", path, put), "order-closed");
      assertProblem(await forno.asStaff("PATCH", path, content), "order-closed");
      const reopening = { token, body: { ...content, status: "Preparing" } };
      assertProblem(await forno.call("PATCH", path, reopening), "order-closed");
    }
    assert.equal((await forno.call("GET", path)).text, before.text);
  }
});

test("one update may change an open order and close it", async (t) => {
  const forno = await startForno(t);
  for (const status of closed) {
    await forno.asStaff("POST", "/api/orders", order({ id: status }));
    const body = order({ id: status, status, toppings: [], pizzaSize: { id: "piccola" } });
    assertResource(await forno.asStaff("PUT", `/api/orders/${status}`, body), 200, body);
  }
});

test("a closed order takes an update that changes nothing, and a delete", async (t) => {
  const forno = await startForno(t);
  for (const status of closed) {
    const body = order({ id: status, status });
    const path = `/api/orders/${status}`;
    await forno.asStaff("POST", "/api/orders", body);
    assertResource(await forno.asStaff("PUT", path, body), 200, body);
    assertResource(await forno.asStaff("PATCH", path, { status }), 200, body);
    assert.equal((await forno.asStaff("DELETE", path)).status, 204);
    assertProblem(await forno.call("GET", path), "not-found");
  }
});

const at = (second: number): number => Date.parse("2026-01-31T18:00:00.000Z") + 1_000 * second;

/** What changes, at which second, and the second that statusSince then shows. */
const changes: readonly (readonly [what: string, body: Body, second: number, since: number])[] = [
  ["other items", { toppings: [] }, 10, 0],
  ["on", { status: "Ready" }, 20, 20],
  ["other items between", { beverages: [] }, 50, 20],
  ["back within a minute", { status: "Preparing" }, 80, 0],
  ["on again, which is no undo", { status: "Ready" }, 90, 90],
  ["back after more than a minute", { status: "Preparing" }, 150.001, 150.001],
  ["back from there", { status: "Ready" }, 160, 90],
  ["on to a third", { status: "Delivered" }, 170, 170],
  ["back after a restart", { status: "Ready" }, 180, 90],
];

test("statusSince changes with the status only, and an undo restores it", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: at(0) });
  const dataDir = join(temporaryFolder(t), "store");
  let forno = await startForno(t, { dataDir });
  const token = forno.token({ role: "staff", sub: "rosa", exp: at(3_600) / 1_000 });
  await forno.call("POST", "/api/orders", { token, body: order() });
  for (const [what, body, second, since] of changes) {
    t.mock.timers.setTime(at(second));
    if (what.endsWith("restart")) {
      await forno.close();
      forno = await startForno(t, { dataDir });
    }
    const { json } = await forno.call("PATCH", "/api/orders/tavolo-4", { token, body });
    assert.equal(json.statusSince, new Date(at(since)).toISOString(), what);
    assert.equal(json.updatedAt, new Date(at(second)).toISOString(), what);
  }
});
