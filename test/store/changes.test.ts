import assert from "node:assert/strict";
import test from "node:test";
import { type Change, Changes } from "../../dist/store/changes.js";

function change(seq: number): Change {
  return { seq, kind: "orders", action: "deleted", id: "a", row: undefined, deleted: undefined };
}

function seqs(changes: readonly Change[] | undefined): number[] | undefined {
  return changes?.map(({ seq }) => seq);
}

test("since() gives what came after a number, also one that no change has", () => {
  const changes = new Changes(5);
  for (const seq of [6, 7, 10]) changes.add(change(seq));
  assert.deepEqual(seqs(changes.since(5, 20_000)), [6, 7, 10]);
  assert.deepEqual(seqs(changes.since(5, 2)), [6, 7]);
  assert.deepEqual(seqs(changes.since(7, 20_000)), [10]);
  assert.deepEqual(seqs(changes.since(8, 20_000)), [10]);
  assert.deepEqual(seqs(changes.since(10, 20_000)), []);
});

test("since() gives undefined for what reaches too far back or ahead of all", () => {
  const changes = new Changes(5);
  assert.deepEqual(seqs(changes.since(5, 20_000)), []);
  assert.equal(changes.since(4, 20_000), undefined);
  assert.equal(changes.since(6, 20_000), undefined);
  changes.add(change(6));
  assert.equal(changes.since(7, 20_000), undefined);
});

test("forgotten changes cannot be reached again", () => {
  const changes = new Changes(10);
  changes.add(change(11));
  assert.deepEqual(seqs(changes.since(10, 20_000)), [11]);
  for (let seq = 12; seq <= 20_100; seq++) changes.add(change(seq));
  assert.equal(changes.since(10, 20_000), undefined);
});

test("the newest ten thousand changes at least are kept, and not forever more", () => {
  const changes = new Changes(0);
  for (let seq = 1; seq <= 50_000; seq++) {
    changes.add(change(seq));
    if (seq > 10_000) assert.equal(changes.since(seq - 10_000, 20_000)?.length, 10_000);
  }
  assert.equal(changes.since(29_000, 20_000), undefined);
  assert.equal(changes.last, 50_000);
});
