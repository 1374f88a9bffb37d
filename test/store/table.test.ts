import assert from "node:assert/strict";
import test from "node:test";
import { type Entry, makeEntry, momentOf, parseEntry, Table } from "../../dist/store/table.js";
import { seededRandom } from "../helpers/crash-states.ts";

test("an entry is its body, its seq and what only the store keeps", () => {
  const entry = makeEntry("a", 12, '{"id":"a","name":"☕"}', '"placedBy":"anna"');
  assert.equal(entry.text, '{"id":"a","name":"☕","seq":12,"placedBy":"anna"}');
  assert.equal(entry.body, '{"id":"a","name":"☕"}');
  assert.equal(entry.kept, '"placedBy":"anna"');
});

test("an entry's line comes back as the entry", () => {
  const long = "a-very-long-id_that.is~a:slice@x+y,z";
  const tricky = JSON.stringify({ id: long, name: '","seq":7,"' });
  for (const [id, body, kept] of [
    ["a", '{"id":"a"}', ""],
    ["a", '{"id":"a","n":[{"id":"b"}]}', '"names":{"b":"\\",\\"seq\\":1"},"seq2":3'],
    [long, tricky, '"placedBy":"ünï"'],
  ] as const) {
    const written = makeEntry(id, 345, body, kept);
    const read = parseEntry(written.text);
    assert.deepEqual(
      [read?.id, read?.seq, read?.text, read?.body, read?.kept],
      [id, 345, written.text, body, written.kept],
    );
  }
});

test("text that is no entry's line is none", () => {
  for (const text of [
    ...["", "{}", "[", '{"seq":1}', '{"id":"a"}'],
    ...['{"id":"a","seq":-1}', '{"id":"a","seq":x}', '{"id":"a","seq":1'],
  ]) {
    assert.equal(parseEntry(text), undefined, text);
  }
});

/** What a table should do, done simply. */
class Model {
  entries: Entry[] = [];

  put(entry: Entry): void {
    this.delete(entry.id);
    this.entries.push(entry);
    this.entries.sort((one, other) => one.seq - other.seq);
  }

  delete(id: string): void {
    this.entries = this.entries.filter((entry) => entry.id !== id);
  }
}

const colourOf = (entry: Entry): string | undefined =>
  /"colour":"(.*?)"/.exec(entry.text)?.[1];
const timeOf = (entry: Entry): string => /"time":"(.*?)"/.exec(entry.text)?.[1] ?? "";

test("whatever is put, replaced and deleted, rows, ids, indexes and ranges agree", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed);
    const below = (limit: number): number => Math.floor(random() * limit);
    const table = new Table({ indexes: { colour: colourOf }, sortKey: timeOf });
    const model = new Model();
    let seq = 0;
    for (let step = 0; step < 400; step++) {
      const id = `id-${below(30)}`;
      const known = table.get(id);
      if (random() < 0.2) {
        table.delete(id);
        model.delete(id);
      } else {
        // Replay puts older entries over newer ones, and makes again what was deleted.
        const isAgain = known !== undefined && random() < 0.6;
        seq = seed % 2 === 0 || random() < 0.9 ? seq + 2 : seq;
        const place = isAgain ? known.seq : random() < 0.9 ? seq : seq * 2 + 100_001 + step * 2;
        const colour = ["red", "green", ""][below(3)];
        const time = seed % 3 === 0 ? below(100) : step;
        const padded = String(time).padStart(4, "0");
        const body = `{"id":"${id}","colour":"${colour}","time":"${padded}"}`;
        const isTaken = model.entries.some((entry) => entry.seq === place && entry.id !== id);
        if (isTaken) continue;
        const entry = makeEntry(id, place, colour === "" ? body.replace("colour", "no") : body, "");
        table.put(entry);
        model.put(entry);
      }
      if (step % 10 === 0) assertSame(table, model);
    }
  }
});

function assertSame(table: Table, { entries }: Model): void {
  assert.deepEqual([...table.rows], entries);
  assert.equal(table.size, entries.reduce((sum, { text }) => sum + text.length, 0));
  for (const entry of entries) assert.equal(table.get(entry.id), entry);
  for (const colour of ["red", "green", "blue"]) {
    const rows = entries.filter((entry) => colourOf(entry) === colour);
    const view = table.indexed("colour", colour);
    assert.deepEqual([...view], rows);
    assert.equal(view.length, rows.length);
    const found = view.between("0050", "0300");
    const within = rows.filter((row) => timeOf(row) >= "0050" && timeOf(row) < "0300");
    assert.deepEqual([...found, found.length], [...within, within.length]);
  }
}

test("the rows of a moment stay as they are", () => {
  const table = new Table();
  table.put(makeEntry("a", 1, '{"id":"a"}', ""));
  const { rows } = momentOf(new Map([["orders", table]]), 1);
  table.put(makeEntry("a", 1, '{"id":"a","n":2}', ""));
  table.put(makeEntry("b", 2, '{"id":"b"}', ""));
  table.delete("a");
  assert.deepEqual([...(rows.get("orders") ?? [])].map(({ text }) => text), ['{"id":"a","seq":1}']);
});
