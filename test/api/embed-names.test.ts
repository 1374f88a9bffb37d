/** `?embed=names` on order reads (contract part 2): names as ordered, an ETag of its own. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Forno, startForno } from "../helpers/forno.ts";
import {
  assertProblem, assertQueryFault, assertResource, content, strongTag,
} from "./assertions.ts";
import { type Body, order } from "./kinds.ts";
import { openStream } from "./streams.ts";

const item = "/api/orders/tavolo-4";
const embedded = `${item}?embed=names`;
const mushrooms = { id: "funghi", name: "Mushrooms" };
const chinotto = { id: "chinotto", name: "Chinotto" };
const named = {
  pizzaSize: { id: "grande", name: "Large" },
  toppings: [mushrooms, { id: "rucola", name: "Rocket" }],
  beverages: [chinotto],
};

async function startWithOrder(t: TestContext): Promise<Forno> {
  const forno = await startForno(t);
  assertResource(await forno.asStaff("POST", "/api/orders", order()), 201, order());
  return forno;
}

test("every reference gets the name beside its id, in single reads and in lists", async (t) => {
  const forno = await startWithOrder(t);
  assertResource(await forno.call("GET", embedded), 200, order(named));
  const list = await forno.call("GET", "/api/orders?embed=names");
  assert.deepEqual((list.json as Body[]).map(content), [order(named)]);
  assertResource(await forno.call("GET", item), 200, order());
});

test("names are as they were when ordered, renamed and deleted items included", async (t) => {
  const forno = await startWithOrder(t);
  for (const [path, name] of [["toppings/rucola", "Arugula"], ["beverages/birra", "Bock"]]) {
    await forno.asStaff("PATCH", `/api/${path}`, { name });
  }
  for (const path of ["toppings/funghi", "pizzasizes/grande", "beverages/chinotto"]) {
    await forno.asStaff("DELETE", `/api/${path}`);
  }
  assertResource(await forno.call("GET", embedded), 200, order(named));
  await forno.asStaff("PATCH", item, { beverages: [{ id: "birra" }, { id: "chinotto" }] });
  const beverages = [{ id: "birra", name: "Bock" }, chinotto];
  assertResource(await forno.call("GET", embedded), 200, order({ ...named, beverages }));
});

test("each form has an ETag of its own, of which If-Match takes the plain one", async (t) => {
  const forno = await startWithOrder(t);
  const plain = strongTag(await forno.call("GET", item));
  const other = strongTag(await forno.call("GET", embedded));
  for (const [path, tag, status] of [
    [item, plain, 304], [embedded, other, 304], [item, other, 200], [embedded, plain, 200],
  ] as const) {
    const headers = { "if-none-match": tag };
    assert.equal((await forno.call("GET", path, { headers })).status, status);
  }
  const patch = { status: "Ready" };
  const stale = await forno.asStaff("PATCH", item, patch, { "if-match": other });
  assertProblem(stale, "precondition-failed");
  assert.equal((await forno.asStaff("PATCH", item, patch, { "if-match": plain })).status, 200);
});

test("embed knows only names, and only orders and events have it", async (t) => {
  const forno = await startWithOrder(t);
  for (const path of [item, "/api/orders", "/api/events"]) {
    for (const query of ["embed=", "embed=Names", "embed=names,ids", "embed=names&embed=names"]) {
      assertQueryFault(await forno.call("GET", `${path}?${query}`), "embed");
    }
  }
  assertQueryFault(await forno.call("GET", "/api/toppings?embed=names"), "embed");
  assertQueryFault(await forno.call("GET", "/api/events?follow=true"), "follow");
});

for (const accept of ["text/event-stream", "application/x-ndjson"]) {
  test(`events carry orders with names, as reads show them (${accept})`, async (t) => {
    const forno = await startForno(t);
    const streams = [
      await openStream(t, forno, { accept }),
      await openStream(t, forno, { accept, query: "?embed=names&_=1" }),
    ];
    const expected: [plain: unknown, named: unknown][] = [];
    for (const [method, path, body] of [
      ["POST", "/api/orders", order()],
      ["PATCH", item, { status: "Ready" }],
    ] as const) {
      await forno.asStaff(method, path, body);
      const reads = await Promise.all([item, embedded].map((one) => forno.call("GET", one)));
      expected.push([reads[0]?.json, reads[1]?.json]);
    }
    await forno.asStaff("DELETE", item);
    for (const [index, stream] of streams.entries()) {
      const events = (await stream.take(3)).map(({ data }) => data);
      assert.deepEqual(events, [...expected.map((one) => one[index]), { id: "tavolo-4" }]);
    }
  });
}
