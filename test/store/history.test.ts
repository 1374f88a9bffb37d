import assert from "node:assert/strict";
import test from "node:test";
import { type Change, History } from "../../dist/store/history.js";
import { orders } from "../helpers/things.ts";

function change(seq: number, bytes = 0): Change {
  return {
    ...{ seq, kind: orders, action: "deleted", id: "a", bytes },
    ...{ row: undefined, deleted: undefined },
  };
}

function seqs(changes: readonly Change[] | undefined): number[] | undefined {
  return changes?.map(({ seq }) => seq);
}

test("since() gives what came after a change, and after the last one before all", () => {
  const history = new History(5);
  assert.deepEqual(seqs(history.since(5, 20_000)), []);
  for (const seq of [6, 7, 10]) history.add(change(seq));
  assert.deepEqual(seqs(history.since(5, 20_000)), [6, 7, 10]);
  assert.deepEqual(seqs(history.since(5, 2)), [6, 7]);
  assert.deepEqual(seqs(history.since(7, 20_000)), [10]);
  assert.deepEqual(seqs(history.since(10, 20_000)), []);
});

test("since() gives undefined for a number that no known change has", () => {
  const history = new History(5);
  for (const seq of [6, 7, 10]) history.add(change(seq));
  for (const unknown of [4, 8, 9, 11]) assert.equal(history.since(unknown, 20_000), undefined);
});

test("the newest ten thousand changes are kept, and no more", () => {
  const history = new History(0);
  for (let seq = 1; seq <= 30_000; seq++) history.add(change(seq));
  assert.equal(history.since(20_000, 20_000)?.length, 10_000);
  assert.equal(history.since(19_999, 20_000), undefined);
  assert.equal(history.last, 30_000);
});

test("of large changes fewer are kept: 8 MiB of them", () => {
  const history = new History(0);
  for (let seq = 1; seq <= 3_280; seq++) history.add(change(seq, 40_000));
  const kept = Math.floor(8_388_608 / 40_000);
  assert.equal(history.since(3_280 - kept, 20_000)?.length, kept);
  assert.equal(history.since(3_280 - kept - 1, 20_000), undefined);
});
