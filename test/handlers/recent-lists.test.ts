/** Lists that were asked for recently: kept while they are good, and bounded in memory. */

import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import type { Tagged } from "../../dist/handlers/conditional.js";
import { RecentLists } from "../../dist/handlers/recent-lists.js";
import { startForno } from "../helpers/forno.ts";

function list(length: number): Tagged & { readonly body: string } {
  return { status: 200, head: "", etag: `"${length}"`, body: "x".repeat(length) };
}

test("a list is found again until the table has another version", () => {
  const recent = new RecentLists();
  const kept = recent.keep("a", 1, list(100));
  assert.equal(recent.get("a", 1), kept);
  assert.equal(recent.get("b", 1), undefined);
  assert.equal(recent.get("a", 2), undefined);
});

test("long texts on their way leave room for no more, until they are gone", () => {
  const recent = new RecentLists(1_000_000);
  const sent: ((() => void) | undefined)[] = [];
  for (let version = 1; version <= 4; version++) {
    assert.equal(recent.isCrowdedFor(250_000), false);
    const { onSending } = recent.keep("a", version, list(250_000));
    sent.push(onSending?.());
    sent.push(onSending?.());
  }
  assert.equal(recent.isCrowdedFor(250_000), true);
  assert.equal(recent.isCrowdedFor(1_000), false, "a short one costs nothing to speak of");
  sent.pop()?.();
  assert.equal(recent.isCrowdedFor(250_000), true, "the same one is on its way to another");
  sent.pop()?.();
  assert.equal(recent.isCrowdedFor(250_000), false);
});

test("lists that nobody reads are sent in pieces once they are many; others are kept", async (t) => {
  const forno = await startForno(t);
  const name = "x".repeat(200);
  const create = (index: number): Promise<unknown> =>
    forno.call("POST", "/api/beverages", {
      token: forno.staff,
      body: { id: `b${index}`, name, isCarbonated: true, sizeOptions: Array.from(
        { length: 50 }, (_, size) => `${size} ${name.slice(0, 190)}`) },
    });
  await Promise.all(Array.from({ length: 700 }, (_, index) => create(index)));
  const open = (path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(forno.origin + path, { agent: false }, resolve).on("error", reject);
    });
  const lengths: (string | undefined)[] = [];
  const stuck: IncomingMessage[] = [];
  // Seven megabytes each, more than the kernel takes, and none of them read.
  for (let index = 0; index < 20; index++) {
    const answer = await open(`/api/beverages?_=${index}`);
    lengths.push(answer.headers["content-length"]);
    stuck.push(answer);
  }
  assert.ok(lengths.slice(0, 6).every((length) => length !== undefined), lengths.join());
  assert.ok(lengths.slice(15).every((length) => length === undefined), lengths.join());
  for (const answer of stuck) answer.destroy();
  for (let index = 20; index < 35; index++) {
    const { status, headers } = await forno.call("GET", `/api/beverages?_=${index}`);
    assert.equal(status, 200);
    if (index > 30) assert.notEqual(headers.get("content-length"), undefined, `request ${index}`);
  }
});
