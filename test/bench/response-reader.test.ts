import assert from "node:assert/strict";
import { test } from "node:test";
import { ResponseReader } from "./response-reader.ts";

const responses = [
  { name: "counted", status: 201, text: "HTTP/1.1 201 Created\r\ncontent-length: 5\r\n\r\nhello" },
  { name: "empty", status: 200, text: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" },
  { name: "304, with the length that GET would have", status: 304,
    text: 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 900\r\n\r\n' },
  { name: "204", status: 204, text: "HTTP/1.1 204 No Content\r\nX-Request-Id: 1\r\n\r\n" },
  { name: "chunked", status: 200,
    text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
      "3\r\n0\r\n\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n" },
  { name: "chunked, with a trailer", status: 200,
    text: "HTTP/1.1 200 OK\r\ntransfer-encoding:chunked\r\n\r\n1\r\n!\r\n0\r\nT: 1\r\n\r\n" },
];

/** What each push returns; the socket's buffer is larger than the bytes and full of older ones. */
function readParts(reader: ResponseReader, parts: readonly string[]): number[] {
  return parts.map((part) => {
    const shared = Buffer.alloc(4096, "\r\n\r\n");
    return reader.push(shared, shared.write(part, "latin1"));
  });
}

for (const { name, status, text } of responses) {
  test(`a response split at any byte is found once, at its end: ${name}`, () => {
    const reader = new ResponseReader();
    assert.deepEqual(readParts(reader, [text]), [status]);
    for (let at = 1; at < text.length; at++) {
      const parts = [text.slice(0, at), text.slice(at)];
      assert.deepEqual(readParts(reader, parts), [0, status], `split at ${at}`);
    }
    const bytes = readParts(reader, text.split(""));
    assert.deepEqual(bytes, [...Array<number>(text.length - 1).fill(0), status]);
  });

  test(`bytes after a response are refused: ${name}`, () => {
    const reader = new ResponseReader();
    assert.throws(() => readParts(reader, [`${text}HT`]), /^Error: 2 bytes came after/);
  });
}

test("a response whose end nothing tells is refused", () => {
  const reader = new ResponseReader();
  const text = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
  assert.throws(() => readParts(reader, [text]), /without Content-Length or chunked framing/);
});
