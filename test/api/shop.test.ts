/** GET, PUT and PATCH /api/shop (contract parts 2, 3 and 6): one small document. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Forno, type Response, startForno } from "../helpers/forno.ts";
import { storeFile } from "../helpers/store-file.ts";
import { assertFaults, assertProblem, assertQueryFault, strongTag } from "./assertions.ts";
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
  ] as const) {
    assertFaults(await forno.asStaff("PUT", path, body), pointers);
  }
  assertFaults(await patch(forno, { isOpen: null, soldOut: null }), ["#/isOpen", "#/soldOut"]);
  assertFaults(await patch(forno, { soldOut: { toppings: [""] } }), ["#/soldOut/toppings/0"]);
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
  await forno.write("PUT", path, atFirst);
  const { text: closed } = await patch(forno, { isOpen: false });
  for (const client of [events, lines]) {
    const event = await client.next();
    assert.deepEqual([event.event, event.data], ["shop.updated", JSON.parse(closed)]);
  }
});

test("an id that no item has means nothing, and a deletion leaves the list alone", async (t) => {
  const forno = await startForno(t);
  const soldOut = { toppings: ["funghi", "nowhere"], pizzasizes: ["enorme"], beverages: [] };
  assert.equal((await patch(forno, { soldOut })).status, 200);
  await forno.write("DELETE", "/api/toppings/funghi");
  assert.deepEqual((await forno.call("GET", path)).json.soldOut, soldOut);
});

test("a store whose line of the shop was deleted has a new shop", async (t) => {
  const forno = await startForno(t, { store: storeFile([]) });
  assert.equal((await forno.call("GET", path)).text, text);
  assert.equal((await patch(forno, { isOpen: false })).status, 200);
});
