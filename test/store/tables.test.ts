/** Rows by id and in order, against the plainest model; and the changes to resume after. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "../../src/store/history.ts";
import { type Change, makeRow, type Row } from "../../src/store/row.ts";
import { Table } from "../../src/store/tables.ts";
import { seededRandom } from "../helpers/crash-states.ts";
import { isLong } from "../helpers/long.ts";
import { orders } from "../helpers/things.ts";

const row = (id: string, seq: number): Row => makeRow(id, seq, { value: { id }, kept: undefined });

test("rows and ids agree after any puts and deletes", () => {
  for (let seed = 1; seed <= (isLong ? 10 : 3); seed++) {
    const random = seededRandom(seed);
    const table = new Table();
    let model: Row[] = [];
    let seq = 0;
    for (let step = 0; step < 4_000; step++) {
      const id = `id-${Math.floor(random() * 1_500)}`;
      const known = table.get(id);
      const isUpdate = known !== undefined && random() < 0.6;
      const others = model.filter((one) => one.id !== id);
      if (known !== undefined && random() < 0.3) {
        table.delete(id);
        model = others;
      } else {
        const next = row(id, isUpdate ? known.seq : (seq += 2));
        table.put(next);
        model = [...others, next].sort((one, other) => one.seq - other.seq);
      }
      if (step % 250 === 0) assert.deepEqual(table.rows, model);
    }
    assert.equal(table.rows.length, model.length);
    assert.equal(table.lastSeq, model.at(-1)?.seq);
    for (const one of model) assert.equal(table.get(one.id), one);
  }
});

test("rows are found by their keys, in order, after any puts and deletes", () => {
  const keysOf = ({ value }: Row): string[] => String((value as { keys: string }).keys).split("");
  const random = seededRandom(7);
  const table = new Table(keysOf);
  let seq = 0;
  for (let step = 0; step < 2_000; step++) {
    const id = `id-${Math.floor(random() * 60)}`;
    const keys = ["", "a", "ab", "b", "bc", "c"][Math.floor(random() * 6)] ?? "";
    const before = table.get(id);
    if (random() < 0.2) table.delete(id);
    else {
      const place = before !== undefined && random() < 0.7 ? before.seq : (seq += 1);
      table.put(makeRow(id, place, { value: { id, keys }, kept: undefined }));
    }
    for (const key of ["a", "b", "c", "none"]) {
      const expected = table.rows.filter((one) => keysOf(one).includes(key));
      assert.deepEqual(table.rowsWith(key), expected, `step ${step}, ${key}`);
    }
  }
});

function change(seq: number, length = 0): Change {
  const rows = { row: undefined, deleted: undefined };
  return { seq, kind: orders, action: "deleted", id: "a", ...rows, length };
}

test("after() gives what came after a known change, and undefined after any other number", () => {
  const history = new History(5);
  assert.deepEqual(history.after(5, 9), []);
  for (const seq of [6, 7, 10]) history.add(change(seq));
  const seqs = (after: number, max: number) => history.after(after, max)?.map(({ seq }) => seq);
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
    assert.equal(history.after(count - kept, count)?.length, kept);
    assert.equal(history.after(count - kept - 1, count), undefined);
    assert.equal(history.last, count);
  }
});
