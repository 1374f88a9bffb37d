/** Names of tables, in links and in the ids of orders (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { tsImport } from "tsx/esm/api";

interface Tables {
  idsMeant(text: string): readonly string[];
  numberOf(orderId: string): [number: string, part: number];
  shownNumber(orderId: string): string;
  tableId(name: string): string;
  tableOf(orderId: string): string;
}

const { idsMeant, numberOf, shownNumber, tableId, tableOf }: Tables =
  await tsImport("../../src/pages/shared/table.ts", import.meta.url);

for (const [name, id, shown] of [
  ["Table 7", "table-7", "Table 7"],
  [" Familie  Müller ", "familie-muller", "Familie muller"],
  ["Außen 3", "aussen-3", "Aussen 3"],
  ["Terrace, by the lemon tree", "terrace,-by-the-lemon-tree", "Terrace, by the lemon tree"],
  ["Zoë & José", "zoe-jose", "Zoe jose"],
  ["(Bar)", "bar", "Bar"],
  ["طاولة 7", "7", "7"],
  ["<b>&/?#%", "b", "B"],
] as const) {
  test(`orders of ${name} begin with ${id}, which reads as ${shown} again`, () => {
    assert.equal(tableId(name), id);
    assert.equal(tableOf(`${id}-K7QX3M`), shown);
    assert.equal(tableOf(`${id}-K7QX3M-12`), shown);
    assert.deepEqual(numberOf(`${id}-K7QX3M-12`), ["K7QX3M", 12]);
    assert.equal(shownNumber(`${id}-K7QX3M-12`), `${shown} K7QX3M-12`);
    assert.ok(idsMeant(`${shown} k7qx3m-12`).includes(`${id}-K7QX3M-12`));
  });
}

test("a name that leaves nothing for an id gives none, and a number alone has no table", () => {
  for (const name of ["", " ", "الشرفة", "-.-"]) assert.equal(tableId(name), "", name);
  for (const id of ["K7QX3M", "K7QX3M-2", "order-17", "260131-7"]) {
    assert.equal(tableOf(id), "", id);
    assert.equal(shownNumber(id), id);
  }
  assert.equal(tableId("x".repeat(90)).length, 60);
});

test("a number alone is meant in any case", () => {
  assert.deepEqual(idsMeant("k7qx3m-2"), ["k7qx3m-2", "K7QX3M-2"]);
});

test("guests read a number without table and part, and any other id as it is", () => {
  assert.deepEqual(numberOf("K7QX3M"), ["K7QX3M", 0]);
  for (const id of ["order-17", "260131-7", "k7qx3m"]) assert.deepEqual(numberOf(id), [id, 0]);
});
