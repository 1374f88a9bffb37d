/** A create with an id that exists (contract part 3): a client that picks ids retries safely. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Forno, Response } from "../helpers/forno.ts";
import { assertProblem, assertResource } from "./assertions.ts";
import { itemPath, order, orderSample, samples } from "./kinds.ts";
import type { Sample } from "./kinds.ts";

function assertTaken(response: Response, forno: Forno, sample: Sample, identical: boolean): void {
  assert.equal(assertProblem(response, "id-taken").identical, identical);
  const { pathname } = new URL(response.headers.get("location") ?? "", forno.origin);
  assert.equal(pathname, itemPath(sample));
}

for (const sample of samples) {
  const { path, body, changed } = sample;

  test(`POST ${path} of a taken id is 409 that says whether the same is stored`, async (t) => {
    const forno = await startForno(t);
    await forno.asStaff("POST", path, body);
    assertTaken(await forno.asStaff("POST", path, body), forno, sample, true);
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    assertTaken(await forno.asStaff("POST", path, reversed), forno, sample, true);
    assertTaken(await forno.asStaff("POST", path, changed), forno, sample, false);
    assertResource(await forno.call("GET", itemPath(sample)), 200, body);
  });

  test(`POST ${path}: any one field that differs makes it not identical`, async (t) => {
    const forno = await startForno(t);
    await forno.asStaff("POST", path, body);
    for (const field of Object.keys(body).filter((name) => name !== "id")) {
      const other = { ...body, [field]: changed[field] };
      assertTaken(await forno.asStaff("POST", path, other), forno, sample, false);
    }
  });

  test(`POST ${path}: of many creates of one id at once exactly one wins`, async (t) => {
    const forno = await startForno(t);
    const tries = Array.from({ length: 16 }, () => forno.asStaff("POST", path, body));
    const responses = await Promise.all(tries);
    const won = responses.filter((response) => response.status === 201);
    assert.equal(won.length, 1);
    for (const response of responses) {
      if (response.status !== 201) assertTaken(response, forno, sample, true);
    }
  });
}

test("identical fills in defaults, and leaves dropped and ignored members out", async (t) => {
  const forno = await startForno(t);
  const { status: _, ...withoutStatus } = order();
  await forno.asStaff("POST", "/api/orders", withoutStatus);
  const same = [
    withoutStatus, order({ status: "Preparing" }),
    order({ pizzaSize: { id: "grande", name: "Large" } }),
    order({ placedAt: "2001-01-01T00:00:00.000Z" }),
  ];
  for (const body of same) {
    assertTaken(await forno.asStaff("POST", "/api/orders", body), forno, orderSample, true);
  }
});

test("a retry is told identical also when the menu item has been deleted since", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("POST", "/api/orders", order());
  await forno.asStaff("DELETE", "/api/toppings/funghi");
  assertTaken(await forno.asStaff("POST", "/api/orders", order()), forno, orderSample, true);
});

test("a customer's retry is told where the order is", async (t) => {
  const forno = await startForno(t);
  const token = forno.customer;
  assert.equal((await forno.call("POST", "/api/orders", { token, body: order() })).status, 201);
  const response = await forno.call("POST", "/api/orders", { token, body: order() });
  assertTaken(response, forno, orderSample, true);
});
