/** Identifiers (contract part 2): which there can be, in bodies and paths, and who picks them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { assertFaults, assertProblem, assertResource, ids } from "./assertions.ts";
import { samples, topping } from "./kinds.ts";
import { sendRaw } from "../helpers/raw-http.ts";

const goodIds = [
  "1", "a", "Z", "-", "_", "~", ":", "@", "+", ",", "...", "..a", ".a", "a.", "a-b.c_d~e:f@g+h,i",
  "urn:uuid:0d4b2f0e-6a0e-4f6e-9a6e-1d2c3b4a5f60", "anna+pizza@example.org", "__proto__",
  "constructor", "toString", "null", "undefined", "x".repeat(128),
];

const printable = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));
const badCharacters = printable.filter((character) => !/[A-Za-z0-9\-._~:@+,]/.test(character));
const badIds = [
  "",
  ".",
  "..",
  "x".repeat(129),
  "é",
  "ｘ",
  "🍕",
  "a\n",
  "\0",
  "a\u007f",
  "a%20b",
  ...badCharacters,
  ...badCharacters.map((character) => `a${character}b`),
];

test("an id of the 74 characters and 1 to 128 of them is taken, and found again", async (t) => {
  const forno = await startForno(t);
  for (const id of goodIds) {
    assertProblem(await forno.call("GET", `/api/toppings/${id}`), "not-found");
    const created = await forno.asStaff("POST", "/api/toppings", stringly(id));
    assertResource(created, 201, topping({ id }));
    const { pathname } = new URL(created.headers.get("location") ?? "", forno.origin);
    assertResource(await forno.call("GET", pathname), 200, topping({ id }));
    assertResource(await forno.call("GET", `/api/toppings/${id}`), 200, topping({ id }));
    const percent = [...id].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
    const encoded = await sendRaw(forno.port, "GET", `/api/toppings/${percent.join("")}`);
    assertResource(encoded, 200, topping({ id }));
  }
});

/** As text: an object literal would take "__proto__" for its own. */
function stringly(id: string): string {
  return JSON.stringify(topping({ id }));
}

test("every other id in a body is 400 at #/id", async (t) => {
  const forno = await startForno(t);
  for (const id of [...badIds, 7, true, [], {}, ["a"]]) {
    assertFaults(await forno.asStaff("POST", "/api/toppings", topping({ id })), ["#/id"]);
  }
});

const impossible = [
  ".", "..", "%2e", "%2E%2e", "%", "%zz", "%4", "%FF", "%C3%28", "%00", "a%2Fb", "a%20b", "a%0Ab",
  "caff%C3%A8", "%F0%9F%8D%95", "%2561", "a;b", "a=b", "a|b", "*", "x".repeat(129),
  "x".repeat(5000),
];

test("a path {id} that no resource can have is 404 on every method, never 400", async (t) => {
  const forno = await startForno(t);
  const token = forno.staff;
  for (const id of impossible) {
    const isText = !/%(?![\da-f]{2})|%FF|%C3%28/i.test(id);
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const sent = { token, headers: { "Content-Type": "application/json" }, body: "{}" };
      const response = await sendRaw(forno.port, method, `/api/toppings/${id}`, sent);
      const { detail } = assertProblem(response, "not-found");
      if (!isText) assert.match(detail, /^nothing is at/);
      else assert.match(detail, /such an id: expected a string of 1 to 128 characters from A-Z/);
    }
  }
});

const crockford = /^[0-9A-HJKMNP-TV-Z]{6}$/;

for (const sample of samples) {
  test(`${sample.path}: an id left out is made by the server, null is refused`, async (t) => {
    const forno = await startForno(t);
    const { id: _, ...withoutId } = sample.body;
    const made = new Set<string>();
    for (const body of [withoutId, withoutId, withoutId]) {
      const created = await forno.asStaff("POST", sample.path, body);
      const id = String(created.json.id);
      assertResource(created, 201, { ...sample.body, id });
      assert.match(id, crockford);
      const location = new URL(created.headers.get("location") ?? "", forno.origin).pathname;
      assert.equal(location, `${sample.path}/${id}`);
      assertResource(await forno.call("GET", location), 200, { ...sample.body, id });
      made.add(id);
    }
    assert.equal(made.size, 3);
    const none = await forno.asStaff("POST", sample.path, { ...withoutId, id: null });
    assertFaults(none, ["#/id"]);
  });
}

test("creates that arrive at once make as many resources, all distinct", async (t) => {
  const forno = await startForno(t, { env: { MENU_FILE: "" } });
  const { id: _, ...body } = topping();
  const creates = Array.from({ length: 300 }, () => forno.asStaff("POST", "/api/toppings", body),
  );
  const made = (await Promise.all(creates)).map((created) => String(created.json.id));
  assert.equal(new Set(made).size, 300);
  assert.deepEqual(ids(await forno.call("GET", "/api/toppings")).sort(), made.sort());
});

test("ids are case-sensitive and each kind has its own", async (t) => {
  const forno = await startForno(t);
  for (const id of ["same", "Same", "SAME"]) {
    for (const { path, body } of samples) {
      assertResource(await forno.asStaff("POST", path, { ...body, id }), 201, { ...body, id });
    }
  }
  await forno.asStaff("DELETE", "/api/toppings/Same");
  assertProblem(await forno.call("GET", "/api/toppings/Same"), "not-found");
  assert.equal((await forno.call("GET", "/api/toppings/same")).status, 200);
  assert.equal((await forno.call("GET", "/api/beverages/Same")).status, 200);
});

test("the starter menu leaves the ids that others pick free", async (t) => {
  const forno = await startForno(t);
  for (const id of ["1", "2", "small", "medium", "large", "mushrooms", "cheese", "cola", "water"]) {
    for (const { path, body } of samples.slice(0, 3)) {
      const response = await forno.asStaff("POST", path, { ...body, id });
      assert.equal(response.status, 201, `${path} ${id}`);
    }
  }
});
