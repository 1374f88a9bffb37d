/** The QR codes of the pages, read back by a decoder that shares nothing with the encoder. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { tsImport } from "tsx/esm/api";
import { decodeQr, type Grid, gridOfPath } from "./qr-decoder.ts";

interface Qr {
  qrModules(text: string): Grid;
  qrPath(modules: Grid): string;
}

const { qrModules, qrPath }: Qr =
  await tsImport("../../src/pages/shared/qr.ts", import.meta.url);

/** The longest text of each version, in bytes (ISO/IEC 18004, table 7). */
const capacities = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213];

/** A text of so many bytes, different for each length. */
function textOf(bytes: number): string {
  const letters = Array.from({ length: bytes }, (_, at) =>
    String.fromCharCode(33 + (at * at * 31 + bytes * 17 + at) % 94));
  return letters.join("");
}

test("a text is read back, from the smallest version that holds it", () => {
  const lengths = capacities.flatMap((most) => [most - 1, most, most + 1]);
  for (const bytes of [0, ...lengths.slice(0, -1)]) {
    const text = textOf(bytes);
    const { mask: _, ...rest } = decodeQr(qrModules(text));
    const version = 1 + capacities.findIndex((most) => bytes <= most);
    assert.deepEqual(rest, { version, text });
  }
});

test("letters beyond ASCII are read back as UTF-8", () => {
  const text = "https://forno.example/?for=طاولة 7, Müller, 🍕";
  assert.equal(decodeQr(qrModules(text)).text, text);
});

test("a text that is too long is refused with its length", () => {
  assert.throws(() => qrModules("é".repeat(107)),
    { name: "RangeError", message: "expected at most 213 bytes, got 214" });
});

test("the mask is the one that is easiest to scan", () => {
  // As qrcodegen 1.8 chooses them, an encoder that looks at a few more patterns.
  for (const [mask, text] of [
    "Table 2", "h", "Table 3", "Table 34", "Table 5", "https://forno.exampl", "Table 7",
    "Table 29",
  ].entries()) assert.equal(decodeQr(qrModules(text)).mask, mask, text);
});

test("the path draws the dark modules and no other", () => {
  const grid = qrModules("Table 7");
  assert.deepEqual(gridOfPath(qrPath(grid), grid.length), grid);
});
