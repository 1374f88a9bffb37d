import assert from "node:assert/strict";
import test from "node:test";
import { type Change, History } from "../../src/store/history.ts";
import { makeRow } from "../../src/store/rows.ts";
import { orders, thing } from "../helpers/things.ts";

function change(seq: number, bytes = 0, deleted?: Change["deleted"]): Change {
  return { seq, kind: orders, action: "deleted", id: "a", row: undefined, deleted, bytes };
}

test("since() gives what came after a known change, and undefined after any other number", () => {
  const history = new History(5);
  assert.deepEqual(history.since(5, 9), []);
  for (const seq of [6, 7, 10]) history.add(change(seq));
  const seqs = (after: number, max: number) => history.since(after, max)?.map(({ seq }) => seq);
  assert.deepEqual([seqs(5, 9), seqs(5, 2)], [[6, 7, 10], [6, 7]]);
  assert.deepEqual([seqs(7, 9), seqs(10, 9)], [[10], []]);
  for (const unknown of [4, 8, 9, 11]) assert.equal(seqs(unknown, 9), undefined);
});

test("the newest ten thousand changes are kept, or 8 MiB of them and of what they delete", () => {
  const large = makeRow("a", 1, thing("a", { note: "x".repeat(40_000) }));
  const lengthOfLarge = JSON.stringify([large.value, large.kept]).length;
  for (const [count, bytes, deleted, kept] of [
    [20_000, 0, undefined, 10_000],
    [500, 40_000, undefined, Math.floor(8_388_608 / 40_000)],
    [500, 20, large, Math.floor(8_388_608 / (lengthOfLarge + 20))],
  ] as const) {
    const history = new History(0);
    for (let seq = 1; seq <= count; seq++) history.add(change(seq, bytes, deleted));
    assert.equal(history.since(count - kept, count)?.length, kept);
    assert.equal(history.since(count - kept - 1, count), undefined);
    assert.equal(history.last, count);
  }
});
