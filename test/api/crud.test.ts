/** The five operations on each kind (specification part 4). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { assertFaults, assertProblem, assertResource, ids } from "./assertions.ts";
import { type Body, itemPath, order, orderSample, samples } from "../helpers/samples.ts";

const times = ["placedAt", "updatedAt", "statusSince"];

/** The fields in their order; an order's times stand after the specification's fields. */
function fieldsOf(resource: Body): string[] {
  return Object.keys(resource).filter((name) => !times.includes(name));
}

for (const sample of samples) {
  const { path, body, changed } = sample;
  const item = itemPath(sample);
  const { id, ...withoutId } = body;

  test(`${path}: create 201, get 200, list 200, replace 200, delete 204`, async (t) => {
    const forno = await startForno(t);
    // Answers have the specification's order of fields, whatever the order that was sent.
    const [reversed, changes] = [body, changed].map((one) =>
      Object.fromEntries(Object.entries(one).reverse()));
    const created = await forno.asStaff("POST", path, reversed);
    assertResource(created, 201, body);
    assert.deepEqual(fieldsOf(created.json), Object.keys(body));
    assert.equal(created.headers.get("location"), item);
    assertResource(await forno.call("GET", item), 200, body);
    const list: Body[] = (await forno.call("GET", path)).json;
    assert.deepEqual(list.at(-1), created.json);
    const replaced = await forno.asStaff("PUT", item, changes);
    assertResource(replaced, 200, changed);
    assert.deepEqual(fieldsOf(replaced.json), Object.keys(body));
    assertResource(await forno.call("GET", item), 200, changed);
    const removed = await forno.asStaff("DELETE", item);
    assert.deepEqual([removed.status, removed.text], [204, ""]);
    assert.ok(!ids(await forno.call("GET", path)).includes(String(id)));
    for (const [method, sent] of [["GET"], ["PUT", body], ["PATCH", {}], ["DELETE"]] as const) {
      assertProblem(await forno.asStaff(method, item, sent), "not-found");
    }
    assertResource(await forno.asStaff("POST", path, changed), 201, changed);
  });

  test(`PUT ${path}/{id}: the body's id may be left out, another one or null is 400`, async (t) => {
    const forno = await startForno(t);
    await forno.write("POST", path, body);
    assertResource(await forno.asStaff("PUT", item, { ...changed, id: undefined }), 200, changed);
    for (const other of ["another", null]) {
      assertFaults(await forno.asStaff("PUT", item, { ...body, id: other }), ["#/id"]);
    }
    const twice = { ...body, id: "another", colour: 1 };
    assertFaults(await forno.asStaff("PUT", item, twice), ["#/id", "#/colour"]);
    assertResource(await forno.call("GET", item), 200, changed);
  });

  test(`POST ${path}: an id left out is made by the server, null is refused`, async (t) => {
    const forno = await startForno(t);
    const creates = Array.from({ length: 50 }, () => forno.asStaff("POST", path, withoutId));
    const made = new Set<string>();
    for (const created of await Promise.all(creates)) {
      const { id } = created.json;
      assertResource(created, 201, { ...body, id });
      assert.match(id, /^[0-9A-HJKMNP-TV-Z]{6}$/);
      assert.equal(created.headers.get("location"), `${path}/${id}`);
      made.add(id);
    }
    assert.equal(made.size, 50);
    assert.deepEqual(new Set(ids(await forno.call("GET", path)).slice(-50)), made);
    assertFaults(await forno.asStaff("POST", path, { ...withoutId, id: null }), ["#/id"]);
  });
}

test("ids are case-sensitive and each kind has its own", async (t) => {
  const forno = await startForno(t);
  for (const id of ["same", "Same"]) {
    for (const { path, body } of samples) {
      assertResource(await forno.asStaff("POST", path, { ...body, id }), 201, { ...body, id });
    }
  }
  await forno.write("DELETE", "/api/toppings/Same");
  assertProblem(await forno.call("GET", "/api/toppings/Same"), "not-found");
  assert.equal((await forno.call("GET", "/api/toppings/same")).status, 200);
  assert.equal((await forno.call("GET", "/api/beverages/Same")).status, 200);
});

const impossible = [
  ".", "..", "%2e", "%", "%zz", "%4", "%FF", "%00", "a%2Fb", "a%20b", "caff%C3%A8", "%2561", "a;b",
  "*", "x".repeat(129),
];

test("a path {id} that no resource can have is 404 on every method, never 400", async (t) => {
  const forno = await startForno(t);
  for (const id of impossible) {
    const isText = !/%(?![\da-f]{2})|%FF/i.test(id);
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const response = await forno.asStaff(method, `/api/toppings/${id}`, "{}");
      const { detail } = assertProblem(response, "not-found");
      if (!isText) assert.match(detail, /^nothing is at/);
      else assert.match(detail, /such an id: expected a string of 1 to 128 characters from A-Z/);
    }
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
