/**
 * The operations on each kind (specification part 4), and PATCH: a JSON merge patch (RFC 7396),
 * with PUT's rules for the result. fields.test.ts patches each field alone. A client that picks its
 * ids creates again safely.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Response, startForno } from "../helpers/forno.ts";
import { assertFaults, assertProblem, assertResource, ids } from "./assertions.ts";
import {
  type Body, itemPath, order, orderSample, type Sample, samples,
} from "../helpers/samples.ts";

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

  test(`${item}: an id in the body may be left out, another one is 400`, async (t) => {
    const forno = await startForno(t);
    await forno.write("POST", path, body);
    assertResource(await forno.asStaff("PUT", item, { ...changed, id: undefined }), 200, changed);
    for (const patch of [{ id: null }, { id }]) {
      assertResource(await forno.asStaff("PATCH", item, patch), 200, changed);
    }
    for (const [method, sent, ...pointers] of [
      ["PATCH", { id: "another" }, "#/id"],
      ["PATCH", { id: "" }, "#/id"],
      ["PATCH", { id: 7 }, "#/id"],
      ["PUT", { ...body, id: "another" }, "#/id"],
      ["PUT", { ...body, id: null }, "#/id"],
      ["PUT", { ...body, id: "another", colour: 1 }, "#/id", "#/colour"],
    ] as const) {
      assertFaults(await forno.asStaff(method, item, sent), pointers);
    }
    assertResource(await forno.call("GET", item), 200, changed);
  });

  test(`POST ${path}: an id left out is made by the server, null is refused`, async (t) => {
    const forno = await startForno(t);
    const creates = Array.from({ length: 50 }, () => forno.asStaff("POST", path, withoutId));
    const made = new Set<string>();
    for (const created of await Promise.all(creates)) {
      const { id } = created.json;
      assertResource(created, 201, { ...body, id });
      assert.match(id, /^[A-HJKMNP-TV-Z][1-9A-HJKMNP-TV-Z]{5}$/);
      assert.equal(created.headers.get("location"), `${path}/${id}`);
      made.add(id);
    }
    assert.equal(made.size, 50);
    assert.deepEqual(new Set(ids(await forno.call("GET", path)).slice(-50)), made);
    assertFaults(await forno.asStaff("POST", path, { ...withoutId, id: null }), ["#/id"]);
  });
}

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

/** Patches one after the other, and what changes, or where the faults are. */
const patches: readonly (readonly [patch: unknown, Body | readonly string[]])[] = [
  [{ toppings: [{ id: "grana", name: "Grana" }] }, { toppings: [{ id: "grana" }] }],
  [{ toppings: [] }, { toppings: [] }],
  [{ pizzaSize: { name: "kept id" } }, {}],
  [{ pizzaSize: {} }, {}],
  [{ pizzaSize: { id: "piccola", name: null } }, { pizzaSize: { id: "piccola" } }],
  [{ pizzaSize: { id: null } }, ["#/pizzaSize/id"]],
  [{ pizzaSize: "grande" }, ["#/pizzaSize"]],
  [{ toppings: { 0: { id: "grana" } } }, ["#/toppings"]],
  [{ toppings: [null, { id: "grana" }, {}] }, ["#/toppings/0", "#/toppings/2/id"]],
  [{ status: "Lost", colour: "red" }, ["#/colour", "#/status"]],
  [{ notes: null }, ["#/notes"]],
  [{ pizzaSize: { id: "piccola", colour: null } }, ["#/pizzaSize/colour"]],
  [JSON.parse('{"__proto__":{"status":"Ready"}}'), ["#/__proto__"]],
  [JSON.parse('{"__proto__":null}'), ["#/__proto__"]],
  [{ placedAt: null, updatedAt: "2001-01-01T00:00:00.000Z", statusSince: 7 }, {}],
];

test("arrays are replaced whole, objects are merged, and the result must fit", async (t) => {
  const forno = await startForno(t);
  const item = "/api/orders/tavolo-4";
  let expected = order();
  await forno.write("POST", "/api/orders", expected);
  for (const [patch, result] of patches) {
    const response = await forno.asStaff("PATCH", item, patch);
    if (Array.isArray(result)) assertFaults(response, result);
    else expected = { ...expected, ...result };
    if (!Array.isArray(result)) assertResource(response, 200, expected);
    assertResource(await forno.call("GET", item), 200, expected);
  }
});

function assertTaken(response: Response, sample: Sample, identical: boolean): void {
  assert.equal(assertProblem(response, "id-taken").identical, identical);
  assert.equal(response.headers.get("location"), itemPath(sample));
}

for (const sample of samples) {
  const { path, body, changed, optional } = sample;

  test(`POST ${path} of a taken id is 409 that says whether the same is stored`, async (t) => {
    const forno = await startForno(t);
    await forno.write("POST", path, body);
    assertTaken(await forno.asStaff("POST", path, body), sample, true);
    for (const field of Object.keys(body).filter((name) => name !== "id")) {
      const other = { ...body, [field]: changed[field] };
      assertTaken(await forno.asStaff("POST", path, other), sample, field === "status");
    }
    for (const [field, value] of Object.entries(optional)) {
      const other = { ...body, [field]: value };
      assertTaken(await forno.asStaff("POST", path, other), sample, false);
      await forno.write("PATCH", itemPath(sample), { [field]: value });
      assertTaken(await forno.asStaff("POST", path, other), sample, true);
      await forno.write("PATCH", itemPath(sample), { [field]: null });
    }
    assertResource(await forno.call("GET", itemPath(sample)), 200, body);
  });

  test(`POST ${path}: of many creates of one id at once exactly one wins`, async (t) => {
    const forno = await startForno(t);
    const tries = Array.from({ length: 16 }, () => forno.asStaff("POST", path, body));
    const lost = (await Promise.all(tries)).filter(({ status }) => status !== 201);
    assert.equal(lost.length, 15);
    for (const response of lost) assertTaken(response, sample, true);
  });
}

test("a customer's retry is identical with defaults and members that are dropped", async (t) => {
  const forno = await startForno(t);
  const create = (body: object): Promise<Response> =>
    forno.call("POST", "/api/orders", { token: forno.customer, body });
  const wantedAt = "2026-01-31T19:00:00Z";
  assert.equal((await create(order({ status: undefined, wantedAt }))).status, 201);
  await forno.write("DELETE", "/api/toppings/funghi");
  // The kitchen has moved it on before the retry arrives.
  await forno.write("PATCH", "/api/orders/tavolo-4", { status: "Ready" });
  for (const same of [
    { status: undefined },
    { status: "Preparing" },
    { pizzaSize: { id: "grande", name: "Large" } },
    { placedAt: "2001-01-01T00:00:00.000Z", note: "" },
    { wantedAt: "2026-01-31 20:00:00.0001+01:00" },
  ]) {
    assertTaken(await create(order({ wantedAt, ...same })), orderSample, true);
  }
  for (const other of [{ note: "no salt" }, { wantedAt: "" }, { wantedAt: undefined }]) {
    assertTaken(await create(order({ wantedAt, ...other })), orderSample, false);
  }
});
