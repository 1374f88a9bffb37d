import assert from "node:assert/strict";
import { test } from "node:test";
import { isoTime, jsonString } from "../../dist/log/json-text.js";

test("a string becomes the JSON that JSON.stringify makes of it, whatever it holds", () => {
  const texts = ["", "Basil", "a b", '"', "\\", "a\nb", "\0", "\u007f", "Jalapeño", "🍕", "\ud800", "\u2028"];
  for (let code = 0; code < 0x100; code += 1) texts.push(`x${String.fromCharCode(code)}y`);
  for (const text of texts) assert.equal(jsonString(text), JSON.stringify(text));
});

test("a time is Date.toISOString of it, asked for in any order", () => {
  const times = [0, 0, 1, 1_800_000_000_000, 1_800_000_000_000, 1_799_999_999_999, -1, 1];
  for (const ms of times) assert.equal(isoTime(ms), new Date(ms).toISOString());
});
