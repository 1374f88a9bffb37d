/** Bodies against the shapes (contract part 2): each field × bad value, where the fault points. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { assertFaults, assertProblem, assertResource } from "./assertions.ts";
import { beverage, itemPath, order, pizzaSize, samples, topping } from "./kinds.ts";
import type { Body, Sample } from "./kinds.ts";

/** Nothing that is JSON and not of the type. */
const notString = [null, 7, true, [], {}, ["x"]];
const notBoolean = [null, 0, 1, "true", "", [], {}];
const notNumber = [null, "12", "", true, [], {}, [12]];
const notObject = [null, "grande", 1, true, []];
const notArray = [null, "x", 1, true, {}, { 0: "x" }];

/** Values that fault at the field itself. Those past a bound are in bounds.test.ts. */
const badValues: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  "/api/toppings": { name: notString, isVegetarian: notBoolean, isVegan: notBoolean },
  "/api/pizzasizes": { name: notString, diameterInInches: notNumber },
  "/api/beverages": { name: notString, isCarbonated: notBoolean, sizeOptions: notArray },
  "/api/orders": {
    pizzaSize: notObject,
    toppings: notArray,
    beverages: notArray,
    status: [7, true, [], {}, "", "preparing", "PREPARING", "Out For Delivery", "Done", " Ready"],
  },
};

test("of many faults the first hundred are told, and how many more there are", async (t) => {
  const forno = await startForno(t);
  const names = Array.from({ length: 200 }, (_, index) => `${index}${"🍕".repeat(70)}`);
  const body = { ...topping(), name: 7, ...Object.fromEntries(names.map((name) => [name, 1])) };
  const response = await forno.asStaff("POST", "/api/toppings", body);
  const problem = assertProblem(response, "invalid-body");
  assert.equal(problem.errors?.length, 100);
  assert.match(problem.detail, /\(and 200 more, the first 100 in errors\)$/);
  assert.ok(response.text.length < 100_000, `${response.text.length} bytes`);
});

for (const sample of samples) {
  const { path, body } = sample;

  test(`${path}: each field × bad value is 400 that points at the field`, async (t) => {
    const forno = await startForno(t);
    await forno.asStaff("POST", path, body);
    for (const [field, values] of Object.entries(badValues[path] ?? {})) {
      for (const value of values) {
        const bad = { ...body, id: "fresh", [field]: value };
        assertFaults(await forno.asStaff("POST", path, bad), [`#/${field}`]);
        const put = await forno.asStaff("PUT", itemPath(sample), { ...body, [field]: value });
        assertFaults(put, [`#/${field}`]);
      }
    }
    assertProblem(await forno.call("GET", `${path}/fresh`), "not-found");
    assertResource(await forno.call("GET", itemPath(sample)), 200, body);
  });

  test(`${path}: every field is required, on create and on update`, async (t) => {
    const forno = await startForno(t);
    await forno.asStaff("POST", path, body);
    const fields = Object.keys(body).filter((field) => field !== "id");
    for (const field of fields) {
      const { [field]: _, ...rest }: Body = { ...body, id: "fresh" };
      if (field !== "status") {
        assertFaults(await forno.asStaff("POST", path, rest), [`#/${field}`]);
      }
      const put = await forno.asStaff("PUT", itemPath(sample), { ...rest, id: body["id"] });
      assertFaults(put, [`#/${field}`]);
    }
    const nothing = fields.filter((field) => field !== "status").map((field) => `#/${field}`);
    assertFaults(await forno.asStaff("POST", path, {}), nothing);
  });

  test(`${path}: a body that is no object is 400 at its root`, async (t) => {
    const forno = await startForno(t);
    await forno.asStaff("POST", path, body);
    for (const text of ["[]", "null", "true", "7", '"name"', `[${JSON.stringify(body)}]`]) {
      assertFaults(await forno.asStaff("POST", path, text), ["#"]);
      assertFaults(await forno.asStaff("PUT", itemPath(sample), text), ["#"]);
      assertFaults(await forno.asStaff("PATCH", itemPath(sample), text), ["#"]);
    }
  });

  test(`${path}: a field that the shape does not have is an error that names it`, async (t) => {
    const forno = await startForno(t);
    for (const [name, pointer] of oddNames) {
      const text = JSON.stringify(body).replace("{", `{${JSON.stringify(name)}:1,`);
      assertFaults(await forno.asStaff("POST", path, text), [pointer]);
    }
    assertProblem(await forno.call("GET", itemPath(sample)), "not-found");
  });
}

/** A name and its pointer as a URI fragment (RFC 6901 section 6). */
const oddNames: readonly (readonly [string, string])[] = [
  ["price", "#/price"],
  ["__proto__", "#/__proto__"],
  ["constructor", "#/constructor"],
  ["toString", "#/toString"],
  ["hasOwnProperty", "#/hasOwnProperty"],
  ["ID", "#/ID"],
  ["a/b", "#/a~1b"],
];

const misspelt: readonly (readonly [Sample["path"], Body, string, string])[] = [
  ["/api/toppings", topping({ isVegetarain: true }), "isVegetarain", "isVegetarian"],
  ["/api/pizzasizes", pizzaSize({ diameterInInch: 12 }), "diameterInInch", "diameterInInches"],
  ["/api/beverages", beverage({ sizeOption: [] }), "sizeOption", "sizeOptions"],
  ["/api/orders", order({ placedat: "2026-01-31T18:00:00.000Z" }), "placedat", "placedAt"],
];

test("a misspelt field is answered with the nearest one that there is", async (t) => {
  const forno = await startForno(t);
  for (const [path, body, wrong, right] of misspelt) {
    const problem = assertFaults(await forno.asStaff("POST", path, body), [`#/${wrong}`]);
    assert.match(problem.errors?.[0]?.detail ?? "", new RegExp(`\\b${right}\\b`));
  }
});

const wholeFaults: readonly (readonly [string, Body, readonly string[]])[] = [
  [
    "/api/toppings",
    { id: "a b", name: "", isVegetarian: "yes", vegan: true },
    ["#/id", "#/isVegan", "#/isVegetarian", "#/name", "#/vegan"],
  ],
  [
    "/api/pizzasizes",
    { id: 7, name: 7, diameterInInches: 0, x: null },
    ["#/diameterInInches", "#/id", "#/name", "#/x"],
  ],
  [
    "/api/beverages",
    { id: "..", name: " ", isCarbonated: 1, sizeOptions: ["ok", "", 5, "\u0007"] },
    ["#/id", "#/isCarbonated", "#/name", "#/sizeOptions/1", "#/sizeOptions/2", "#/sizeOptions/3"],
  ],
  [
    "/api/orders",
    { id: "", pizzaSize: {}, toppings: [{ id: "funghi" }, "rucola", { name: "x" }, { id: 4 }],
      beverages: null, status: "Lost", extra: 1 },
    ["#/beverages", "#/extra", "#/id", "#/pizzaSize/id", "#/status", "#/toppings/1",
      "#/toppings/2/id", "#/toppings/3/id"],
  ],
];

test("all faults of a body are told at once, each with its pointer", async (t) => {
  const forno = await startForno(t);
  for (const [path, body, pointers] of wholeFaults) {
    assertFaults(await forno.asStaff("POST", path, body), pointers);
  }
});
