import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import {
  headerBytes,
  headerEvent,
  journalName,
  type JournalRecord,
  markData,
  markEvent,
  recordBytes,
} from "../../dist/store/journal-file.js";
import { replay, type Replayed } from "../../dist/store/replay.js";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";

function line(record: JournalRecord): string {
  return recordBytes(record).toString();
}

const header = (number: number): string => headerBytes(number).toString();
const mark = (seq: number, after: number): string => 
  line({ seq, after, event: markEvent, data: markData() });
const order = (seq: number, after: number): string =>
  line({ seq, after, event: "orders.created", data: `{"id":"o${seq}","seq":${seq}}` });

/** Journals by number, as text; an array of lines is joined. */
type Journals = Readonly<Record<number, readonly string[]>>;

/** `documentSeq`: up to which record the document holds everything. */
async function read(journals: Journals, documentSeq = 0): Promise<Replayed & { seqs: number[] }> {
  const files = Object.entries(journals).map(
    ([number, lines]) => [journalName(Number(number)), Buffer.from(lines.join(""))] as const,
  );
  const place = { folder: "/store", files: new SimulatedDisk(new Map(files)) };
  const seqs: number[] = [];
  const numbers = Object.keys(journals).map(Number);
  const replayed = await replay(place, numbers, documentSeq, ({ seq }) => {
    seqs.push(seq);
  });
  return { ...replayed, seqs };
}

const newerHeader = line({
  ...{ seq: 0, after: 0, event: headerEvent },
  data: '{"format":2,"number":1}',
});
const broken = order(3, 2).replace("o3", "o8");
const cut = order(3, 2).slice(0, -5);
const zeros = "\0".repeat(700);

test("good journals are read to their end", async () => {
  for (const [journals, documentSeq, seqs, number, marked] of [
    [{ 1: [header(1)] }, 0, [], 1, false],
    [{ 1: [header(1), order(1, 0), order(2, 0), mark(3, 2)] }, 0, [1, 2, 3], 1, true],
    [{ 1: [header(1), order(1, 0)], 2: [header(2), order(2, 1)] }, 0, [1, 2], 2, false],
    [{ 1: [header(1), order(1, 0)], 2: [header(2)] }, 0, [1], 2, false],
    [{ 7: [header(7), order(51, 50)], 8: [header(8), mark(52, 51)] }, 50, [51, 52], 8, true],
    [{ 7: [header(7)], 8: [header(8), order(52, 51)] }, 51, [52], 8, false],
    [{ 7: [header(7)] }, 51, [], 7, false],
  ] as const) {
    const { end, torn, seqs: seen } = await read(journals, documentSeq);
    const last = Object.values(journals).at(-1) ?? [];
    const offset = Buffer.byteLength(last.join(""));
    assert.deepEqual(seen, seqs);
    assert.deepEqual(end, { number, offset, seq: seqs.at(-1) ?? documentSeq, marked });
    assert.equal(torn, undefined);
  }
});

test("replay skips the records that the document holds", async () => {
  const old = [header(1), order(1, 0), order(2, 1), mark(3, 2)];
  for (const [journals, documentSeq, seqs, end] of [
    [{ 1: old }, 3, [], 3],
    [{ 1: old }, 2, [3], 3],
    [{ 1: old, 2: [header(2)] }, 3, [], 3],
    [{ 1: old, 2: [header(2), order(4, 3)] }, 3, [4], 4],
    [{ 1: old, 2: [header(2), order(4, 3)], 3: [header(3)] }, 3, [4], 4],
    // Another store's content was put here: its numbers leap where a journal begins.
    [{ 1: old, 2: [header(2)] }, 90, [], 90],
    [{ 1: old, 2: [header(2), order(91, 90), mark(92, 91)] }, 90, [91, 92], 92],
    [{ 1: old, 2: [header(2), order(91, 90).replace("o", "p"), order(92, 90)] }, 90, [], 90],
  ] as [Journals, number, number[], number][]) {
    const { end: found, seqs: seen } = await read(journals, documentSeq);
    assert.deepEqual([seen, found.seq], [seqs, end], JSON.stringify(journals));
  }
});

test("journals that do not go on where the document ends are damage", async () => {
  const old = [header(7), order(51, 50), order(52, 51)];
  for (const [journals, documentSeq, number, lineNumber] of [
    [{ 7: old }, 49, 7, 2],
    [{ 7: old }, 53, 7, 4],
    [{ 7: [...old, cut] }, 53, 7, 4],
    [{ 7: [...old, order(91, 90)] }, 90, 7, 4],
    [{ 7: old, 8: [header(8), order(92, 91)] }, 90, 8, 2],
    [{ 7: old, 8: [header(8), order(54, 53)] }, 51, 8, 2],
  ] as [Journals, number, number, number][]) {
    await assert.rejects(
      read(journals, documentSeq),
      { code: "damaged", file: journalName(number), line: lineNumber },
      JSON.stringify(journals),
    );
  }
});

test("the torn end of an unfinished batch is no record", async () => {
  const good = [header(1), order(1, 0), order(2, 1)];
  for (const tail of [
    [cut],
    [broken],
    [zeros],
    [zeros, order(4, 2)],
    [broken, order(4, 2), order(5, 2)],
    [cut, zeros, "\n", order(5, 2), cut],
    ["\n"],
  ]) {
    const { end, torn, seqs } = await read({ 1: [...good, ...tail] });
    const offset = Buffer.byteLength(good.join(""));
    assert.deepEqual(seqs, [1, 2]);
    assert.deepEqual(end, { number: 1, offset, seq: 2, marked: false });
    assert.deepEqual(torn, { file: "journal-000001.ndjson", line: 4, offset });
  }
});

test("a journal that was prepared and not used says nothing", async () => {
  const first = [header(1), order(1, 0)];
  for (const [journals, line] of [
    [{ 1: [...first, broken], 2: [header(2)] }, 3],
    [{ 1: [...first, cut], 2: [zeros] }, 3],
    [{ 1: first, 2: [header(2).slice(0, 30)] }, 1],
    [{ 1: first, 2: [zeros] }, 1],
    [{ 1: first, 2: [] }, undefined],
  ] as const) {
    const { end, torn, seqs } = await read(journals);
    assert.deepEqual(seqs, [1]);
    assert.equal(end.number, 1);
    assert.equal(torn?.line, line);
  }
});

test("a bad record that had reached the disk is damage, with its file and line", async () => {
  const good = [header(1), order(1, 0), order(2, 1)];
  for (const [journals, number, lineNumber] of [
    // A later record was written when the broken one was on disk.
    [{ 1: [...good, broken, order(4, 3)] }, 1, 4],
    [{ 1: [...good, broken, mark(4, 3)] }, 1, 4],
    [{ 1: [...good, broken, zeros, "\n", mark(9, 3)] }, 1, 4],
    [{ 1: [...good, broken], 2: [header(2), order(4, 3)] }, 1, 4],
    [{ 1: [...good, order(3, 2).replace("\n", " "), mark(4, 3)] }, 1, 4],
    // A header is on disk before anything after it.
    [{ 1: good, 2: [header(2).replace("2", "3"), order(3, 2)] }, 2, 1],
    // Records that are missing, doubled or swapped.
    [{ 1: [header(1), order(2, 0)] }, 1, 2],
    [{ 1: [header(1), order(1, 0), order(1, 0)] }, 1, 3],
    [{ 1: [header(1), order(1, 0), order(3, 0), order(2, 0)] }, 1, 3],
    [{ 1: good, 2: [header(2), order(4, 2)] }, 2, 2],
    [{ 1: good, 2: [order(3, 2)] }, 2, 1],
    [{ 1: [...good, header(1)] }, 1, 4],
    // The beginning was on disk before the store answered anything.
    [{ 1: [] }, 1, 1],
    [{ 1: [zeros] }, 1, 1],
    [{ 1: [order(1, 0)] }, 1, 1],
    // Another journal's, or another version's.
    [{ 2: [header(1), order(2, 1)] }, 2, 1],
    [{ 1: [newerHeader] }, 1, 1],
  ] as [Journals, number, number][]) {
    await assert.rejects(
      read(journals),
      { code: "damaged", file: journalName(number), line: lineNumber },
      JSON.stringify(journals),
    );
  }
});

test("a journal of a newer format is refused with a word on which version to start", async () => {
  const hint = /newer version of Forno/;
  await assert.rejects(read({ 1: [newerHeader] }), { code: "damaged", line: 1, hint });
});

test("journals that end before the document are damage, at the line where they end", async () => {
  const good = [header(1), order(1, 0), order(2, 1)];
  for (const [journals, number, lineNumber] of [
    [{ 1: good }, 1, 4],
    [{ 1: good, 2: [] }, 2, 1],
    [{ 1: good, 2: [header(2), order(3, 2)] }, 2, 3],
    [{ 1: good, 2: [header(2), order(3, 2)], 3: [] }, 3, 1],
  ] as [Journals, number, number][]) {
    await assert.rejects(
      read(journals, 9),
      { code: "damaged", file: journalName(number), line: lineNumber, message: /they end at \d$/ },
      JSON.stringify(journals),
    );
  }
});

test("replay names the first journal that is not known to be on disk", async () => {
  const marked = [header(1), order(1, 0), mark(2, 1)];
  for (const [journals, unsure] of [
    [{ 1: [header(1)] }, 1],
    [{ 1: [header(1), order(1, 0)] }, 1],
    [{ 1: marked }, undefined],
    [{ 1: [...marked, order(3, 2)] }, 1],
    [{ 1: [header(1), order(1, 0)], 2: [header(2)] }, 1],
    // The mark itself is synced before the next journal is used, not before it is prepared.
    [{ 1: marked, 2: [header(2)] }, 1],
    [{ 1: marked, 2: [header(2), order(3, 2)] }, 2],
    [{ 1: marked, 2: [header(2), order(3, 2), mark(4, 3)] }, undefined],
  ] as const) {
    assert.equal((await read(journals)).unsure, unsure, JSON.stringify(journals));
  }
});

test("a journal that is missing between two others is damage", async () => {
  const journals = { 7: [header(7)], 8: [header(8)], 10: [header(10)] };
  await assert.rejects(read(journals), { code: "damaged", file: journalName(9) });
});
