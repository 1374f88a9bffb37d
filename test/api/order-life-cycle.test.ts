/** The order life cycle (contract part 2): who may create in, move to and change in each status. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Response, startForno } from "../helpers/forno.ts";
import { assertFaults, assertProblem, assertResource } from "./assertions.ts";
import { type Body, order, orderSample, statuses } from "../helpers/samples.ts";

const closed: readonly string[] = ["Delivered", "Cancelled"];

test("a customer creates in Pending or Preparing, the default; a PUT has none", async (t) => {
  const forno = await startForno(t);
  const token = forno.customer;
  for (const [index, status] of [...statuses, undefined].entries()) {
    const body = order({ id: `order-${index}`, status });
    const response = await forno.call("POST", "/api/orders", { token, body });
    if (index < 2) assertResource(response, 201, body);
    else if (status !== undefined) assertFaults(response, ["#/status"]);
    else assertResource(response, 201, { ...body, status: "Preparing" });
  }
  const { status: _, ...others } = order({ id: "order-0" });
  assertFaults(await forno.asStaff("PUT", "/api/orders/order-0", others), ["#/status"]);
  const body = { toppings: [], beverages: [], status: "Delivered", extra: 1 };
  const response = await forno.call("POST", "/api/orders", { token, body });
  const { errors } = assertFaults(response, ["#/pizzaSize", "#/status", "#/extra"]);
  assert.match(errors?.[1]?.detail ?? "", /^expected .*"Preparing" from a customer, got /);
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
        await forno.write("POST", "/api/orders", order({ id, status: from }));
        const body = method === "PUT" ? order({ id, status: to }) : { status: to };
        const response = await forno.asStaff(method, `/api/orders/${id}`, body);
        if (from === to || followersOf(from).includes(to)) {
          assertResource(response, 200, order({ id, status: to }));
        } else {
          const { allowed } = assertProblem(response, "status-not-allowed");
          assert.deepEqual(allowed, followersOf(from));
        }
      }
    }
  });
}

const contents: readonly Body[] = [
  { pizzaSize: { id: "piccola" } },
  { toppings: [] },
  { toppings: [{ id: "rucola" }, { id: "funghi" }] },
  { beverages: [{ id: "birra" }] },
  ...Object.entries(orderSample.optional).map(([name, value]) => ({ [name]: value })),
];

for (const status of closed) {
  test(`the contents of an order can change until it is ${status}`, async (t) => {
    const forno = await startForno(t);
    const path = "/api/orders/tavolo-4";
    await forno.write("POST", "/api/orders", order({ toppings: [] }));
    const stored = order({ status });
    assertResource(await forno.asStaff("PUT", path, stored), 200, stored);
    const before = await forno.call("GET", path);
    for (const content of contents) {
      for (const [method, body] of [
        ["PUT", { ...stored, ...content }],
        ["PATCH", content],
        ["PATCH", { ...content, status: "Preparing" }],
      ] as const) {
        assertProblem(await forno.asStaff(method, path, body), "order-closed");
      }
    }
    for (const [method, body] of [["PUT", stored], ["PATCH", { status }]] as const) {
      assert.equal((await forno.asStaff(method, path, body)).text, before.text);
    }
    // A PUT of the specification's fields reopens it, and keeps its texts.
    const texts = { note: "ALLERGY: nuts", table: "Table 7" };
    await forno.write("POST", "/api/orders", { ...stored, ...texts, id: "noted" });
    const ready = order({ id: "noted", status: "Ready" });
    const reopened = await forno.asStaff("PUT", "/api/orders/noted", ready);
    assertResource(reopened, 200, { ...ready, ...texts });
    await forno.write("DELETE", path);
  });
}

const at = (second: number): number => Date.parse("2026-01-31T18:00:00.000Z") + 1_000 * second;

const text = (second: number): string => new Date(at(second)).toISOString();

/** Each change, its second, and the second that statusSince then shows. */
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

test("the server sets an order's times, and an undo restores statusSince", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: at(0) });
  let forno = await startForno(t);
  const forged = "2001-02-03T04:05:06.789Z";
  const times = { placedAt: forged, updatedAt: forged, statusSince: forged };
  const first = await forno.write("POST", "/api/orders", order(times));
  const timesOf = ({ json }: Response) => [json.placedAt, json.updatedAt, json.statusSince];
  assert.deepEqual(timesOf(first), Array(3).fill(text(0)));
  for (const [what, body, second, since] of changes) {
    t.mock.timers.setTime(at(second));
    if (what.endsWith("restart")) {
      await forno.close();
      forno = await startForno(t, { dataDir: forno.dataDir });
    }
    const changed = await forno.write("PATCH", "/api/orders/tavolo-4", { ...body, ...times });
    assert.deepEqual(timesOf(changed), [text(0), text(second), text(since)], what);
  }
});

test("updatedAt rises with each change, also if the clock stands or is set back", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: at(10) });
  const forno = await startForno(t);
  const times = [(await forno.write("POST", "/api/orders", order())).json.updatedAt];
  for (const second of [10, 10, 5, 10.003, 11]) {
    t.mock.timers.setTime(at(second));
    const note = `change ${times.length}`;
    times.push((await forno.write("PATCH", "/api/orders/tavolo-4", { note })).json.updatedAt);
  }
  assert.deepEqual(times, [10, 10.001, 10.002, 10.003, 10.004, 11].map(text));
});
