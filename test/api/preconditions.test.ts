/** ETag, If-Match and If-None-Match (contract part 3; RFC 9110 sections 8.8.3 and 13). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { assertProblem, assertResource, strongTag } from "./assertions.ts";
import { needsBuild } from "../helpers/node.ts";
import { itemPath, menuSamples, order, orderSample } from "../helpers/samples.ts";

const [toppingSample = orderSample] = menuSamples;
const other = '"another"';

/** Headers of a write to a resource with the tag TAG, and whether it may go on with them. */
const conditions: readonly (readonly [goes: boolean, headers: Record<string, string>])[] = [
  [false, { "if-match": '"another", "third"' }],
  [false, { "if-none-match": '"another","TAG"' }],
  [false, { "if-none-match": "*" }],
  [false, { "if-match": '"TAG"', "if-none-match": '"TAG"' }],
  [false, { "if-match": other, "if-none-match": other }],
  [true, { "if-match": '"TAG"' }],
  [true, { "if-match": '"another", "TAG-gzip"' }],
  [true, { "if-match": "*" }],
  [true, { "if-none-match": other }],
  [true, { "if-match": '"TAG"', "if-none-match": other }],
];

// The other kinds of the menu are as toppings are.
for (const sample of [toppingSample, orderSample]) {
  const { path, body, changed: { id: _, ...changes } } = sample;
  const item = itemPath(sample);

  test(`${path}: PUT, PATCH and DELETE go on or answer 412 as their conditions say`, async (t) => {
    const forno = await startForno(t);
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      for (const [goes, template] of conditions) {
        const tag = strongTag(await forno.write("POST", path, body));
        const headers = JSON.parse(JSON.stringify(template).replaceAll("TAG", tag.slice(1, -1)));
        const response = await forno.asStaff(method, item, changes, headers);
        if (goes) assert.equal(response.status, method === "DELETE" ? 204 : 200, response.text);
        else assertProblem(response, "precondition-failed");
        if (!goes) assertResource(await forno.call("GET", item), 200, body);
        await forno.asStaff("DELETE", item);
      }
    }
  });

  test(`${path}: all answers have the same ETag until an update changes something`, async (t) => {
    const forno = await startForno(t);
    const tag = strongTag(await forno.write("POST", path, body));
    const before = await forno.call("GET", item);
    const listTag = strongTag(await forno.call("GET", path));
    /** Asserts which of these reads get 304 with the tags of before. */
    const assertKnown = async (isKnown: boolean): Promise<void> => {
      for (const [method, target, known] of [
        ["GET", item, tag], ["HEAD", item, tag], ["GET", path, listTag],
      ] as const) {
        const read = await forno.call(method, target, { headers: { "if-none-match": known } });
        assert.deepEqual([read.status, strongTag(read) === known],
          [isKnown ? 304 : 200, isKnown], `${method} ${target}`);
        if (isKnown) assert.equal(read.text, "");
      }
    };
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    for (const [method, same] of [
      ["PUT", body], ["PUT", reversed], ["PUT", before.json], ["PATCH", {}], ["PATCH", body],
    ] as const) {
      const response = await forno.asStaff(method, item, same);
      assert.deepEqual([response.status, response.text], [200, before.text]);
      assert.equal(strongTag(response), tag);
    }
    await assertKnown(true);
    const changed = strongTag(await forno.asStaff("PUT", item, sample.changed));
    assert.equal(strongTag(await forno.call("GET", item)), changed);
    await assertKnown(false);
  });
}

/** Values of If-None-Match, `T` for the resource's tag, and whether they have it. */
const forms: Readonly<Record<"true" | "false", readonly string[]>> = {
  true: [
    "T", '"x", T', 'T,"x"', '"a,b", T', ', , T ,,', "*",
    // As proxies that compress make them.
    'W/T', 'W/"x", W/T', "T-gzip", 'T-zstd, "x"', '"x-gzip", T-br', "W/T-gzip",
  ],
  false: [
    '"x"', "T-gzip-zstd", "T-lzma", "T-", "Tgzip", "TW/", "w/T", 'T "x"', '"x" T', "xT", '"x, *',
    '*, "x"',
  ],
};

test("a tag matches in any list, also as a proxy marks it; what is malformed never", async (t) => {
  const forno = await startForno(t);
  const tag = strongTag(await forno.call("GET", "/api/toppings/funghi"));
  const values = Object.entries(forms).flatMap(([isMatch, all]) =>
    all.map((form) => [form.replace(/T([-\w/]*)/, `${tag.slice(0, -1)}$1"`), isMatch] as const));
  const bare = [tag.slice(1, -1), tag.slice(1), tag.slice(0, -1)].map((one) => [one, "false"]);
  for (const [value = "", isMatch] of [...values, ...bare]) {
    const headers = { "if-none-match": value };
    const { status } = await forno.call("GET", "/api/toppings/funghi", { headers });
    assert.equal(status, isMatch === "true" ? 304 : 200, value);
  }
});

test("412 says which condition failed, and what to do", async (t) => {
  const forno = await startForno(t);
  const path = "/api/toppings/funghi";
  const tag = strongTag(await forno.call("GET", path));
  const rows: [Record<string, string>, RegExp][] = [
    [{ "if-match": other }, /If-Match has another tag: .* changed since you .*; read it again/],
    [{ "if-match": "abc" }, /If-Match has no tag in double quotes: add the quotes/],
    [{ "if-none-match": "*" }, /If-None-Match excludes this tag/],
  ];
  for (const [headers, words] of rows) {
    const { json } = await forno.asStaff("DELETE", path, undefined, headers);
    assert.match(json.detail, words);
    assert.ok(json.detail.startsWith(`its ETag is ${tag}, but If-`), json.detail);
  }
});

test("a 304 varies with what its 200 varies with", async (t) => {
  const site = "https://pizza.example";
  const forno = await startForno(t, { env: { ORDER_READS: "own", CORS_ORIGIN: site } });
  const { json: { id } } = await forno.asStaff("POST", "/api/orders", order({ id: undefined }));
  for (const [path, vary] of [
    ["/api/toppings", "Origin"],
    ["/api/toppings/funghi", "Origin"],
    ["/api/orders", "Authorization, Origin"],
    [`/api/orders/${id}`, "Authorization, Origin"],
    ...(needsBuild === false ? [["/", "Accept-Language, Accept-Encoding, Origin"]] : []),
  ] as const) {
    const headers = { "if-none-match": "*" };
    const whole = await forno.asStaff("GET", path);
    const known = await forno.asStaff("GET", path, undefined, headers);
    assert.deepEqual([whole.status, whole.headers.get("vary")], [200, vary], path);
    assert.deepEqual([known.status, known.headers.get("vary")], [304, vary], path);
  }
});
