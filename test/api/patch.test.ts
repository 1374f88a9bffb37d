/** PATCH: JSON merge patch (RFC 7396), with PUT's rules on the merged result (contract part 3). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Forno } from "../helpers/forno.ts";
import { assertFaults, assertProblem, assertResource } from "./assertions.ts";
import { itemPath, order, samples, topping } from "./kinds.ts";
import type { Body } from "./kinds.ts";
import { sendRaw } from "../helpers/raw-http.ts";

const item = "/api/orders/tavolo-4";

async function placed(forno: Forno): Promise<void> {
  await forno.asStaff("POST", "/api/orders", order());
}

for (const sample of samples) {
  const { path, body, changed } = sample;

  test(`PATCH ${path}/{id} changes one field and keeps the rest`, async (t) => {
    const forno = await startForno(t);
    let expected: Body = body;
    await forno.asStaff("POST", path, body);
    for (const field of Object.keys(body).filter((name) => name !== "id")) {
      const patch = { [field]: changed[field] };
      expected = { ...expected, ...patch };
      assertResource(await forno.asStaff("PATCH", itemPath(sample), patch), 200, expected);
      assertResource(await forno.call("GET", itemPath(sample)), 200, expected);
    }
    assert.deepEqual(expected, changed);
  });

  test(`PATCH ${path}/{id}: null removes, and what is required cannot be removed`, async (t) => {
    const forno = await startForno(t);
    await forno.asStaff("POST", path, body);
    const fields = Object.keys(body).filter((name) => name !== "id");
    for (const field of fields) {
      const response = await forno.asStaff("PATCH", itemPath(sample), { [field]: null });
      assertFaults(response, [`#/${field}`]);
    }
    const all = Object.fromEntries(fields.map((field) => [field, null]));
    const response = await forno.asStaff("PATCH", itemPath(sample), all);
    assertFaults(response, fields.map((field) => `#/${field}`));
    assertResource(await forno.call("GET", itemPath(sample)), 200, body);
  });

  test(`PATCH ${path}/{id}: the id may be the path's, or removed, and no other`, async (t) => {
    const forno = await startForno(t);
    await forno.asStaff("POST", path, body);
    for (const id of [body["id"], null]) {
      assertResource(await forno.asStaff("PATCH", itemPath(sample), { id }), 200, body);
    }
    for (const id of ["another", "", 7, {}]) {
      assertFaults(await forno.asStaff("PATCH", itemPath(sample), { id }), ["#/id"]);
    }
    assertProblem(await forno.call("GET", `${path}/another`), "not-found");
  });
}

test("a member that the resource does not have is an error, its removal is none", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("POST", "/api/toppings", topping());
  const path = "/api/toppings/tartufo";
  assertFaults(await forno.asStaff("PATCH", path, { isVegam: true }), ["#/isVegam"]);
  const proto = '{"__proto__":{"name":"x"}}';
  assertFaults(await forno.asStaff("PATCH", path, proto), ["#/__proto__"]);
  const removal = { colour: null };
  assertResource(await forno.asStaff("PATCH", path, removal), 200, topping());
});

test("arrays are replaced whole, objects are merged member by member", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  const patches: readonly (readonly [patch: Body, result: Body])[] = [
    [{ toppings: [{ id: "grana", name: "Grana" }] }, { toppings: [{ id: "grana" }] }],
    [{ toppings: [] }, { toppings: [] }],
    [{ pizzaSize: { name: "kept id" } }, {}],
    [{ pizzaSize: {} }, {}],
    [{ pizzaSize: { id: "piccola", name: null } }, { pizzaSize: { id: "piccola" } }],
  ];
  let expected = order();
  for (const [body, result] of patches) {
    expected = { ...expected, ...result };
    assertResource(await forno.asStaff("PATCH", item, body), 200, expected);
  }
});

test("a merged result that does not fit points at its faults", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  const patches: readonly (readonly [patch: Body, pointers: readonly string[]])[] = [
    [{ pizzaSize: { id: null } }, ["#/pizzaSize/id"]],
    [{ pizzaSize: "grande" }, ["#/pizzaSize"]],
    [{ toppings: { 0: { id: "grana" } } }, ["#/toppings"]],
    [{ toppings: [null, { id: "grana" }, {}] }, ["#/toppings/0", "#/toppings/2/id"]],
    [{ beverages: [{ id: null }] }, ["#/beverages/0/id"]],
    [{ status: "Lost", colour: "red" }, ["#/colour", "#/status"]],
  ];
  for (const [body, pointers] of patches) {
    assertFaults(await forno.asStaff("PATCH", item, body), pointers);
  }
  assertResource(await forno.call("GET", item), 200, order());
});

test("the server's dates in a patch are ignored, set or removed", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  const before = await forno.call("GET", item);
  for (const placedAt of ["2001-01-01T00:00:00.000Z", null]) {
    const times = { placedAt, updatedAt: placedAt, statusSince: placedAt };
    const response = await forno.asStaff("PATCH", item, times);
    assert.deepEqual([response.status, response.text], [200, before.text]);
  }
});

test("Accept-Patch says that a merge patch is wanted", async (t) => {
  const forno = await startForno(t);
  const token = forno.staff;
  for (const sample of samples) {
    await forno.asStaff("POST", sample.path, sample.body);
    const options = await forno.call("OPTIONS", itemPath(sample));
    assert.equal(options.headers.get("accept-patch"), "application/merge-patch+json");
    const headers = { "Content-Type": "text/xml" };
    const request = { token, headers, body: "{}" };
    const wrong = await sendRaw(forno.port, "PATCH", itemPath(sample), request);
    assertProblem(wrong, "unsupported-media-type");
    // RFC 5789 section 2.2 asks for it on this refusal.
    assert.equal(wrong.headers.get("accept-patch"), "application/merge-patch+json");
  }
});
