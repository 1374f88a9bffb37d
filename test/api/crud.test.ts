/** The five operations on each kind (specification part 4), and what every answer carries. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import {
  assertCommonHeaders, assertFaults, assertProblem, assertResource, ids,
} from "./assertions.ts";
import { itemPath, order, orderSample, samples } from "./kinds.ts";
import type { Body } from "./kinds.ts";

for (const sample of samples) {
  const { path, body, changed } = sample;
  const item = itemPath(sample);

  test(`${path}: create 201, get 200, list 200, replace 200, delete 204`, async (t) => {
    const forno = await startForno(t);
    const created = await forno.asStaff("POST", path, body);
    assertResource(created, 201, body);
    assert.equal(new URL(created.headers.get("location") ?? "", forno.origin).pathname, item);
    assertResource(await forno.call("GET", item), 200, body);
    assert.ok(ids(await forno.call("GET", path)).includes(String(body["id"])));
    assertResource(await forno.asStaff("PUT", item, changed), 200, changed);
    assertResource(await forno.call("GET", item), 200, changed);
    const removed = await forno.asStaff("DELETE", item);
    assert.deepEqual([removed.status, removed.text], [204, ""]);
    assertCommonHeaders(removed);
    assert.ok(!ids(await forno.call("GET", path)).includes(String(body["id"])));
  });

  test(`${path}: a deleted resource is 404 on every method and its id is free again`, async (t) => {
    const forno = await startForno(t);
    await forno.asStaff("POST", path, body);
    await forno.asStaff("DELETE", item);
    assertProblem(await forno.call("GET", item), "not-found");
    assertProblem(await forno.asStaff("PUT", item, body), "not-found");
    assertProblem(await forno.asStaff("PATCH", item, {}), "not-found");
    assertProblem(await forno.asStaff("DELETE", item), "not-found");
    assertResource(await forno.asStaff("POST", path, changed), 201, changed);
  });

  test(`${path}: answers keep the specification's field order, whatever was sent`, async (t) => {
    const forno = await startForno(t);
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    const created = await forno.asStaff("POST", path, reversed);
    assert.deepEqual(fieldsOf(created.json), Object.keys(body));
    const replaced = await forno.asStaff("PUT", item, reversed);
    assert.deepEqual(fieldsOf(replaced.json), Object.keys(body));
    assert.deepEqual(fieldsOf((await forno.call("GET", item)).json), Object.keys(body));
    const list = (await forno.call("GET", path)).json as Body[];
    assert.deepEqual(fieldsOf(list.at(-1) ?? {}), Object.keys(body));
  });

  test(`PUT ${path}/{id}: the body's id may be left out, another one or null is 400`, async (t) => {
    const forno = await startForno(t);
    await forno.asStaff("POST", path, body);
    const { id: _, ...withoutId } = changed;
    assertResource(await forno.asStaff("PUT", item, withoutId), 200, changed);
    const other = { ...body, id: "another" };
    assertFaults(await forno.asStaff("PUT", item, other), ["#/id"]);
    const none = { ...changed, id: null };
    assertFaults(await forno.asStaff("PUT", item, none), ["#/id"]);
    assertResource(await forno.call("GET", item), 200, changed);
    assertProblem(await forno.call("GET", `${path}/another`), "not-found");
  });
}

const times = ["placedAt", "updatedAt", "statusSince"];

/** The fields in their order; an order's times stand after the specification's fields. */
function fieldsOf(resource: Body): string[] {
  return Object.keys(resource).filter((name) => !times.includes(name));
}

test("updatedAt rises with every change, also when the clock is set back", async (t) => {
  const forno = await startForno(t);
  const { token, path } = { token: forno.staff, path: "/api/orders/tavolo-4" };
  let { updatedAt } = (await forno.call("POST", "/api/orders", { token, body: order() })).json;
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() - 600_000 });
  for (const status of ["Ready", "Preparing", "Ready"]) {
    const { json } = await forno.call("PATCH", path, { token, body: { status } });
    assert.equal(json.updatedAt, new Date(Date.parse(updatedAt) + 1).toISOString());
    ({ updatedAt } = json);
  }
});

test("an order carries its times, ignored when a client sends them", async (t) => {
  const forno = await startForno(t);
  const forged = "2001-02-03T04:05:06.789Z";
  const sent = order({ placedAt: forged, updatedAt: forged, statusSince: forged });
  const created = await forno.asStaff("POST", "/api/orders", sent);
  assertResource(created, 201, orderSample.body);
  const { placedAt, updatedAt, statusSince } = created.json;
  assert.deepEqual([updatedAt, statusSince], [placedAt, placedAt]);
  assert.notEqual(placedAt, forged);
  const { json } = await forno.asStaff("PUT", "/api/orders/tavolo-4", { ...sent, status: "Ready" });
  assert.equal(json.placedAt, placedAt);
  assert.ok(json.updatedAt > placedAt);
  assert.equal(json.statusSince, json.updatedAt);
});
