/**
 * PATCH: JSON merge patch (RFC 7396), with PUT's rules on the merged result (contract part 3).
 * fields.test.ts patches each field alone.
 */

import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { assertFaults, assertResource } from "./assertions.ts";
import { type Body, itemPath, order, samples } from "../helpers/samples.ts";

for (const sample of samples) {
  const { path, body } = sample;
  const item = itemPath(sample);
  const fields = Object.keys(body).filter((name) => name !== "id");

  test(`PATCH ${path}/{id}: null removes, which only what is not required allows`, async (t) => {
    const forno = await startForno(t);
    await forno.write("POST", path, body);
    const nulls = Object.fromEntries(fields.map((field) => [field, null]));
    assertFaults(await forno.asStaff("PATCH", item, nulls), fields.map((field) => `#/${field}`));
    for (const patch of [{ id: null }, { id: body["id"] }]) {
      assertResource(await forno.asStaff("PATCH", item, patch), 200, body);
    }
    assertFaults(await forno.asStaff("PATCH", item, { colour: null }), ["#/colour"]);
    for (const id of ["another", "", 7]) {
      assertFaults(await forno.asStaff("PATCH", item, { id }), ["#/id"]);
    }
  });
}

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
