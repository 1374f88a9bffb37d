/** Every state that a power cut can leave. */

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import test, { type TestContext } from "node:test";
import { isLong } from "../helpers/long.ts";
import { fileOf, nodeFlags } from "../helpers/node.ts";
import type { Found } from "./crash-search.ts";

const processes = 2;
const job = fileOf("test/durability/crash-search.ts");
const { NODE_TEST_CONTEXT: _, ...env } = process.env;

async function search(t: TestContext, part: number): Promise<Found> {
  const child = fork(job, [part, processes].map(String), { env, execArgv: [...nodeFlags] });
  t.after(() => child.kill());
  const [found] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => assert.fail("the search ended without a result")),
  ]);
  return found as Found;
}

test("after any power cut every answered write is there and nothing else", async (t) => {
  const parts = Array.from({ length: processes }, (_, part) => search(t, part));
  const found = await Promise.all(parts);
  const states = found.reduce((sum, one) => sum + one.states, 0);
  t.diagnostic(`${states} different states of the disk were tried`);
  assert.deepEqual(found.map(({ fault }) => fault), found.map(() => undefined));
  assert.ok(states >= (isLong ? 40_000 : 10_000), `${states} states are too few`);
});
