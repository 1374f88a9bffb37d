import assert from "node:assert/strict";
import { test } from "node:test";
import { position, SortedRows } from "../../dist/store/sorted-rows.js";

/** Numbers that look random and are the same in every run. */
function* numbers(below: number): Generator<number, never> {
  for (let state = 12_345; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state % below;
  }
}

test("rows put in and taken out in any order read as a sorted array", () => {
  const rows = new SortedRows<{ seq: number; text: string }>();
  const model = new Map<number, string>();
  const seqs = numbers(5_000);
  for (let step = 0; step < 20_000; step += 1) {
    const seq = seqs.next().value + 1;
    if (step % 3 === 2) {
      rows.remove(seq);
      model.delete(seq);
    } else {
      rows.put({ seq, text: `${step}` });
      model.set(seq, `${step}`);
    }
    assert.equal(rows.isEmpty, model.size === 0);
    if (step % 1_000 !== 999) continue;
    const sorted = [...model].sort(([one], [other]) => one - other);
    assert.deepEqual(rows.all, sorted.map(([seq, text]) => ({ seq, text })));
  }
  for (const { seq } of rows.all) rows.remove(seq);
  assert.deepEqual([rows.all, rows.isEmpty], [[], true]);
});

test("what was read stays as it was when rows change", () => {
  const rows = new SortedRows<{ seq: number }>();
  rows.put({ seq: 1 });
  const before = rows.all;
  rows.put({ seq: 2 });
  rows.remove(1);
  assert.deepEqual([before, rows.all], [[{ seq: 1 }], [{ seq: 2 }]]);
});

test("a position is the first one not below", () => {
  const rows = [{ seq: 2 }, { seq: 4 }];
  assert.deepEqual([1, 2, 3, 4, 5].map((seq) => position(rows, seq)), [0, 0, 1, 1, 2]);
});
