/** The edges of every bound (contract part 2): the last value taken, the first one refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Forno } from "../helpers/forno.ts";
import { assertFaults, assertResource } from "./assertions.ts";
import { beverage, order, pizzaSize, topping } from "./kinds.ts";

const goodNames: readonly (readonly [why: string, name: string])[] = [
  ["one character", "x"],
  ["200 characters", "n".repeat(200)],
  ["200 emoji, which are 400 UTF-16 units and 800 bytes", "🍕".repeat(200)],
  ["white space around it, kept", "  Quattro  stagioni "],
  ["no-break and other spaces beside a letter", "\u00a0x\u2003"],
  ["decomposed letters, kept", "Caffe\u0300"],
  ["composed letters, kept", "Caff\u00e8"],
  ["HTML and quotes", `<script>alert("'")</script> & \\ /`],
  ["what looks like JSON", '{"id":"x"}'],
  ["a line separator, which is no control character", "a\u2028b\u2029c"],
  ["joiners and marks of direction", "👩‍🍳 \u200f\u200bשלום"],
  ["noncharacters and private use", "\uffff\ue000\u{10ffff}"],
];

const badNames: readonly (readonly [why: string, name: string])[] = [
  ["empty", ""],
  ["201 characters", "n".repeat(201)],
  ["201 emoji", "🍕".repeat(201)],
  ["a space", " "],
  ["only white space of several sorts", " \u00a0\u2003\u3000\ufeff\u2028"],
  ["a null", "a\0b"],
  ["a tab", "a\tb"],
  ["a line feed at the end", "a\n"],
  ["a carriage return", "\ra"],
  ["an escape", "\u001b[31mred"],
  ["the last of C0", "a\u001f"],
  ["DEL", "a\u007fb"],
  ["the first of C1", "a\u0080b"],
  ["NEL", "a\u0085b"],
  ["the last of C1", "a\u009f"],
  ["a high surrogate alone", "a\ud83cb"],
  ["a low surrogate alone", "\udf55"],
  ["surrogates the wrong way round", "\udf55\ud83c"],
  ["a high surrogate at the end", "pizza \ud83c"],
];

/** A sample with this name in it; JSON.stringify sends a lone surrogate as its escape. */
const named = [
  ["/api/toppings", "#/name", (name: string) => topping({ name })],
  ["/api/pizzasizes", "#/name", (name: string) => pizzaSize({ name })],
  ["/api/beverages", "#/name", (name: string) => beverage({ name })],
  ["/api/beverages", "#/sizeOptions/1", (name: string) => beverage({ sizeOptions: ["cl", name] })],
] as const;

for (const [path, pointer, build] of named) {
  test(`${path} ${pointer} takes every name under the rule and keeps it as sent`, async (t) => {
    const forno = await startForno(t);
    for (const [why, name] of goodNames) {
      const created = await forno.asStaff("POST", path, { ...build(name), id: undefined });
      assert.equal(created.status, 201, `${why}: ${created.text}`);
      const expected = { ...build(name), id: created.json.id };
      assertResource(await forno.call("GET", `${path}/${created.json.id}`), 200, expected);
    }
  });

  test(`${path} ${pointer} refuses every name outside the rule`, async (t) => {
    const forno = await startForno(t);
    for (const [why, name] of badNames) {
      const response = await forno.asStaff("POST", path, build(name));
      assert.equal(response.status, 400, why);
      assertFaults(response, [pointer]);
    }
  });
}

async function create(forno: Forno, path: string, body: string | object): Promise<Created> {
  return forno.asStaff("POST", path, body);
}
type Created = Awaited<ReturnType<Forno["call"]>>;

test("diameterInInches is above 0, at most 1000, and kept exactly", async (t) => {
  const forno = await startForno(t);
  for (const diameterInInches of [1000, 999.9999, 0.1, 5e-324, 14.5, 1 / 3, 12]) {
    const body = pizzaSize({ id: undefined, diameterInInches });
    const created = await create(forno, "/api/pizzasizes", body);
    assert.equal(created.status, 201, created.text);
    assert.equal(created.json.diameterInInches, diameterInInches);
  }
  for (const literal of ["0", "-0", "0.0", "-1", "1000.0000001", "1e400", "-1e400", "1e-400"]) {
    const text = `{"id":"x","name":"x","diameterInInches":${literal}}`;
    assertFaults(await create(forno, "/api/pizzasizes", text), ["#/diameterInInches"]);
  }
});

test("sizeOptions holds 0 to 50 different strings, in the order they were sent", async (t) => {
  const forno = await startForno(t);
  const fifty = Array.from({ length: 50 }, (_, n) => `${50 - n} cl`);
  for (const sizeOptions of [[], ["1 l"], ["b", "a"], ["1 l", "1 L", "1 l "], fifty]) {
    const created = await create(forno, "/api/beverages", beverage({ id: undefined, sizeOptions }));
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(created.json.sizeOptions, sizeOptions);
  }
  const tooMany = beverage({ sizeOptions: [...fifty, "51"] });
  assertFaults(await create(forno, "/api/beverages", tooMany), ["#/sizeOptions"]);
  const twice = await create(forno, "/api/beverages", beverage({ sizeOptions: ["a", "b", "a"] }));
  assert.equal(twice.status, 400);
  assert.match(twice.json.errors[0].pointer, /^#\/sizeOptions(\/2)?$/);
});

test("an order holds 0 to 50 toppings and beverages, the same one twice too", async (t) => {
  const forno = await startForno(t);
  const reference = { toppings: { id: "funghi" }, beverages: { id: "birra" } };
  for (const field of ["toppings", "beverages"] as const) {
    for (const count of [0, 2, 50]) {
      const body = order({ id: `${field}-${count}`, [field]: Array(count).fill(reference[field]) });
      assertResource(await create(forno, "/api/orders", body), 201, body);
    }
    const tooMany = order({ [field]: Array(51).fill(reference[field]) });
    assertFaults(await create(forno, "/api/orders", tooMany), [`#/${field}`]);
  }
});
