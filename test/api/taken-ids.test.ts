/**
 * A create with an id that exists (contract part 3): a client that picks its ids retries safely.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Response, startForno } from "../helpers/forno.ts";
import { assertProblem, assertResource } from "./assertions.ts";
import { itemPath, order, orderSample, type Sample, samples } from "../helpers/samples.ts";

function assertTaken(response: Response, sample: Sample, identical: boolean): void {
  assert.equal(assertProblem(response, "id-taken").identical, identical);
  assert.equal(response.headers.get("location"), itemPath(sample));
}

const described = { description: "Contains milk" };
const optional: Readonly<Record<string, object>> = {
  "/api/orders": { note: "Anna", table: "Table 7", group: "K7QX3M" },
  "/api/toppings": described,
  "/api/pizzasizes": described,
  "/api/beverages": described,
};

for (const sample of samples) {
  const { path, body, changed } = sample;

  test(`POST ${path} of a taken id is 409 that says whether the same is stored`, async (t) => {
    const forno = await startForno(t);
    await forno.write("POST", path, body);
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    for (const same of [body, reversed]) {
      assertTaken(await forno.asStaff("POST", path, same), sample, true);
    }
    for (const field of Object.keys(body).filter((name) => name !== "id")) {
      const other = { ...body, [field]: changed[field] };
      assertTaken(await forno.asStaff("POST", path, other), sample, field === "status");
    }
    for (const [field, value] of Object.entries(optional[path] ?? {})) {
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
  assert.equal((await create(order({ status: undefined }))).status, 201);
  await forno.write("DELETE", "/api/toppings/funghi");
  // The kitchen has moved it on before the retry arrives.
  await forno.write("PATCH", "/api/orders/tavolo-4", { status: "Ready" });
  for (const same of [
    order({ status: undefined }),
    order({ status: "Preparing" }),
    order({ pizzaSize: { id: "grande", name: "Large" } }),
    order({ placedAt: "2001-01-01T00:00:00.000Z", note: "" }),
  ]) {
    assertTaken(await create(same), orderSample, true);
  }
  assertTaken(await create(order({ note: "no salt" })), orderSample, false);
});
