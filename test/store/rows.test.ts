/** Rows by id and in order, against the plainest model; and moments, which stay as they are. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRow, type Row, Table } from "../../src/store/rows.ts";
import { seededRandom } from "../helpers/crash-states.ts";
import { isLong } from "../helpers/long.ts";

const row = (id: string, seq: number): Row => makeRow(seq, { value: { id }, kept: undefined });

test("rows and ids agree after any puts and deletes, and moments stay as they are", () => {
  for (let seed = 1; seed <= (isLong ? 10 : 3); seed++) {
    const random = seededRandom(seed);
    const table = new Table();
    let model: Row[] = [];
    const moments: { readonly rows: Iterable<Row>; readonly expected: readonly Row[] }[] = [];
    let seq = 0;
    for (let step = 0; step < 4_000; step++) {
      const id = `id-${Math.floor(random() * 1_500)}`;
      const known = table.get(id);
      const isUpdate = known !== undefined && random() < 0.6;
      const others = model.filter(({ value }) => value.id !== id);
      if (known !== undefined && random() < 0.3) {
        table.delete(id);
        model = others;
      } else {
        const next = row(id, isUpdate ? known.seq : (seq += 2));
        table.put(next);
        model = [...others, next].sort((one, other) => one.seq - other.seq);
      }
      if (step % 250 === 0) moments.push({ rows: table.rows(), expected: model });
    }
    assert.equal(table.length, model.length);
    assert.equal(table.lastSeq, model.at(-1)?.seq);
    for (const one of model) assert.equal(table.get(one.value.id), one);
    for (const { rows, expected } of moments) assert.deepEqual([...rows], expected);
  }
});

test("rows are read from any place on, in both directions", () => {
  const table = new Table();
  for (let seq = 10; seq <= 20_000; seq += 10) table.put(row(`id-${seq}`, seq));
  const rows = table.rows();
  const all = [...rows];
  for (const seq of [-1, 0, 5, 10, 11, 5_120, 5_125, 9_995, 19_990, 20_000, 20_001, Infinity]) {
    assert.deepEqual([...rows.rowsAfter(seq)], all.filter((one) => one.seq > seq), `after ${seq}`);
    const before = all.filter((one) => one.seq < seq).reverse();
    assert.deepEqual([...rows.rowsBefore(seq)], before, `before ${seq}`);
  }
});
