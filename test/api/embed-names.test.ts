/** `?embed=names` on order reads (contract part 2): names as ordered, an ETag of its own. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Forno } from "../helpers/forno.ts";
import {
  assertProblem, assertQueryFault, assertResource, content, strongTag,
} from "./assertions.ts";
import { openStream } from "./event-client.ts";
import { order } from "./kinds.ts";
import type { Body } from "./kinds.ts";

const item = "/api/orders/tavolo-4";
const embedded = `${item}?embed=names`;

const named = {
  pizzaSize: { id: "grande", name: "Large" },
  toppings: [
    { id: "funghi", name: "Mushrooms" },
    { id: "rucola", name: "Rocket" },
  ],
  beverages: [{ id: "chinotto", name: "Chinotto" }],
};

async function placed(forno: Forno): Promise<void> {
  assertResource(await forno.asStaff("POST", "/api/orders", order()), 201, order());
}

test("every reference gets the name beside its id, in single reads and in lists", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  assertResource(await forno.call("GET", embedded), 200, order(named));
  const list = await forno.call("GET", "/api/orders?embed=names");
  assert.deepEqual((list.json as Body[]).map(content), [order(named)]);
  assertResource(await forno.call("GET", item), 200, order());
  assert.equal((await forno.call("HEAD", embedded)).headers.get("etag"),
    (await forno.call("GET", embedded)).headers.get("etag"));
});

test("names are as they were when ordered, renamed and deleted items included", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  await forno.asStaff("PATCH", "/api/toppings/rucola", { name: "Arugula" });
  const ordered = ["/api/toppings/funghi", "/api/pizzasizes/grande", "/api/beverages/chinotto"];
  for (const path of ordered) {
    await forno.asStaff("DELETE", path);
  }
  assertResource(await forno.call("GET", embedded), 200, order(named));
  await forno.asStaff("PATCH", item, { status: "Ready" });
  assertResource(await forno.call("GET", embedded), 200, order({ ...named, status: "Ready" }));
});

test("a reference that an update introduces has its name of that moment", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  await forno.asStaff("PATCH", "/api/beverages/birra", { name: "Bock" });
  const beverages = [{ id: "birra" }, { id: "chinotto" }, { id: "birra" }];
  await forno.asStaff("PATCH", item, { beverages });
  const expected = [
    { id: "birra", name: "Bock" },
    { id: "chinotto", name: "Chinotto" },
    { id: "birra", name: "Bock" },
  ];
  assertResource(await forno.call("GET", embedded), 200, order({ ...named, beverages: expected }));
});

test("the embedded form has an ETag of its own, and If-None-Match heeds the form", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  const plainTag = strongTag(await forno.call("GET", item));
  const embeddedTag = strongTag(await forno.call("GET", embedded));
  assert.notEqual(plainTag, embeddedTag);
  const statusOf = async (path: string, tag: string): Promise<number> =>
    (await forno.call("GET", path, { headers: { "if-none-match": tag } })).status;
  assert.equal(await statusOf(item, plainTag), 304);
  assert.equal(await statusOf(embedded, embeddedTag), 304);
  assert.equal(await statusOf(item, embeddedTag), 200);
  assert.equal(await statusOf(embedded, plainTag), 200);
});

test("If-Match takes the plain ETag alone", async (t) => {
  const forno = await startForno(t);
  const token = forno.staff;
  await placed(forno);
  const plainTag = strongTag(await forno.call("GET", item));
  const embeddedTag = strongTag(await forno.call("GET", embedded));
  const body = { status: "Ready" };
  const stale = { token, body, headers: { "if-match": embeddedTag } };
  assertProblem(await forno.call("PATCH", item, stale), "precondition-failed");
  const fresh = { token, body, headers: { "if-match": plainTag } };
  assert.equal((await forno.call("PATCH", item, fresh)).status, 200);
});

test("embed knows only names, and only orders have it", async (t) => {
  const forno = await startForno(t);
  await placed(forno);
  for (const value of ["", "ids", "Names", "names,ids", "true"]) {
    assertQueryFault(await forno.call("GET", `${item}?embed=${value}`), "embed");
    assertQueryFault(await forno.call("GET", `/api/orders?embed=${value}`), "embed");
  }
  assertQueryFault(await forno.call("GET", "/api/orders?embed=names&embed=names"), "embed");
  assertQueryFault(await forno.call("GET", "/api/toppings?embed=names"), "embed");
});

for (const accept of ["text/event-stream", "application/x-ndjson"]) {
  test(`events carry orders with names, as reads show them (${accept})`, async (t) => {
    const forno = await startForno(t);
    const plain = await openStream(t, forno, { accept });
    const named = await openStream(t, forno, { accept, query: "?embed=names" });
    const expected: { plain: unknown; named: unknown }[] = [];
    const write = async (method: string, path: string, body?: Body): Promise<void> => {
      await forno.asStaff(method, path, body);
      expected.push({
        plain: (await forno.call("GET", item)).json,
        named: (await forno.call("GET", embedded)).json,
      });
    };
    await write("POST", "/api/orders", order());
    await write("PATCH", item, { status: "Ready" });
    await forno.asStaff("DELETE", item);
    await forno.asStaff("PATCH", "/api/toppings/rucola", { name: "Arugula" });
    const rest = [{ id: "tavolo-4" }, (await forno.call("GET", "/api/toppings/rucola")).json];
    const dataOf = async (stream: typeof plain): Promise<unknown[]> =>
      (await stream.take(4)).map(({ data }) => data);
    assert.deepEqual(await dataOf(plain), [...expected.map(({ plain }) => plain), ...rest]);
    assert.deepEqual(await dataOf(named), [...expected.map(({ named }) => named), ...rest]);
  });
}

test("events know no other parameter than embed", async (t) => {
  const forno = await startForno(t);
  assertQueryFault(await forno.call("GET", "/api/events?embed=ids"), "embed");
  assertQueryFault(await forno.call("GET", "/api/events?follow=true"), "follow");
  await openStream(t, forno, { query: "?_=1" });
});
