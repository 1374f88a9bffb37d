import assert from "node:assert/strict";
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
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

/** A copy of the code and of its tests, in which the rule is broken. */
function mutate(t: TestContext, [, , file = "", from = "", to = ""]: Mutant): string {
  const folder = mkdtempSync(join(tmpdir(), "forno-mutant-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ["package.json", "data", "dist", "src", "test"]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  const path = join(folder, "src/store", file);
  if (from === "") return join(folder, "test");
  const parts = readFileSync(path, "utf8").split(from);
  assert.equal(parts.length, 2, `src/store/${file} should have this once: ${from}`);
  writeFileSync(path, parts.join(to));
  return join(folder, "test");
}

const skip = isLong ? false : "in the long run";

test("each rule of the design is held by an attack that finds it", { skip }, async (t) => {
  // The search has found nothing in the code as it is. Nor may another attack.
  const attacks = new Set(mutants.map(([foundBy]) => foundBy));
  attacks.delete("durability/crash-search");
  const sound = Array.from(attacks, (name): Mutant => [name, "the code as it is", "", "", ""]);
  const queue = [...sound, ...mutants];
  const work = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const [foundBy, name, file] = mutant;
      await t.test(`${name} (${foundBy})`, async (t) => {
        const attack = join(mutate(t, mutant), `${foundBy}.ts`);
        const code = await new Promise((resolve) => {
          const options = { env, timeout: 600_000 };
          const args = ["--max-old-space-size=512", ...nodeFlags, attack, "0", "1"];
          execFile(process.execPath, args, options, (error) => resolve(error?.code ?? 0));
        });
        assert.equal(code, file === "" ? 0 : 1);
      });
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
});
