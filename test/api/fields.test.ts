/**
 * Fields (contract part 2): the values on both sides of each bound. The guards and the schemas of
 * the description say the same rule twice, so each value is tried on both. And the words of their
 * faults (contract part 5).
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords, pointer } from "../../src/problems/faults.ts";
import { startForno } from "../helpers/forno.ts";
import {
  beverage, type Body, itemPath, order, pizzaSize, samples, topping,
} from "../helpers/samples.ts";
import { assertFaults, assertProblem, assertResource, content } from "./assertions.ts";
import { bodySchema, faultsOf, fetchDescription, operationAt } from "./description.ts";

const goodNames = [
  "x", "n".repeat(200), "🍕".repeat(200), // 400 UTF-16 units.
  "  Quattro  stagioni ", "\u00a0x\u2003", "Caffe\u0300", "Caff\u00e8", // Kept as they are.
  `<script>alert("'")</script> & \\ /`, '{"id":"x"}',
  "a\u2028b", "👩‍🍳 \u200f\u200bשלום", "\uffff\ue000\u{10ffff}", // None of them a control character.
];
const badNames = [
  undefined, "", "n".repeat(201), "🍕".repeat(201),
  " ", " \u00a0\u2003\u3000\ufeff\u2028", // No visible one.
  "a\0b", "a\n", "a\u001f", "a\u007fb", "a\u0080b", "a\u009f", // Ends of the control characters.
  // Characters that nobody sees: spaces, format characters, fillers, selectors, an empty braille.
  "\u200b", "\u2060", "\u00ad", "\u3164", "\u2800", "\u202e", "\ufe0f", "\u034f \u180e\u{e0020}",
  "a\ud83cb", "\udf55", "\udf55\ud83c", "pizza \ud83c", // Lone surrogates.
];
const goodIds = [
  "1", "Z", "-", ":id", "...", "..a", "a.", "a-b.c_d~e:f@g+h,i", "__proto__", "null",
  "x".repeat(128),
];
const printable = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));
const badCharacters = printable.filter((one) => !/[A-Za-z0-9\-._~:@+,]/.test(one));
const badIds = [
  "", ".", "..", "x".repeat(129), "é", "🍕", "a\n", "\0", "a\u007f", "a%20b",
  ...badCharacters, ...badCharacters.map((one) => `a${one}b`),
];

const notText = [null, 7, true, ["x"], {}];
const notFlag = [undefined, null, 0, "true", []];
const notNumber = [undefined, null, "12", true, [12]];
const notObject = [null, "grande", 1, []];
const notArray = [undefined, null, "x", 1, { 0: "x" }];
const fifty = Array.from({ length: 50 }, (_, n) => `${50 - n} cl`);
const goodTexts = ["x", "🍕".repeat(500), goodNames[3]];
const badTexts = [...notText, "🍕".repeat(501), ...badNames.slice(4)];
const badTimes = [
  "yesterday", "2026-01-31", "2026-01-31T18:00:00", "2026-01-31T18:00Z", "2026-13-01T18:00:00Z",
  "2026-01-32T18:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T23:59:60Z", "1769882400",
  "2026-01-31T18:00:00+24:00", "2026-01-31T18:00:00 01:00", " 2026-01-31T18:00:00Z",
];
const many = (count: number, id: string): Body[] => Array(count).fill({ id });
const each = (values: readonly unknown[], ...before: unknown[]): unknown[] =>
  values.map((value) => [...before, value]);

type Row = readonly [
  path: string, field: string, pointer: string, good: readonly unknown[], bad: readonly unknown[],
];
const sizes = "#/sizeOptions";
const rows: readonly Row[] = [
  ["/api/toppings", "name", "#/name", goodNames, [...notText, ...badNames]],
  ["/api/toppings", "isVegetarian", "#/isVegetarian", [false], notFlag],
  ["/api/toppings", "isVegan", "#/isVegan", [false], notFlag],
  ["/api/toppings", "description", "#/description", goodTexts, badTexts],
  ["/api/pizzasizes", "name", "#/name", goodNames, [...notText, ...badNames]],
  ["/api/pizzasizes", "diameterInInches", "#/diameterInInches",
    [1_000, 999.9999, 5e-324, 1 / 3], [...notNumber, 0, -0, -1, 1_000.0000001]],
  ["/api/pizzasizes", "description", "#/description", goodTexts, badTexts],
  ["/api/beverages", "name", "#/name", goodNames, [...notText, ...badNames]],
  ["/api/beverages", "isCarbonated", "#/isCarbonated", [false], notFlag],
  ["/api/beverages", "sizeOptions", sizes, [[], ["b", "a"], ["1 l", "1 L", "1 l "], fifty],
    [...notArray, [...fifty, "51"]]],
  ["/api/beverages", "sizeOptions", `${sizes}/1`, each(goodNames, "cl"), each(badNames, "cl")],
  ["/api/beverages", "sizeOptions", `${sizes}/2`, [], [["a", "b", "a"]]],
  ["/api/beverages", "description", "#/description", goodTexts, badTexts],
  ["/api/orders", "pizzaSize", "#/pizzaSize", [{ id: "piccola" }], [undefined, ...notObject]],
  ["/api/orders", "pizzaSize", "#/pizzaSize/id", [], [{ id: 7 }, { id: "" }, { id: null }]],
  ["/api/orders", "toppings", "#/toppings", [[], many(2, "funghi"), many(50, "funghi")],
    [...notArray, many(51, "funghi")]],
  ["/api/orders", "toppings", "#/toppings/0", [], each(notObject)],
  ["/api/orders", "beverages", "#/beverages", [[], many(2, "birra"), many(50, "birra")],
    [...notArray, many(51, "birra")]],
  ["/api/orders", "beverages", "#/beverages/0/id", [], [[{}], [{ id: 7 }], [{ id: "a b" }]]],
  // In a PATCH null removes it, and "" is none: see references.test.ts.
  ["/api/orders", "pizza", "#/pizza", goodNames, [...notText, ...badNames.slice(2)]],
  ["/api/orders", "note", "#/note", goodNames, [...notText, ...badNames.slice(2)]],
  ["/api/orders", "name", "#/name", goodNames, [...notText, ...badNames.slice(2)]],
  ["/api/orders", "table", "#/table", [...goodNames, "طاولة ٧", "VIP 2"],
    [...notText, ...badNames.slice(2)]],
  ["/api/orders", "group", "#/group", goodIds.slice(1), [...notText, ...badIds.slice(1)]],
  // Other spellings, and the days of the bounds: see below.
  ["/api/orders", "wantedAt", "#/wantedAt",
    ["2000-01-01T00:00:00.000Z", "2200-12-31T23:59:59.999Z"],
    [...notText, "1999-12-31T23:59:59.999Z", "2201-01-01T00:00:00.000Z", ...badTimes]],
  ["/api/orders", "status", "#/status",
    ["Pending", "Delivered", "Ready", "Cancelled", "Preparing", "Out for Delivery"],
    [null, 7, [], "", "preparing", "Out For Delivery", " Ready"]],
];

for (const sample of samples) {
  const { path } = sample;
  const item = itemPath(sample);
  const { id: _, ...others } = sample.body;

  test(`${path}: the service takes what its description allows, and nothing else`, async (t) => {
    const forno = await startForno(t);
    const document = await fetchDescription(forno);
    let { json: stored } = await forno.write("POST", path, sample.body);
    const calls = [
      ["POST", path, path, others],
      ["PUT", item, `${path}/{id}`, others],
      ["PATCH", item, `${path}/{id}`, {}],
    ] as const;
    for (const [, field, pointer, good, bad] of rows.filter((row) => row[0] === path)) {
      // An optional field is no fault if it is left out, and in a PATCH null removes it.
      const isOptional = !(field in sample.body);
      for (const [method, target, described, base] of calls) {
        const schema = bodySchema(operationAt(document, method, described));
        // The guards of a POST are those of the others: a few values show that they are asked.
        const most = method === "POST" ? Infinity : 6;
        for (const value of [...good.slice(0, most), ...bad.slice(0, most)]) {
          const isGood = good.includes(value);
          if (value === undefined && (isOptional || method === "PATCH")) continue;
          if (value === null && isOptional && method === "PATCH") continue;
          const body = JSON.parse(JSON.stringify({ ...base, [field]: value }));
          const what = `${method} ${pointer} ${JSON.stringify(value)}`;
          assert.equal(faultsOf(body, schema, document).length === 0, isGood, what);
          const response = await forno.asStaff(method, target, body);
          if (!isGood) assertFaults(response, [pointer]);
          else if (method === "POST") {
            assertResource(response, 201, { ...body, id: response.json.id });
          } else {
            // Members that a PATCH leaves out stay as they were, and optional ones that a PUT does.
            assertResource(response, 200, { ...content(stored), ...body });
            stored = response.json;
          }
        }
      }
    }
    for (const text of ["null", "true", "7", '"name"', path === "/api/orders" ? "[]" : "[{}]"]) {
      for (const [method, target] of calls) {
        assertFaults(await forno.asStaff(method, target, text), ["#"]);
      }
    }
  });
}

test("a wanted time is stored in UTC with milliseconds, whatever its spelling", async (t) => {
  const forno = await startForno(t);
  await forno.write("POST", "/api/orders", order());
  for (const [sent, stored] of [
    ["2026-01-31T18:00:00Z", "2026-01-31T18:00:00.000Z"],
    ["2026-01-31t20:00:00.0019+02:00", "2026-01-31T18:00:00.001Z"],
    ["2026-01-31 18:00:00.5z", "2026-01-31T18:00:00.500Z"],
    ["1999-12-31T23:30:00-00:30", "2000-01-01T00:00:00.000Z"],
    ["2201-01-01T00:29:59.999+00:30", "2200-12-31T23:59:59.999Z"],
  ]) {
    for (const [method, path, body] of [
      ["POST", "/api/orders", order({ id: undefined, wantedAt: sent })],
      ["PUT", "/api/orders/tavolo-4", order({ wantedAt: sent })],
      ["PATCH", "/api/orders/tavolo-4", { wantedAt: sent }],
    ] as const) {
      assert.equal((await forno.write(method, path, body)).json.wantedAt, stored);
    }
  }
  for (const sent of ["2000-01-01T00:29:59.999+00:30", "2200-12-31T23:30:00-00:30",
    "2026-02-30T18:00:00Z"]) {
    const patch = await forno.asStaff("PATCH", "/api/orders/tavolo-4", { wantedAt: sent });
    const { errors } = assertFaults(patch, ["#/wantedAt"]);
    assert.equal(errors?.[0]?.detail, 'expected an empty string, or a string with a time such as ' +
      `"2026-01-31T18:00:00.000Z" (RFC 3339), from 2000 to 2200, got the string "${sent}"`);
  }
});

test("an id has 1 to 128 of 74 characters, and is found under each spelling", async (t) => {
  const forno = await startForno(t);
  const document = await fetchDescription(forno);
  const schema = { $ref: "#/components/schemas/Id" };
  for (const id of goodIds) {
    assert.deepEqual(faultsOf(id, schema, document), []);
    // As text: an object literal would take "__proto__" for its own.
    const created = await forno.asStaff("POST", "/api/toppings", JSON.stringify(topping({ id })));
    assertResource(created, 201, topping({ id }));
    assert.equal(created.headers.get("location"), `/api/toppings/${id}`);
    const percent = [...id].map((one) => `%${one.charCodeAt(0).toString(16)}`);
    for (const spelled of [id, percent.join("")]) {
      assertResource(await forno.call("GET", `/api/toppings/${spelled}`), 200, topping({ id }));
    }
  }
  for (const id of badIds) {
    assert.notDeepEqual(faultsOf(id, schema, document), [], id);
    assertFaults(await forno.asStaff("POST", "/api/toppings", topping({ id })), ["#/id"]);
  }
  for (const id of [null, 7, true, [], {}]) {
    assertFaults(await forno.asStaff("POST", "/api/toppings", topping({ id })), ["#/id"]);
  }
});

test("a number that JavaScript cannot hold is out of range", async (t) => {
  const forno = await startForno(t);
  for (const literal of ["1e400", "-1e400", "1e-400"]) {
    const text = `{"name":"x","diameterInInches":${literal}}`;
    assertFaults(await forno.asStaff("POST", "/api/pizzasizes", text), ["#/diameterInInches"]);
  }
});

/** A name and its pointer as a URI fragment (RFC 6901 section 6), and the name that was meant. */
const unknownFields: readonly (readonly [Body, name: string, pointer: string, meant?: string])[] = [
  [topping(), "isVegetarain", "#/isVegetarain", "isVegetarian"],
  [topping(), "ID", "#/ID", "id"],
  [topping(), "colour", "#/colour"],
  [topping(), "di", "#/di"], // More than a third of its letters differ from those of "id".
  [topping(), "__proto__", "#/__proto__"],
  [topping(), "constructor", "#/constructor"],
  [topping(), "a/b", "#/a~1b"],
  [pizzaSize(), "diameterInInch", "#/diameterInInch", "diameterInInches"],
  [beverage(), "sizeOption", "#/sizeOption", "sizeOptions"],
  [order(), "placedat", "#/placedat", "placedAt"],
];

test("an unknown field is at fault, and told the nearest that there is", async (t) => {
  const forno = await startForno(t);
  const document = await fetchDescription(forno);
  for (const [body, name, pointer, meant] of unknownFields) {
    const { path } = samples.find((sample) => sample.body["id"] === body["id"]) ?? assert.fail();
    const text = JSON.stringify(body).replace("{", `{${JSON.stringify(name)}:1,`);
    const schema = bodySchema(operationAt(document, "POST", path));
    assert.notDeepEqual(faultsOf(JSON.parse(text), schema, document), [], text);
    const { errors = [] } = assertFaults(await forno.asStaff("POST", path, text), [pointer]);
    const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
    assert.equal(errors[0]?.detail, `there is no such field${hint}`);
  }
});

test("an answer has the first hundred faults, and the number of the others", async (t) => {
  const forno = await startForno(t);
  const names = Array.from({ length: 200 }, (_, index) => `${index}${"🍕".repeat(70)}`);
  const body = { ...topping(), name: 7, ...Object.fromEntries(names.map((name) => [name, 1])) };
  const response = await forno.asStaff("POST", "/api/toppings", body);
  const problem = assertProblem(response, "invalid-body");
  assert.equal(problem.errors?.length, 100);
  assert.match(problem.detail, /\(and 200 more, the first 100 in errors\)$/);
  assert.ok(response.text.length < 100_000, `${response.text.length} bytes`);
});

test("a pointer is RFC 6901 section 6; for a member with a long name, its parent's", () => {
  assert.equal(pointer(["a/b", 0, "m~n", "ü %", "\ud83c"]), "#/a~1b/0/m~0n/%C3%BC%20%25/%EF%BF%BD");
  assert.equal(pointer(["n".repeat(128)]), `#/${"n".repeat(128)}`);
  assert.equal(pointer(["n".repeat(129)]), "#");
  assert.equal(pointer(["a", "n".repeat(129), "b"]), "#/a");
});

test("values are told with their types, long strings cut, tokens not at all", () => {
  for (const [value, words] of [
    [undefined, "nothing"],
    [null, "null"],
    [true, "true"],
    [1.5, "the number 1.5"],
    [Infinity, "a number out of range"],
    ["yes", 'the string "yes"'],
    ["n".repeat(1_000), `the string "${"n".repeat(54)}…"`],
    [[1, 2], "an array of 2"],
    [{}, "an object"],
  ] as const) {
    assert.equal(inWords(value), words);
  }
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic3RhZmYifQ.c2lnbmF0dXJl";
  assert.doesNotMatch(inWords(token), /eyJyb2xl/);
});
