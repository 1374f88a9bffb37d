/** Every state that a power cut can leave, and whether the search notices a broken rule. */

import assert from "node:assert/strict";
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { temporaryFolder } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { fileOf, nodeFlags } from "../helpers/node.ts";
import { root } from "../helpers/readme.ts";
import { type Mutant, mutants } from "./crash-mutants.ts";
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

/** The exit code of an attack on a copy of the code, in which a rule may be broken. */
function attack(t: TestContext, name: string, mutant?: Mutant): Promise<unknown> {
  const folder = temporaryFolder(t);
  for (const part of ["package.json", "data", "src", "test"]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  if (mutant !== undefined) {
    const [, , file, from, to] = mutant;
    const path = join(folder, "src/store", file);
    const parts = readFileSync(path, "utf8").split(from);
    assert.equal(parts.length, 2, `src/store/${file} should have this once: ${from}`);
    writeFileSync(path, parts.join(to));
  }
  const program = join(folder, "test", `${name}.ts`);
  const args = ["--max-old-space-size=512", ...nodeFlags, program, "0", "1"];
  return new Promise((resolve) => {
    const options = { env, timeout: 600_000 };
    execFile(process.execPath, args, options, (error) => resolve(error?.code ?? 0));
  });
}

const skip = isLong ? false : "in the long run";

test("each rule of the design is held by an attack that finds it", { skip }, async (t) => {
  // The search has found nothing in the code as it is. Nor may another attack.
  const others = new Set(mutants.map(([foundBy]) => foundBy));
  others.delete("durability/crash-search");
  const queue: (readonly [name: string, mutant?: Mutant])[] = [
    ...Array.from(others, (name) => [name] as const),
    ...mutants.map((mutant) => [mutant[0], mutant] as const),
  ];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [name, mutant] = next;
      await t.test(`${mutant?.[1] ?? "the code as it is"} (${name})`, async (t) => {
        assert.equal(await attack(t, name, mutant), mutant === undefined ? 0 : 1);
      });
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
});
