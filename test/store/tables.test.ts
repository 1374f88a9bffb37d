/** Rows by id and in order, against the plainest model. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRow, type Row, Table } from "../../src/store/tables.ts";
import { seededRandom } from "../helpers/crash-states.ts";
import { isLong } from "../helpers/long.ts";

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

test("a copy of the rows is shared until the next write, and no write changes it", () => {
  const table = new Table();
  table.put(row("a", 1));
  const copy = table.copyOfRows();
  assert.equal(table.copyOfRows(), copy);
  for (const write of [() => table.put(row("b", 2)), () => table.delete("a")]) {
    const before = table.copyOfRows();
    write();
    assert.notEqual(table.copyOfRows(), before);
  }
  assert.deepEqual(copy, [row("a", 1)]);
});
