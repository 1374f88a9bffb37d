/** Rows by id and in order, against the plainest model; and the changes to resume after. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "../../src/store/history.ts";
import { type Change, makeRow, type Row } from "../../src/store/row.ts";
import { Table } from "../../src/store/tables.ts";
import { seededRandom } from "../helpers/crash-states.ts";
import { isLong } from "../helpers/long.ts";
import { orders } from "../helpers/things.ts";

interface Keyed {
  readonly id: string;
  readonly keys: string;
}

const row = (id: string, seq: number, keys: string): Row =>
  makeRow(id, seq, { value: { id, keys }, kept: undefined });
const keysOf = ({ value }: Row): string[] => (value as Keyed).keys.split("");

test("rows, ids and keys agree after any puts and deletes", () => {
  for (const [seed, steps, ids] of [[1, 2_000, 60], [2, isLong ? 40_000 : 8_000, 1_500]] as const) {
    const random = seededRandom(seed);
    const draw = (below: number): number => Math.floor(random() * below);
    const table = new Table(keysOf);
    let model: Row[] = [];
    let seq = 0;
    for (let step = 0; step < steps; step++) {
      const id = `id-${draw(ids)}`;
      const keys = ["", "a", "ab", "b", "bc", "c"][draw(6)] ?? "";
      const known = table.get(id);
      const others = model.filter((one) => one.id !== id);
      if (known !== undefined && random() < 0.3) {
        table.delete(id);
        model = others;
      } else {
        const isUpdate = known !== undefined && random() < 0.6;
        const next = row(id, isUpdate ? known.seq : (seq += 2), keys);
        table.put(next);
        model = [...others, next].sort((one, other) => one.seq - other.seq);
      }
      if (step % (ids / 6) !== 0) continue;
      assert.deepEqual(table.rows, model);
      assert.equal(table.lastSeq, model.at(-1)?.seq ?? 0);
      for (const one of model) assert.equal(table.get(one.id), one);
      for (const key of ["a", "b", "c", "none"]) {
        const expected = model.filter((one) => keysOf(one).includes(key));
        assert.deepEqual(table.rowsWith(key), expected, `step ${step}, ${key}`);
      }
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
