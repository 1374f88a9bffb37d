import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { turn } from "../../dist/http/turns.js";

test("steps are taken in the order they came in, one in each turn", async () => {
  const taken: string[] = [];
  const take = async (name: string, times: number): Promise<void> => {
    for (let step = 1; step <= times; step += 1) {
      await turn();
      taken.push(`${name}${step}`);
    }
  };
  const all = Promise.all([take("a", 3), take("b", 1), take("c", 3)]);
  for (let before = 0; taken.length < 7; before = taken.length) {
    await setImmediate();
    assert.ok(taken.length - before <= 1, taken.join());
  }
  await all;
  assert.deepEqual(taken, ["a1", "b1", "c1", "a2", "c2", "a3", "c3"]);
});
