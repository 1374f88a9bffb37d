import assert from "node:assert/strict";
import { test } from "node:test";
import { mergePatch } from "../../dist/resources/merge-patch.js";

/** RFC 7396 appendix A: original, patch, result. */
const appendixA: readonly [target: string, patch: string, result: string][] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', "null", "null"],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

test("every example of RFC 7396 appendix A comes out as printed", () => {
  for (const [target, patch, result] of appendixA) {
    const merged = mergePatch(JSON.parse(target), JSON.parse(patch));
    assert.equal(JSON.stringify(merged), result, `${target} with ${patch}`);
  }
});

test("neither the target nor the patch is changed", () => {
  for (const [target, patch] of appendixA) {
    const [targetBefore, patchBefore]: unknown[] = [JSON.parse(target), JSON.parse(patch)];
    mergePatch(targetBefore, patchBefore);
    assert.deepEqual([targetBefore, patchBefore], [JSON.parse(target), JSON.parse(patch)]);
  }
});

test("members keep the order of the target, and new ones come after them", () => {
  const target = { id: "1", name: "a", isVegan: true };
  const merged = mergePatch(target, { x: 1, isVegan: false, name: "b" });
  assert.equal(JSON.stringify(merged), '{"id":"1","name":"b","isVegan":false,"x":1}');
});

test("__proto__ and the like are members like any other, and reach no prototype", () => {
  for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
    const patch: unknown = JSON.parse(`{"${name}":{"isVegan":true},"a":{"${name}":{"b":1}}}`);
    const merged = mergePatch({ a: {} }, patch);
    assert.equal(JSON.stringify(merged), `{"a":{"${name}":{"b":1}},"${name}":{"isVegan":true}}`);
    assert.equal(Object.getPrototypeOf(merged), Object.prototype);
    assert.deepEqual(Object.keys(merged as object), ["a", name]);
    assert.equal(Object.hasOwn(Object.prototype, "isVegan"), false);
    assert.deepEqual(mergePatch(merged, JSON.parse(`{"${name}":null,"a":null}`)), {});
  }
});
