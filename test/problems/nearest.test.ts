import assert from "node:assert/strict";
import test from "node:test";
import { didYouMean } from "../../dist/problems/nearest.js";

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
