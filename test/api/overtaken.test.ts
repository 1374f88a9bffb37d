/**
 * Writes that are overtaken while their body is on its way: 404, 412, references and the life
 * cycle hold where the write is decided, not where its header was read (contract parts 2 and 3).
 * `Expect: 100-continue` tells when the header has been judged.
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Forno, Response } from "../helpers/forno.ts";
import { openWire } from "../helpers/raw-http.ts";
import { assertFaults, assertProblem, assertResource, strongTag } from "./assertions.ts";
import { order, topping } from "./kinds.ts";
import type { Body } from "./kinds.ts";

interface Held {
  readonly method: string;
  readonly path: string;
  readonly body: Body;
  readonly ifMatch?: string;
}

/** Sends a write whose body stays back until `meanwhile` is done, and answers what came of it. */
async function overtaken(
  t: TestContext,
  forno: Forno,
  { method, path, body, ifMatch }: Held,
  meanwhile: () => Promise<unknown>,
): Promise<Response> {
  const wire = openWire(t, forno.port);
  const text = JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: forno",
    `Authorization: Bearer ${forno.staff}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Expect: 100-continue",
    ...(ifMatch === undefined ? [] : [`If-Match: ${ifMatch}`]),
  ];
  wire.send(`${head.join("\r\n")}\r\n\r\n`);
  const [interim] = await wire.responses(1);
  assert.equal(interim?.status, 100, interim?.body ?? "no answer");
  await meanwhile();
  wire.send(text);
  const [, final] = await wire.responses(2);
  wire.destroy();
  assert.ok(final);
  const { status, headers, body: answered, json } = final;
  return { status, headers, text: answered, json };
}

const funghi = "/api/toppings/funghi";
const tavolo = "/api/orders/tavolo-4";

test("If-Match that held for the header is 412 when the resource has changed since", async (t) => {
  const forno = await startForno(t);
  const ifMatch = strongTag(await forno.call("GET", funghi));
  const writes: readonly Held[] = [
    { method: "PUT", path: funghi, body: topping({ id: "funghi" }), ifMatch },
    { method: "PATCH", path: funghi, body: { name: "Ceps" }, ifMatch },
  ];
  for (const [index, write] of writes.entries()) {
    await forno.asStaff("PATCH", funghi, { name: "Mushrooms" });
    const name = `Porcini ${index}`;
    const response = await overtaken(
      t, forno, write, () => forno.asStaff("PATCH", funghi, { name }),
    );
    assertProblem(response, "precondition-failed");
    assert.equal((await forno.call("GET", funghi)).json.name, name);
  }
});

test("an update whose resource is deleted meanwhile is 404 and brings nothing back", async (t) => {
  const forno = await startForno(t);
  for (const [method, id] of [["PUT", "funghi"], ["PATCH", "rucola"]] as const) {
    const path = `/api/toppings/${id}`;
    const write = { method, path, body: topping({ id }) };
    const response = await overtaken(t, forno, write, () => forno.asStaff("DELETE", path));
    assertProblem(response, "not-found");
    assertProblem(await forno.call("GET", path), "not-found");
  }
});

test("a create whose id is taken meanwhile is 409", async (t) => {
  const forno = await startForno(t);
  const write = { method: "POST", path: "/api/toppings", body: topping() };
  const first = topping({ name: "First" });
  const response = await overtaken(t, forno, write, () =>
    forno.asStaff("POST", "/api/toppings", first),
  );
  assert.equal(assertProblem(response, "id-taken").identical, false);
  assertResource(await forno.call("GET", "/api/toppings/tartufo"), 200, first);
});

test("a merge patch is merged with what is stored when it is decided", async (t) => {
  const forno = await startForno(t);
  const write = { method: "PATCH", path: funghi, body: { name: "Ceps" } };
  const response = await overtaken(t, forno, write, () =>
    forno.asStaff("PATCH", funghi, { isVegan: false }),
  );
  const expected = { id: "funghi", name: "Ceps", isVegetarian: true, isVegan: false };
  assertResource(response, 200, expected);
  assertResource(await forno.call("GET", funghi), 200, expected);
});

test("a topping deleted meanwhile cannot be ordered any more", async (t) => {
  const forno = await startForno(t);
  const write = { method: "POST", path: "/api/orders", body: order() };
  const response = await overtaken(t, forno, write, () => forno.asStaff("DELETE", funghi));
  assertFaults(response, ["#/toppings/0/id"]);
  assertProblem(await forno.call("GET", tavolo), "not-found");
});

test("an order closed meanwhile is locked", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("POST", "/api/orders", order());
  const write = { method: "PATCH", path: tavolo, body: { toppings: [] } };
  const response = await overtaken(t, forno, write, () =>
    forno.asStaff("PATCH", tavolo, { status: "Delivered" }),
  );
  assertProblem(response, "order-closed");
  assertResource(await forno.call("GET", tavolo), 200, order({ status: "Delivered" }));
});
