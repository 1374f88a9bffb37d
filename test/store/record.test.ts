import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import {
  decodeRecord,
  encodeRecord,
  type JournalRecord,
  recordCapacity,
} from "../../dist/store/journal-file.js";

function lineOf(record: JournalRecord): Buffer {
  const buffer = Buffer.alloc(recordCapacity(record) + 10);
  const end = encodeRecord(record, record.after, buffer, 10);
  assert.equal(buffer[end - 1], 0x0a, "a record ends with a newline");
  return buffer.subarray(10, end - 1);
}

const record: JournalRecord = {
  ...{ seq: 12, after: 10, event: "orders.created" },
  data: '{"id":"K7QX3M","name":"Größe ☕ 🍕"}',
};

test("a record is one line of JSON with its checksum last", () => {
  const line = lineOf(record).toString();
  assert.match(line, /^\{"seq":12,"after":10,"event":"orders\.created","data":\{/);
  assert.match(line, /\},"crc":"[0-9a-f]{8}"\}$/);
  assert.deepEqual(JSON.parse(line).data, JSON.parse(record.data));
});

test("a record comes back as it was written", () => {
  const long = `{"n":"${"ü".repeat(5_000)}"}`;
  for (const data of ["{}", record.data, '{"n":"\u{10ffff}\u007f\u0080"}', long]) {
    for (const seq of [0, 1, Number.MAX_SAFE_INTEGER]) {
      const written = { ...record, data, seq, after: seq };
      assert.deepEqual(decodeRecord(lineOf(written)), written);
    }
  }
});

test("a record with any one bit turned is no record", () => {
  const line = lineOf(record);
  for (let bit = 0; bit < line.length * 8; bit++) {
    const broken = Buffer.from(line);
    broken[bit >> 3] = (broken[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(decodeRecord(broken), undefined, `bit ${bit}`);
  }
});

test("a record cut short, run on or doubled is no record", () => {
  const line = lineOf(record);
  for (let length = 0; length < line.length; length++) {
    assert.equal(decodeRecord(line.subarray(0, length)), undefined);
  }
  for (const more of [" ", "}", "\0", line.toString()]) {
    assert.equal(decodeRecord(Buffer.concat([line, Buffer.from(more)])), undefined);
  }
});
