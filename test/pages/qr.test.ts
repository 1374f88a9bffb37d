/**
 * The QR codes of the pages are those of another encoder, to the module: qrcodegen 1.8 in Python,
 * `encode_segments([make_bytes(text)], MEDIUM, mask=2, boostecl=False)`.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { qrModules, qrPath } from "./qr.ts";

/** A digest of the modules, a 1 or a 0 for each. */
function digestOf(text: string): string {
  const bits = qrModules(text).flat().map(Number).join("");
  return createHash("sha256").update(bits).digest("hex").slice(0, 12);
}

/** A text of so many bytes, whose blocks differ. */
function textOf(bytes: number, step: number): string {
  const letters = Array.from({ length: bytes }, (_, at) =>
    String.fromCharCode(33 + (at * at * 31 + at * step) % 94));
  return letters.join("");
}

for (const [index, [bytes, step, digest]] of ([
  [14, 1, "d3f5028dc64f"],
  [26, 1, "fef08aa7841c"],
  [42, 0, "0dbcc27af5e3"],
  [62, 0, "6e6bfe519ba8"],
  [84, 0, "3cdd74401c14"],
  [106, 0, "5fe7dc8ff9dd"],
  [122, 0, "bbfee9083981"],
  [152, 1, "996b3e76371d"],
  [180, 1, "9aa4e3acf116"],
  [213, 0, "bb013e583896"],
] as const).entries()) {
  test(`a text of ${bytes} bytes fills a code of version ${index + 1}, and no more does`, () => {
    assert.equal(digestOf(textOf(bytes, step)), digest);
    if (bytes < 213) assert.equal(qrModules("x".repeat(bytes + 1)).length, 21 + 4 * (index + 1));
  });
}

test("a text that is too long is refused with its length", () => {
  assert.throws(() => qrModules("é".repeat(107)),
    { name: "RangeError", message: "expected at most 213 bytes, got 214" });
});

test("letters are UTF-8", () => {
  assert.equal(digestOf("https://forno.example/?for=طاولة 7, Müller, 🍕"), "da3c6f775ea7");
});

test("the path draws the dark modules and no other", () => {
  const modules = qrModules("Table 7");
  const drawn = modules.map((row) => row.map(() => false));
  for (const [, x, y, run, back] of qrPath(modules).matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    assert.equal(run, back);
    drawn[Number(y)]?.fill(true, Number(x), Number(x) + Number(run));
  }
  assert.deepEqual(drawn, modules);
});
