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
  // As proxies that compress make them.
  ['W/"a,b"', true, false],
  ['W/"x", W/"a,b"', true, false],
  ['"a,b-gzip"', true, false],
  ['"a,b-zstd"', true, false],
  ['"x-gzip", "a,b-br"', true, false],
  ['W/"a,b-gzip"', true, false],
  ['"a,b-gzip-zstd"', false, true],
  ['"a,b-lzma"', false, true],
  ['"a,b-"', false, true],
  ['"a,bgzip"', false, true],
  ['"-gzipa,b"', false, true],
  ['"a,b"-gzip', false, true],
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

test("a listed tag matches, as a proxy has marked it too; what is malformed never does", () => {
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
