import assert from "node:assert/strict";
import { test } from "node:test";
import { mergePatch } from "../../dist/resources/merge-patch.js";

/** Original, patch, result: RFC 7396 appendix A, then what else a patch may hold. */
const rows: readonly [target: string, patch: string, result: string][] = [
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
  // Members keep their places, and new ones come after them.
  ['{"id":"1","name":"a","b":true}', '{"x":1,"b":false,"name":"c"}',
    '{"id":"1","name":"c","b":false,"x":1}'],
  // Members like any other, which reach no prototype.
  ...["__proto__", "constructor", "hasOwnProperty"].flatMap((name): [string, string, string][] => [
    ['{"a":{}}', `{"${name}":{"b":1},"a":{"${name}":{"b":1}}}`,
      `{"a":{"${name}":{"b":1}},"${name}":{"b":1}}`],
    [`{"${name}":1}`, `{"${name}":null}`, "{}"],
  ]),
];

test("a patch is merged as RFC 7396 has it, and neither it nor the target is changed", () => {
  for (const row of rows) {
    const [target, patch]: unknown[] = row.map((text) => JSON.parse(text));
    const merged = mergePatch(target, patch);
    assert.deepEqual([target, patch, merged].map((value) => JSON.stringify(value)), row);
    if (typeof merged !== "object" || merged === null || Array.isArray(merged)) continue;
    assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  }
});
