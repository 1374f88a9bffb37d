/** Lists that were asked for recently: kept while they are good, and bounded in memory. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Tagged } from "../../dist/handlers/conditional.js";
import { RecentLists } from "../../dist/handlers/recent-lists.js";

function list(length: number): Tagged & { readonly body: string } {
  return { status: 200, head: "", etag: `"${length}"`, body: "x".repeat(length) };
}

/** Collects garbage; what a turn has looked at is held until its end. */
async function collect(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc: () => void = runInNewContext("gc");
  await setImmediate();
  gc();
}

test("a list is found again until the table has another version", () => {
  const recent = new RecentLists();
  const kept = recent.keep("a", 1, list(100));
  assert.equal(recent.get("a", 1), kept);
  assert.equal(recent.get("b", 1), undefined);
  assert.equal(recent.get("a", 2), undefined);
});

test("long texts that somebody holds leave room for no more, until they are gone", async () => {
  const recent = new RecentLists(1_000_000);
  let held: unknown[] = [];
  for (let version = 1; version <= 4; version++) {
    assert.equal(recent.isCrowdedFor(250_000), false);
    held.push(recent.keep("a", version, list(250_000)));
  }
  assert.equal(recent.isCrowdedFor(250_000), true);
  assert.equal(recent.isCrowdedFor(1_000), false, "a short one costs nothing to speak of");
  await collect();
  assert.equal(recent.isCrowdedFor(250_000), true);
  held = [];
  await collect();
  assert.equal(recent.isCrowdedFor(250_000), false);
});
