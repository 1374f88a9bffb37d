import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { inTurn } from "../../dist/http/turns.js";

test("steps are taken in the order they came in, a few in each turn", async () => {
  const taken: number[] = [];
  const inFirstTurns: number[] = [];
  for (let step = 0; step < 100; step += 1) inTurn(() => taken.push(step));
  assert.equal(taken.length, 0);
  while (taken.length < 100) {
    await setImmediate();
    inFirstTurns.push(taken.length);
  }
  assert.deepEqual(taken, Array.from({ length: 100 }, (_, step) => step));
  const perTurn = inFirstTurns.map((length, index) => length - (inFirstTurns[index - 1] ?? 0));
  assert.ok(Math.max(...perTurn) <= 4, perTurn.join());
});

test("steps that ask for another each time are still a few in each turn", async () => {
  let taken = 0;
  const step = (): void => {
    taken += 1;
    if (taken < 100) inTurn(step);
  };
  inTurn(step);
  inTurn(step);
  for (let before = 0; taken < 100; before = taken) {
    await setImmediate();
    assert.ok(taken - before <= 2, `${taken - before} in one turn`);
  }
});

test("a step that asks for another comes behind all that wait", async () => {
  const taken: string[] = [];
  const done = new Promise<void>((resolve) => {
    inTurn(() => {
      taken.push("a");
      inTurn(() => {
        taken.push("a again");
        resolve();
      });
    });
  });
  for (const name of ["b", "c", "d", "e", "f"]) inTurn(() => taken.push(name));
  await done;
  assert.deepEqual(taken, ["a", "b", "c", "d", "e", "f", "a again"]);
});
