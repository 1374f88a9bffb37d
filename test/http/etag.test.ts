import assert from "node:assert/strict";
import { test } from "node:test";
import { ifMatchHolds, ifNoneMatchHolds, strongTag } from "../../dist/http/etag.js";

const tag = strongTag('{"id":"grande"}');

test("a tag is strong, quoted, the same for the same content and another for any other", () => {
  assert.match(tag, /^"[\w-]{22}"$/);
  assert.equal(strongTag('{"id":"grande"}'), tag);
  for (const other of ["", '{"id":"grande"}\n', '{"id":"grandé"}']) {
    assert.notEqual(strongTag(other), tag);
  }
});

test("a precondition that was not sent holds", () => {
  assert.equal(ifMatchHolds(undefined, tag), true);
  assert.equal(ifNoneMatchHolds(undefined, tag), true);
});

/** For each header, what holds for a resource with the tag `"a,b"`. */
const rows: readonly [header: string, ifMatch: boolean, ifNoneMatch: boolean][] = [
  ['"a,b"', true, false],
  ['  "a,b"\t', true, false],
  ['"x", "a,b"', true, false],
  ['"a,b","x"', true, false],
  [', , "a,b" ,,', true, false],
  ["*", true, false],
  [" * ", true, false],
  // RFC 9110 section 8.8.3.2: a weak tag is equal only in the weak comparison.
  ['W/"a,b"', false, false],
  ['W/"x", W/"a,b"', false, false],
  ['w/"a,b"', false, true],
  ['"x"', false, true],
  ['"a", "b"', false, true],
  ['"A,B"', false, true],
  ['"a,b" "x"', false, true],
  ['"x" "a,b"', false, true],
  ['x"a,b"', false, true],
  ["a,b", false, true],
  ["'a,b'", false, true],
  ['"a,b', false, true],
  ['a,b"', false, true],
  ['""', false, true],
  ['"x, *', false, true],
  ['*, "x"', false, true],
  ['"a\\,b"', false, true],
  ["", false, true],
];

test("If-Match compares strongly, If-None-Match weakly; what is malformed never matches", () => {
  for (const [header, ifMatch, ifNoneMatch] of rows) {
    assert.equal(ifMatchHolds(header, '"a,b"'), ifMatch, `If-Match: ${header}`);
    assert.equal(ifNoneMatchHolds(header, '"a,b"'), ifNoneMatch, `If-None-Match: ${header}`);
  }
});

test("a header as long as Node lets through is read in one pass", () => {
  for (const odd of ['"', '"a,', " ", ",", 'W/"', '"a" ', '\t"a"\t']) {
    const header = odd.repeat(16_384 / odd.length);
    assert.equal(ifMatchHolds(header, tag), false);
    assert.equal(ifMatchHolds(`${header}", ,${tag}`, tag), ifMatchHolds(`", ,${tag}`, tag), odd);
  }
});
