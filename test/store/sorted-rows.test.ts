/** Rows in blocks, and views of them: the order, the ranges, and what stays as it was. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { position, SortedRows, View } from "../../dist/store/sorted-rows.js";
import { seededRandom } from "../helpers/crash-states.ts";

interface Row {
  readonly seq: number;
  readonly time: string;
}

const timeOf = ({ time }: Row): string => time;

function row(seq: number, time = seq): Row {
  return { seq, time: String(time).padStart(6, "0") };
}

function rowsOf(seqs: readonly number[]): SortedRows<Row> {
  const rows = new SortedRows<Row>(timeOf);
  for (const seq of seqs) rows.put(row(seq));
  return rows;
}

const count = (length: number): number[] => Array.from({ length }, (_, index) => index + 1);

test("rows put in and taken out in any order read as a sorted array, and views stay", () => {
  const random = seededRandom(1);
  const below = (limit: number): number => Math.floor(random() * limit);
  const rows = new SortedRows<Row>(timeOf);
  const model = new Map<number, Row>();
  const taken: { view: View<Row>; expected: readonly Row[] }[] = [];
  for (let step = 1; step <= 30_000; step += 1) {
    const seq = 1 + below(5_000);
    if (step % 3 === 0) {
      rows.remove(seq);
      model.delete(seq);
    } else {
      // A tenth of the rows has a time that is far from its neighbours'.
      const added = row(seq, below(10) === 0 ? below(5_000) : seq);
      // A row keeps its time when it is replaced.
      const kept = model.get(seq) ?? added;
      rows.put({ ...kept });
      model.set(seq, kept);
    }
    assert.equal(rows.length, model.size);
    if (step % 1_000 !== 0) continue;
    const expected = [...model.values()].sort((one, other) => one.seq - other.seq);
    taken.push({ view: rows.view(), expected });
  }
  for (const { view, expected } of taken) {
    assert.deepEqual([...view], expected);
    assert.equal(view.length, expected.length);
    const [from, to] = [row(1_000).time, row(2_000).time];
    const within = view.between(from, to);
    assert.deepEqual([...within], expected.filter(({ time }) => time >= from && time < to));
    assert.equal(within.length, [...within].length);
  }
  for (const { seq } of rows) rows.remove(seq);
  assert.deepEqual([[...rows], rows.length], [[], 0]);
});

test("a view goes on behind any row, in both directions, also where there is none", () => {
  const rows = rowsOf(count(5_000).map((seq) => seq * 2));
  const view = rows.view();
  for (const seq of [0, 1, 2, 3, 2_048, 2_049, 4_096, 9_999, 10_000, 10_001, Infinity]) {
    const all = [...view];
    assert.deepEqual([...view.after(seq)], all.filter((one) => one.seq > seq), `after ${seq}`);
    const older = all.filter((one) => one.seq < seq).reverse();
    assert.deepEqual([...view.before(seq)], older, `before ${seq}`);
  }
  const none = new SortedRows<Row>().view();
  assert.deepEqual([...none.after(0), ...none.before(Infinity)], []);
});

test("views of one moment are one, and those of many share all that has not changed", () => {
  const rows = rowsOf(count(100_000));
  assert.equal(rows.view(), rows.view());
  const before = process.memoryUsage().heapUsed;
  const views = count(1_000).map((step) => {
    rows.put(row(step * 90));
    return rows.view();
  });
  const heldEach = (process.memoryUsage().heapUsed - before) / views.length;
  // A copy of all rows would be 800 kB.
  assert.ok(heldEach < 100_000, `${heldEach} bytes`);
  assert.equal(new Set(views).size, 1_000);
});

test("a range reads only the blocks that lie across its bounds, whatever one row's key is", () => {
  let reads = 0;
  const rows = new SortedRows<Row>((one) => {
    reads += 1;
    return one.time;
  });
  for (const seq of count(100_000)) rows.put(row(seq, seq === 50_000 ? 1 : seq));
  reads = 0;
  const late = rows.view().between(row(90_000).time, "~");
  assert.equal(late.length, 10_001);
  const all = rows.view().between(row(2).time, "~");
  assert.equal(all.length, 99_998);
  assert.ok(reads < 20_000, `${reads} keys were read`);
});

test("a position is the first one not below", () => {
  const rows = [{ seq: 2 }, { seq: 4 }];
  assert.deepEqual([1, 2, 3, 4, 5].map((seq) => position(rows, seq)), [0, 0, 1, 1, 2]);
});
