import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { mutants } from "./crash-mutants.ts";
import { type Found, statesAtLeast } from "./crash-search.ts";

const processes = 2;
const job = fileURLToPath(new URL("./crash-job.js", import.meta.url));

async function run(t: TestContext, ...args: readonly (number | string)[]): Promise<Found[]> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = fork(job, args.map(String), { env });
  t.after(() => child.kill());
  const [found] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => assert.fail("the search ended without a result")),
  ]);
  return found as Found[];
}

test("after any power cut every answered write is there and nothing else", async (t) => {
  const parts = Array.from({ length: processes }, (_, part) => run(t, part, processes));
  const found = (await Promise.all(parts)).flat();
  const states = found.reduce((sum, one) => sum + one.states, 0);
  t.diagnostic(`${states} different states of the disk were tried`);
  assert.deepEqual(found.map(({ fault }) => fault), found.map(() => undefined));
  assert.ok(states >= statesAtLeast, `expected at least ${statesAtLeast} states, got ${states}`);
});

test("the crash check fails if any one fsync, or the rename, is left out", async (t) => {
  const found = await run(t, "mutants");
  for (const [index, { name }] of mutants.entries()) {
    await t.test(`without ${name}`, (t) => {
      const { states, fault } = found[index] ?? { states: 0, fault: undefined };
      assert.ok(fault !== undefined, `none of ${states} states shows it`);
      t.diagnostic(`state ${states}: ${fault.split("\n")[0]}`);
    });
  }
});
