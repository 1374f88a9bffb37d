import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import test, { mock, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { mutants } from "./crash-mutants.ts";
import { CrashSearch, type Found } from "./crash-search.ts";

const processes = 2;
const job = fileURLToPath(new URL("./crash-job.ts", import.meta.url));

/** Beside this process, so that both processors of a small machine are used. */
async function search(t: TestContext, part: number): Promise<Found> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = fork(job, [String(part), String(processes)], { env });
  t.after(() => child.kill());
  const [found] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => assert.fail("the search ended without a result")),
  ]);
  return found as Found;
}

test("whatever a power cut leaves, every answered write is there and nothing else", async (t) => {
  const parts = Array.from({ length: processes }, (_, part) => search(t, part));
  const found = await Promise.all(parts);
  const states = found.reduce((sum, one) => sum + one.states, 0);
  t.diagnostic(`${states} different states of the disk were tried`);
  assert.deepEqual(
    found.map(({ fault }) => fault),
    found.map(() => undefined),
  );
  assert.ok(states >= 10_000, `expected at least 10000 states, got ${states}`);
});

test("with any one fsync left out, that check fails", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => 0);
  t.after(() => mock.reset());
  for (const mutant of mutants) {
    await t.test(`without ${mutant.name}`, async (t) => {
      const { states, fault } = await new CrashSearch(0, 1).with(mutant);
      assert.ok(fault !== undefined, `none of ${states} states shows it`);
      t.diagnostic(`state ${states}: ${fault.split("\n")[0]}`);
    });
  }
});
