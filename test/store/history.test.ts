/** The changes that a client can resume after. */

import assert from "node:assert/strict";
import test from "node:test";
import { History } from "../../src/store/history.ts";
import type { Change } from "../../src/store/tables.ts";
import { orders } from "../helpers/things.ts";

function change(seq: number, length = 0): Change {
  const rows = { row: undefined, deleted: undefined };
  return { seq, kind: orders, action: "deleted", id: "a", ...rows, length };
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

test("the newest ten thousand changes are kept, or 8 MiB of larger ones", () => {
  for (const [count, length, kept] of [
    [20_000, 0, 10_000],
    [500, 40_000, Math.floor(8_388_608 / 40_000)],
  ] as const) {
    const history = new History(0);
    for (let seq = 1; seq <= count; seq++) history.add(change(seq, length));
    assert.equal(history.since(count - kept, count)?.length, kept);
    assert.equal(history.since(count - kept - 1, count), undefined);
    assert.equal(history.last, count);
  }
});
