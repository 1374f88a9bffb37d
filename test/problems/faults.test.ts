/** Pointers, values in words, and the suggested names in messages (contract part 5). */

import assert from "node:assert/strict";
import test from "node:test";
import { didYouMean, inWords, pointer } from "../../src/problems/faults.ts";

test("a pointer is RFC 6901 section 6; for a member with a long name, its parent's", () => {
  assert.equal(pointer(["a/b", 0, "m~n", "ü %", "\ud83c"]), "#/a~1b/0/m~0n/%C3%BC%20%25/%EF%BF%BD");
  assert.equal(pointer(["n".repeat(128)]), `#/${"n".repeat(128)}`);
  assert.equal(pointer(["n".repeat(129)]), "#");
  assert.equal(pointer(["a", "n".repeat(129), "b"]), "#/a");
});

test("values are told with their types, long strings cut, tokens not at all", () => {
  for (const [value, words] of [
    [undefined, "nothing"],
    [null, "null"],
    [true, "true"],
    [1.5, "the number 1.5"],
    [Infinity, "a number out of range"],
    ["yes", 'the string "yes"'],
    ["n".repeat(1_000), `the string "${"n".repeat(54)}…"`],
    [[1, 2], "an array of 2"],
    [{}, "an object"],
  ] as const) {
    assert.equal(inWords(value), words);
  }
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic3RhZmYifQ.c2lnbmF0dXJl";
  assert.doesNotMatch(inWords(token), /eyJyb2xl/);
});

test("only what a third of the letters away, at most, is suggested", () => {
  const fields = ["id", "pizzaSize", "toppings", "beverages", "status", "placedAt"];
  for (const [word, words, meant] of [
    ["fungi", ["grana", "funghi", "birra"], "funghi"],
    ["topings", fields, "toppings"],
    ["stauts", fields, "status"],
    ["PIZZASIZE", fields, "pizzaSize"],
    ["vegan", ["isVegetarian", "isVegan"], "isVegan"],
    ["quantity", fields, undefined],
    ["price", fields, undefined],
    ["x", fields, undefined],
    ["di", fields, undefined],
    ["", fields, undefined],
    ["", [""], ""],
    ["status", [], undefined],
    ["s".repeat(1_000_000), fields, undefined],
    // The nearest of several, and the first of those as near.
    ["abcdef", ["abcxyf", "abcdxf", "abxdef"], "abcdxf"],
  ] as const) {
    const expected = meant === undefined ? "" : `; did you mean "${meant}"?`;
    assert.equal(didYouMean(word, words), expected, word.slice(0, 20));
  }
});
