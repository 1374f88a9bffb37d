import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import { crc32 } from "node:zlib";
import {
  checkSnapshot,
  describedChange,
  describedSnapshot,
  describeSnapshots,
  type Expected,
  readSnapshot,
  snapshotPieces,
} from "../../dist/store/snapshot.js";
import { type Entry, makeEntry, Table } from "../../dist/store/table.js";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";

function entries(count: number, noteLength = 0): Entry[] {
  const kept = `"note":"${"☕".repeat(noteLength)}"`;
  return Array.from({ length: count }, (_, index) =>
    makeEntry(`id-${index}`, index * 3 + 1, `{"id":"id-${index}","name":"Nº ${index}"}`, kept),
  );
}

function bytesOf(rows: readonly Entry[]): Buffer {
  const pieces: Buffer[] = [];
  for (const piece of snapshotPieces(rows)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

async function read(bytes: Buffer, ...expected: Expected[]): Promise<Table> {
  const table = new Table();
  const disk = new SimulatedDisk(new Map([["orders.json", bytes]]));
  checkSnapshot("orders.json", await readSnapshot(disk, "/store/orders.json", table), expected);
  return table;
}

function written(bytes: Buffer): Expected {
  return { bytes: bytes.length, crc: crc32(bytes) };
}

test("a snapshot is a JSON array with one resource per line", () => {
  const rows = entries(3);
  const text = bytesOf(rows).toString();
  assert.deepEqual(JSON.parse(text), rows.map((row) => JSON.parse(row.text)));
  const lines = rows.map((row, index) => row.text + (index < 2 ? "," : ""));
  assert.deepEqual(text.split("\n"), ["[", ...lines, "]", ""]);
  assert.deepEqual(JSON.parse(bytesOf([]).toString()), []);
});

test("a snapshot of any size is read back, piece by piece", async () => {
  for (const [count, length] of [
    [0, 0],
    [1, 0],
    [2, 0],
    [20_000, 0],
    [50, 30_000],
    [2, 400_000],
  ] as const) {
    const rows = entries(count, length);
    const table = await read(bytesOf(rows), "absent", written(bytesOf(rows)));
    assert.equal(table.rows.length, count);
    assert.equal(table.rows.at(-1)?.text, rows.at(-1)?.text);
  }
});

test("a snapshot must be one of those that the journal describes", async () => {
  const bytes = bytesOf(entries(3));
  const other = written(bytesOf(entries(4)));
  await read(bytes, other, written(bytes));
  for (const expected of [[], [other], ["absent"]] as Expected[][]) {
    await assert.rejects(read(bytes, ...expected), { code: "damaged", file: "orders.json" });
  }
});

test("damage in a snapshot names the file, and the line where that shows", async () => {
  const good = bytesOf(entries(3)).toString();
  const lines = good.split("\n");
  for (const [text, line] of [
    ["", undefined],
    [good.replace("[", "{"), 1],
    [good.replace('"id":"id-1"', '"di":"id-1"'), 3],
    [good.replace('"seq":4', '"seq":1'), 3],
    [good.replace("Nº 1", "Nº 9"), undefined],
    [good.slice(0, -1), 5],
    [good.slice(0, 60), 3],
    [`${good}[\n`, 6],
    [[lines[0], lines[2], lines[1], ...lines.slice(3)].join("\n"), 3],
    [[...lines.slice(0, 2), ...lines.slice(1)].join("\n"), 3],
  ] as const) {
    const damage = { code: "damaged", file: "orders.json", line };
    await assert.rejects(read(Buffer.from(text), written(Buffer.from(good))), damage);
  }
});

test("a missing snapshot is damage unless it may be missing", () => {
  checkSnapshot("orders.json", undefined, [{ bytes: 3, crc: 1 }, "absent"]);
  assert.throws(() => checkSnapshot("orders.json", undefined, [{ bytes: 3, crc: 1 }]), {
    ...{ code: "damaged", file: "orders.json" },
    message: "orders.json: the file is missing",
  });
});

test("what the journal says of the snapshots comes back from it", () => {
  const data = describeSnapshots(new Map([["orders", { bytes: 12, crc: 0x00abcdef }]]), 7);
  assert.deepEqual(JSON.parse(data), {
    lastChange: 7,
    orders: { bytes: 12, crc: "00abcdef" },
  });
  assert.equal(describedChange(data), 7);
  assert.deepEqual(describedSnapshot(data, "orders"), { bytes: 12, crc: 0x00abcdef });
  assert.equal(describedSnapshot(data, "sauces"), "absent");
});
