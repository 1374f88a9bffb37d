/** Turns of the event loop (contract part 5): one task a turn, and one client after another. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { turn } from "../../src/http/turn.ts";

test("clients take turns, however much one of them asks for, and each in its order", async () => {
  const served: string[] = [];
  const ask = (client: string, name: string): Promise<unknown> =>
    turn(client).then(() => served.push(name));
  const all = ["a1", "a2", "a3", "a4", "b1", "c1", "c2"].map((name) => ask(name.slice(0, 1), name));
  await setImmediate();
  assert.deepEqual(served, ["a1"], "one a turn");
  all.push(ask("d", "d1"));
  await Promise.all(all);
  assert.deepEqual(served, ["a1", "b1", "c1", "a2", "d1", "c2", "a3", "a4"]);
});
