import assert from "node:assert/strict";
import { test } from "node:test";
import { headLine, headText, pairsOf } from "../../dist/http/reply.js";

test("a line is what goes over the wire", () => {
  assert.equal(headLine("Allow", "GET, HEAD"), "Allow: GET, HEAD\r\n");
  assert.equal(headLine("Allow", ""), "Allow: \r\n");
});

test("no value can end its line, start another, or be no Latin-1", () => {
  for (const value of ["a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\0b", "\u007f", "\u20ac", "🍕"]) {
    assert.throws(() => headLine("X-A", value), /X-A/, JSON.stringify(value));
  }
  assert.equal(headLine("X-A", "\ta \u00e9"), "X-A: \ta \u00e9\r\n");
});

test("the header is a status line, the fields, the date and an empty line", () => {
  const text = headText(404, headLine("A", "b") + headLine("C", "d"));
  assert.match(text, /^HTTP\/1\.1 404 Not Found\r\nA: b\r\nC: d\r\nDate: [^\r]*\r\n\r\n$/);
  const date = /Date: (.*)\r\n\r\n$/.exec(text)?.[1] ?? "";
  assert.equal(new Date(date).toUTCString(), date);
  assert.ok(Math.abs(Date.parse(date) - Date.now()) < 60_000);
});

test("lines are taken apart again for node, values with colons too", () => {
  const lines = headLine("Location", "http://a/?b: c") + headLine("Allow", "");
  assert.deepEqual(pairsOf(lines), ["Location", "http://a/?b: c", "Allow", ""]);
  assert.deepEqual(pairsOf(""), []);
});
