/** GET, PUT and PATCH /api/shop (contract parts 2, 3 and 6): one small document. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Forno, type Response, startForno } from "../helpers/forno.ts";
import { assertFaults, assertProblem, assertQueryFault, strongTag } from "./assertions.ts";
import { topping } from "./kinds.ts";
import { openStream } from "./streams.ts";

const atFirst = {
  name: "Forno",
  isOpen: true,
  notice: "",
  soldOut: { toppings: [], pizzasizes: [], beverages: [] },
};
const text = `${JSON.stringify(atFirst)}\n`;
const path = "/api/shop";

function patch(forno: Forno, body: unknown, headers = {}): Promise<Response> {
  return forno.asStaff("PATCH", path, body, headers);
}

test("the shop is there from the start; PUT replaces it, PATCH merges into it", async (t) => {
  const forno = await startForno(t);
  assert.equal((await forno.call("GET", path)).text, text);
  assertQueryFault(await forno.call("GET", `${path}?limit=1`), "limit");
  const soldOut = { ...atFirst.soldOut, toppings: ["rucola"] };
  const whole = { ...atFirst, name: "Da Rosa", soldOut };
  const put = await forno.asStaff("PUT", path, whole);
  assert.deepEqual([put.status, put.text], [200, `${JSON.stringify(whole)}\n`]);
  const changes = { isOpen: false, notice: "Back at 18:00", soldOut: { beverages: ["birra"] } };
  const patched = await patch(forno, changes);
  const merged = { ...whole, ...changes, soldOut: { ...whole.soldOut, ...changes.soldOut } };
  assert.deepEqual([patched.status, patched.text], [200, `${JSON.stringify(merged)}\n`]);
  const read = await forno.call("GET", path);
  assert.deepEqual([read.text, strongTag(read)], [patched.text, strongTag(patched)]);
});

test("the shop's tag guards reads and writes, and is the same over a restart", async (t) => {
  const first = await startForno(t);
  const old = strongTag(await first.call("GET", path));
  assert.equal((await first.call("GET", path, { headers: { "if-none-match": old } })).status, 304);
  const tag = strongTag(await patch(first, { isOpen: false }, { "if-match": old }));
  for (const method of ["PUT", "PATCH"]) {
    for (const headers of [{ "if-match": old }, { "if-none-match": tag }]) {
      const response = await first.asStaff(method, path, atFirst, headers);
      assertProblem(response, "precondition-failed");
      assert.equal(strongTag(response), tag);
    }
  }
  await first.close();
  const read = await (await startForno(t, { dataDir: first.dataDir })).call("GET", path);
  assert.deepEqual([read.json.isOpen, strongTag(read)], [false, tag]);
});

test("every fault of the shop is told with its place", async (t) => {
  const forno = await startForno(t);
  const long = "n".repeat(501);
  for (const [body, ...pointers] of [
    [[], "#"],
    [{}, "#/name", "#/isOpen", "#/notice", "#/soldOut"],
    [{ ...atFirst, name: " " }, "#/name"],
    [{ ...atFirst, isOpen: "yes" }, "#/isOpen"],
    [{ ...atFirst, notice: null }, "#/notice"],
    [{ ...atFirst, notice: " " }, "#/notice"],
    [{ ...atFirst, notice: long, isOpen: 1 }, "#/notice", "#/isOpen"],
    [{ ...atFirst, id: "shop" }, "#/id"],
    [{ ...atFirst, soldOut: [] }, "#/soldOut"],
    [{ ...atFirst, soldOut: { toppings: [], pizzasizes: [] } }, "#/soldOut/beverages"],
    [{ ...atFirst, soldOut: { ...atFirst.soldOut, topping: [] } }, "#/soldOut/topping"],
    [{ ...atFirst, soldOut: { ...atFirst.soldOut, toppings: {} } }, "#/soldOut/toppings"],
    [soldOut(["rucola", 1, "a/b"]), "#/soldOut/toppings/1", "#/soldOut/toppings/2"],
    [soldOut(["rucola", "rucola"]), "#/soldOut/toppings/1"],
    [soldOut(["rucola", "nowhere", "grande"]), "#/soldOut/toppings/1", "#/soldOut/toppings/2"],
  ] as const) {
    assertFaults(await forno.asStaff("PUT", path, body), pointers);
  }
  assertFaults(await patch(forno, { isOpen: null, soldOut: null }), ["#/isOpen", "#/soldOut"]);
  assertFaults(await patch(forno, { soldOut: { toppings: ["x"] } }), ["#/soldOut/toppings/0"]);
  assertFaults(await patch(forno, '"closed"'), ["#"]);
  assert.equal((await forno.call("GET", path)).text, text);
  const most = { notice: "🍕".repeat(500), name: "🍕".repeat(200) };
  assert.equal((await patch(forno, most)).status, 200);
});

function soldOut(toppings: readonly unknown[]): object {
  return { ...atFirst, soldOut: { ...atFirst.soldOut, toppings } };
}

test("an update that changes nothing writes nothing; one that does is an event", async (t) => {
  const forno = await startForno(t);
  const events = await openStream(t, forno);
  const lines = await openStream(t, forno, { accept: "application/x-ndjson" });
  await patch(forno, {});
  await forno.asStaff("PUT", path, atFirst);
  const { text: closed } = await patch(forno, { isOpen: false });
  for (const client of [events, lines]) {
    const event = await client.next();
    assert.deepEqual([event.event, event.data], ["shop.updated", JSON.parse(closed)]);
  }
});

test("a deleted item is not sold out any more, and an event says so", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("POST", "/api/toppings", topping({ id: "grande" }));
  const sold = { toppings: ["basilico", "funghi", "grande"], pizzasizes: ["grande"] };
  await patch(forno, { soldOut: sold });
  const events = await openStream(t, forno);
  for (const id of ["grande", "rucola"]) {
    assert.equal((await forno.asStaff("DELETE", `/api/toppings/${id}`)).status, 204);
  }
  const soldOutNow = { toppings: ["basilico", "funghi"], pizzasizes: ["grande"], beverages: [] };
  const now = await forno.call("GET", path);
  assert.deepEqual(now.json.soldOut, soldOutNow);
  assert.deepEqual((await events.take(3)).map(({ event, data }) => [event, data]), [
    ["toppings.deleted", { id: "grande" }],
    ["shop.updated", { ...atFirst, soldOut: soldOutNow }],
    ["toppings.deleted", { id: "rucola" }],
  ]);
  await forno.asStaff("POST", "/api/toppings", topping({ id: "grande" }));
  assert.equal((await forno.call("GET", path)).text, now.text);
});

test("a start takes deleted items off the list of what is sold out", async (t) => {
  const soldOut = { toppings: ["funghi", "ananas"], pizzasizes: ["enorme"], beverages: [] };
  const toppings = [topping({ id: "funghi" })];
  const forno = await startForno(t, { menu: { toppings, shop: { ...atFirst, soldOut } } });
  const { json } = await forno.call("GET", path);
  assert.deepEqual(json.soldOut, { toppings: ["funghi"], pizzasizes: [], beverages: [] });
});
