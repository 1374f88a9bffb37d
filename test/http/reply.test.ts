import assert from "node:assert/strict";
import { test } from "node:test";
import { headLine } from "../../dist/http/reply.js";

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
