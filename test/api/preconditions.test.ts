/** ETag, If-Match and If-None-Match (contract part 3; RFC 9110 sections 8.8.3 and 13). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Forno } from "../helpers/forno.ts";
import { assertProblem, assertResource, strongTag } from "./assertions.ts";
import { itemPath, samples } from "./kinds.ts";
import type { Sample } from "./kinds.ts";

async function createTagged(forno: Forno, { path, body }: Sample): Promise<string> {
  return strongTag(await forno.asStaff("POST", path, body));
}

/** The three ways to write an item that is there, each of which would change it. */
function writesOf(sample: Sample): readonly (readonly [method: string, body?: unknown])[] {
  const { id: _, ...fields } = sample.changed;
  return [["PUT", sample.changed], ["PATCH", fields], ["DELETE"]];
}

const other = '"another"';
/** As a proxy makes it that compresses with this coding. */
const marked = (tag: string, coding: string): string => tag.replace(/"$/, `-${coding}"`);
/** Headers of a write, and whether it may go on with them. `tag` is the resource's own. */
type Condition = readonly [goes: boolean, headers: (tag: string) => Record<string, string>];
/** The forms of a header's value are in http/etag.test.ts. */
const conditions: readonly Condition[] = [
  [false, () => ({ "if-match": `${other}, "third"` })],
  [false, (tag) => ({ "if-none-match": `${other},${tag}` })],
  [false, () => ({ "if-none-match": "*" })],
  [false, (tag) => ({ "if-match": tag, "if-none-match": tag })],
  [false, () => ({ "if-match": other, "if-none-match": other })],
  [true, (tag) => ({ "if-match": tag })],
  [true, (tag) => ({ "if-match": `${other}, ${marked(tag, "gzip")}` })],
  [true, () => ({ "if-match": "*" })],
  [true, () => ({ "if-none-match": other })],
  [true, (tag) => ({ "if-match": tag, "if-none-match": other })],
];

for (const sample of samples) {
  const { path, body } = sample;
  const item = itemPath(sample);

  test(`${path}: PUT, PATCH and DELETE go on or answer 412 as their conditions say`, async (t) => {
    const forno = await startForno(t);
    const token = forno.staff;
    for (const [method, sent] of writesOf(sample)) {
      let tag = await createTagged(forno, sample);
      for (const [goes, headersFor] of conditions) {
        const headers = headersFor(tag);
        const call = { token, headers, ...(sent !== undefined && { body: sent }) };
        const response = await forno.call(method, item, call);
        if (goes) {
          assert.equal(response.status, method === "DELETE" ? 204 : 200, JSON.stringify(headers));
          await forno.call("DELETE", item, { token });
          tag = await createTagged(forno, sample);
          continue;
        }
        assertProblem(response, "precondition-failed");
        assertResource(await forno.call("GET", item), 200, body);
      }
      await forno.call("DELETE", item, { token });
    }
  });

  test(`${path}: If-None-Match answers 304 with the ETag and no body`, async (t) => {
    const forno = await startForno(t);
    const tag = await createTagged(forno, sample);
    for (const value of [tag, marked(tag, "zstd"), "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const headers = { "if-none-match": value };
        const response = await forno.call(method, item, { headers });
        assert.deepEqual([response.status, response.text], [304, ""], value);
        assert.equal(response.headers.get("etag"), tag);
        assert.match(response.headers.get("cache-control") ?? "", /no-cache/);
        assert.match(response.headers.get("x-request-id") ?? "", /\S/);
      }
    }
    const stale = await forno.call("GET", item, { headers: { "if-none-match": other } });
    assertResource(stale, 200, body);
  });

  test(`${path}: every answer has the same ETag, another content has another`, async (t) => {
    const forno = await startForno(t);
    const token = forno.staff;
    const tag = await createTagged(forno, sample);
    assert.equal(strongTag(await forno.call("GET", item)), tag);
    assert.equal(strongTag(await forno.call("HEAD", item)), tag);
    const replaced = await forno.call("PUT", item, { token, body: sample.changed });
    const changedTag = strongTag(replaced);
    assert.notEqual(changedTag, tag);
    assert.equal(strongTag(await forno.call("GET", item)), changedTag);
    const stale = { token, body, headers: { "if-match": tag } };
    assertProblem(await forno.call("PUT", item, stale), "precondition-failed");
  });

  test(`${path}: an update that changes nothing writes nothing`, async (t) => {
    const forno = await startForno(t);
    const token = forno.staff;
    await createTagged(forno, sample);
    const before = await forno.call("GET", item);
    const list = await forno.call("GET", path);
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    const updates: readonly (readonly [string, unknown])[] = [
      ["PUT", body], ["PUT", reversed], ["PUT", before.json], ["PATCH", {}], ["PATCH", body],
    ];
    for (const [method, same] of updates) {
      const response = await forno.call(method, item, { token, body: same });
      assert.deepEqual([response.status, response.text], [200, before.text]);
      assert.equal(strongTag(response), strongTag(before));
    }
    assert.equal((await forno.call("GET", path)).headers.get("etag"), list.headers.get("etag"));
    const failing = { token, body, headers: { "if-match": other } };
    assertProblem(await forno.call("PUT", item, failing), "precondition-failed");
  });

  test(`${path}: a list's ETag gives 304 until the list changes`, async (t) => {
    const forno = await startForno(t);
    const token = forno.staff;
    const changes: readonly (readonly [string, string, unknown?])[] = [
      ["POST", path, body], ["PUT", item, sample.changed], ["DELETE", item],
    ];
    for (const [method, target, sent] of changes) {
      const tag = strongTag(await forno.call("GET", path));
      const headers = { "if-none-match": tag };
      const unchanged = await forno.call("GET", path, { headers });
      assert.deepEqual([unchanged.status, unchanged.text], [304, ""]);
      assert.equal(strongTag(unchanged), tag);
      await forno.call(method, target, { token, ...(sent !== undefined && { body: sent }) });
      const changed = await forno.call("GET", path, { headers });
      assert.equal(changed.status, 200, method);
      assert.notEqual(strongTag(changed), tag);
    }
  });

  test(`${path}: of writers that hold the same ETag exactly one wins`, async (t) => {
    const forno = await startForno(t);
    const token = forno.staff;
    const headers = { "if-match": await createTagged(forno, sample) };
    const writes = writesOf(sample).flatMap(([method, sent]) =>
      [1, 2, 3].map(() =>
        forno.call(method, item, { token, headers, ...(sent !== undefined && { body: sent }) }),
      ),
    );
    const responses = await Promise.all(writes);
    const won = responses.filter((response) => response.status < 300);
    assert.equal(won.length, 1);
    for (const lost of responses.filter((response) => response.status >= 300)) {
      assert.ok([404, 412].includes(lost.status), lost.text);
    }
  });
}

test("a resource's ETag is stable over a restart", async (t) => {
  const first = await startForno(t);
  const tags: string[] = [];
  for (const sample of samples) tags.push(await createTagged(first, sample));
  await first.close();
  const second = await startForno(t, { dataDir: first.dataDir });
  for (const [index, sample] of samples.entries()) {
    const headers = { "if-none-match": tags[index] ?? "" };
    assert.equal((await second.call("GET", itemPath(sample), { headers })).status, 304);
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
