import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import { crc32 } from "node:zlib";
import { documentPieces } from "../../dist/store/document.js";
import { DocumentLines, type DocumentHead } from "../../dist/store/document-lines.js";
import { readLines } from "../../dist/store/line-reader.js";
import { makeRow, type Row, rowText } from "../../dist/store/rows.js";
import { Tables } from "../../dist/store/tables.js";
import { Filling } from "../../dist/store/filling.js";
import { orders, thing, thingKind, toppings } from "../helpers/things.ts";

const head = { seq: 481_516, lastChange: 481_515, takenAt: "2026-01-31T18:00:00.000Z" };

const pins = thingKind("pins", thing("p", { of: ["é"] }));
const kinds = [pins, toppings, orders];

function rows(count: number, noteLength = 0): Row[] {
  const kept = { placedBy: "☕".repeat(noteLength) };
  return Array.from({ length: count }, (_, index) =>
    makeRow(index * 3 + 1, thing(`id-${index}`, { name: `Nº ${index}` }, kept)),
  );
}

function bytesOf(ofOrders: readonly Row[], ofToppings: readonly Row[] = []): Buffer {
  const tables = new Tables(kinds);
  for (const row of ofOrders) tables.named("orders")?.table.put(row);
  for (const row of ofToppings) tables.named("toppings")?.table.put(row);
  const { lists } = tables.moment(1);
  const pieces: Buffer[] = [];
  for (const piece of documentPieces({ ...head, lists })) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** The head, and the texts by kind. Rejects with DocumentError. */
async function read(bytes: Buffer): Promise<DocumentHead & { texts: Map<string, string[]> }> {
  const file = {
    read: async (into: Uint8Array, position: number) => bytes.copy(into, 0, position),
    close: async () => {},
  };
  const tables = new Tables(kinds);
  const filling = new Filling(tables);
  const lines = new DocumentLines("store.json", (kind, members) => filling.put(kind, members));
  await readLines({ open: async () => file }, "store.json", (line) => lines.take(line));
  const found = lines.requireSealed();
  const texts = kinds.map((kind) => {
    return [kind.name, Array.from(tables.of(kind).rows(), rowText)] as const;
  });
  return { ...found, texts: new Map(texts) };
}

/** The checksum at the end of the text must be that of all before it. */
function assertProved(text: string): void {
  const [, before = "", crc] = /^(.*)"crc":"([0-9a-f]{8})"[^"]*$/s.exec(text) ?? [];
  assert.equal(crc, crc32(before).toString(16).padStart(8, "0"), text.slice(-80));
}

test("a document is JSON with one resource a line, and a checksum at each and at its end", () => {
  const three = rows(3);
  const text = bytesOf(three).toString();
  const lines = text.split("\n");
  assert.deepEqual(lines.toSpliced(5, 1).slice(0, 8), [
    "{", '"forno":1,', '"seq":481516,', '"lastChange":481515,',
    '"takenAt":"2026-01-31T18:00:00.000Z",', '"toppings":[', "],", '"orders":[',
  ]);
  assert.deepEqual(lines.slice(12, 13).concat(lines.slice(14)), ["],", "}", ""]);
  const { pins: { crc: _, ...pins }, orders, crc, ...rest } = JSON.parse(text);
  assert.deepEqual(pins, { of: ["é"], seq: 0 });
  assert.deepEqual(rest, { forno: 1, ...head, toppings: [] });
  assert.match(crc, /^[0-9a-f]{8}$/);
  for (const [index, { crc: _, ...order }] of orders.entries()) {
    assert.deepEqual(order, JSON.parse(rowText(three[index] ?? assert.fail())));
    assertProved(lines.slice(0, 10 + index).join("\n"));
  }
  assertProved(text);
});

test("a document of any size is read back, piece by piece", async () => {
  for (const [count, length] of [
    [0, 0],
    [1, 0],
    [2, 0],
    [20_000, 0],
    [50, 30_000],
    [2, 400_000],
  ] as const) {
    const some = rows(count, length);
    const { texts, ...found } = await read(bytesOf(some, rows(2)));
    assert.deepEqual(found, head);
    assert.deepEqual(texts.get("orders"), some.map(rowText));
    assert.equal(texts.get("toppings")?.length, 2);
    assert.deepEqual(texts.get("pins"), ['{"of":["é"],"id":"p","seq":0}']);
  }
});

test("damage in a document is told with its line", async () => {
  const good = bytesOf(rows(3)).toString();
  const lines = good.split("\n");
  const without = (index: number): string => lines.toSpliced(index - 1, 1).join("\n");
  for (const [text, line, reason] of [
    ["", 1, /it is not what Forno wrote: the document goes on/],
    [good.replace("{", "["), 5, /one of lines 1 to 5 is not what Forno wrote/],
    [good.replace("18:00", "19:00"), 6, /one of lines 1 to 6 is not what Forno wrote: a checksum/],
    [good.replace('"of"', '"fo"'), 6, /one of lines 1 to 6 is not/],
    [good.replace('"orders":[', '"orders":{'), 9, /one of lines 7 to 9 is not/],
    [good.replace('"id":"id-1"', '"di":"id-1"'), 11, /it is not/],
    [good.replace("Nº 1", "Nº 9"), 11, /it is not/],
    [without(6), 9, /one of lines 1 to 9/],
    [without(10), 10, /one of lines 7 to 10/],
    [without(11), 11, /it is not/],
    [without(12), 13, /one of lines 12 to 13/],
    [lines.toSpliced(10, 2, lines[11] ?? "", lines[10] ?? "").join("\n"), 11, /it is not/],
    [lines.toSpliced(10, 0, lines[9] ?? "").join("\n"), 11, /it is not/],
    [without(14), 14, /one of lines 13 to 14 is not what Forno wrote: the checksum is missing/],
    [without(15), 15, /it is not what Forno wrote: the document goes on/],
    [`${good}}\n`, 16, /one of lines 15 to 16 is not what Forno wrote: the document has ended/],
    [good.slice(0, -1), 15, /it is not what Forno wrote: its newline is missing/],
    [good.slice(0, good.indexOf("id-1")), 11, /it is not what Forno wrote: it is not JSON/],
  ] as const) {
    const damage = { name: "DocumentError", line, message: reason };
    await assert.rejects(read(Buffer.from(text)), damage, text.slice(0, 400));
  }
});

/** The text with the checksums that belong to it. */
function sealed(text: string): string {
  return text.split(/(?<="crc":")\w{8}/).reduce((before, after) => {
    const crc = crc32(before.slice(0, before.lastIndexOf('"crc":"')));
    return before + crc.toString(16).padStart(8, "0") + after;
  });
}

test("a document of a newer version is refused as such", async () => {
  const good = bytesOf(rows(2)).toString();
  assert.equal(sealed(good), good);
  for (const [from, to, detail] of [
    ['"forno":1', '"forno":2', /line 2: expected a document of format 1, got format 2$/],
    ['"orders":[', '"sauces":[', /line 10: sauces\[0\]: no kind has this name$/],
  ] as const) {
    const bytes = Buffer.from(sealed(good.replace(from, to)));
    await assert.rejects(read(bytes), { name: "DocumentError", isDamage: false, message: detail });
  }
});

test("a document that is sealed and no document is told with its line", async () => {
  const good = bytesOf(rows(2)).toString();
  for (const [from, to, line] of [
    ['"seq":481516', '"seq":"many"', 5],
    ['"id":"id-1"', '"di":"id-1"', 11],
    ['"seq":4,', '"sec":4,', 11],
  ] as const) {
    const bytes = Buffer.from(sealed(good.replace(from, to)));
    await assert.rejects(read(bytes), { name: "DocumentError", line });
  }
});
