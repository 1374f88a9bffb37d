/**
 * Reads QR codes of level M, written from the tables of ISO/IEC 18004 and not from the encoder, to
 * which it shall be a second opinion. Throws if anything but an exact symbol is there: it corrects
 * no error, so that none is hidden.
 */

import assert from "node:assert/strict";

export type Grid = readonly (readonly boolean[])[];

interface Version {
  readonly alignment: readonly number[];
  readonly errorCorrection: number;
  /** Data codewords of each block. */
  readonly blocks: readonly number[];
}

/** Versions 1 to 10: annex E, table 9. */
const versions: readonly Version[] = [
  { alignment: [], errorCorrection: 10, blocks: [16] },
  { alignment: [6, 18], errorCorrection: 16, blocks: [28] },
  { alignment: [6, 22], errorCorrection: 26, blocks: [44] },
  { alignment: [6, 26], errorCorrection: 18, blocks: [32, 32] },
  { alignment: [6, 30], errorCorrection: 24, blocks: [43, 43] },
  { alignment: [6, 34], errorCorrection: 16, blocks: [27, 27, 27, 27] },
  { alignment: [6, 22, 38], errorCorrection: 18, blocks: [31, 31, 31, 31] },
  { alignment: [6, 24, 42], errorCorrection: 22, blocks: [38, 38, 39, 39] },
  { alignment: [6, 26, 46], errorCorrection: 22, blocks: [36, 36, 36, 37, 37] },
  { alignment: [6, 28, 50], errorCorrection: 26, blocks: [43, 43, 43, 43, 44] },
];

/** Level M with masks 0 to 7 (table C.1), and versions 7 to 10 (table D.1). */
const formats = [0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0];
const versionBits = [0x07c94, 0x085bc, 0x09a99, 0x0a4d3];

const isInverted: readonly ((i: number, j: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => ((i >> 1) + Math.trunc(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2 === 0,
];

export interface Decoded {
  readonly version: number;
  readonly mask: number;
  readonly text: string;
}

export function decodeQr(grid: Grid): Decoded {
  const size = grid.length;
  const version = (size - 17) / 4;
  const layout = versions[version - 1];
  assert.ok(layout !== undefined && grid.every((row) => row.length === size), `${size} modules`);
  checkPatterns(grid, version, layout);
  const mask = readMask(grid);
  const codewords = readCodewords(grid, version, layout, mask);
  return { version, mask, text: readText(dataOf(codewords, layout), version) };
}

const isDark = (grid: Grid, row: number, column: number): boolean => grid[row]?.[column] === true;

/** A pattern as it is drawn in the standard, its first module at that place. */
function checkPattern(grid: Grid, top: number, left: number, picture: string): void {
  for (const [down, line] of picture.split(" ").entries()) {
    const found = [...line].map((_, right) => (isDark(grid, top + down, left + right) ? "#" : "."));
    assert.equal(found.join(""), line, `the pattern at row ${top}, column ${left}`);
  }
}

function checkPatterns(grid: Grid, version: number, { alignment }: Version): void {
  const size = grid.length;
  const finder = "####### #.....# #.###.# #.###.# #.###.# #.....# #######";
  for (const [top, left] of [[0, 0], [0, size - 7], [size - 7, 0]] as const) {
    checkPattern(grid, top, left, finder);
  }
  // Separators.
  checkPattern(grid, 7, 0, "........");
  checkPattern(grid, 7, size - 8, "........");
  checkPattern(grid, size - 8, 0, "........");
  for (const [top, left] of [[0, 7], [0, size - 8], [size - 7, 7]] as const) {
    checkPattern(grid, top, left, ". . . . . . .");
  }
  for (let at = 8; at < size - 8; at += 1) {
    assert.equal(isDark(grid, 6, at), at % 2 === 0, "timing");
    assert.equal(isDark(grid, at, 6), at % 2 === 0, "timing");
  }
  for (const [row, column] of alignmentCenters(alignment)) {
    checkPattern(grid, row - 2, column - 2, "##### #...# #.#.# #...# #####");
  }
  assert.ok(isDark(grid, size - 8, 8), "the dark module");
  if (version < 7) return;
  for (const place of [
    (bit: number) => isDark(grid, Math.floor(bit / 3), size - 11 + (bit % 3)),
    (bit: number) => isDark(grid, size - 11 + (bit % 3), Math.floor(bit / 3)),
  ]) assert.equal(numberOf(18, place), versionBits[version - 7], "version information");
}

function alignmentCenters(alignment: readonly number[]): readonly (readonly [number, number])[] {
  const [first, last] = [alignment[0], alignment.at(-1)];
  return alignment.flatMap((row) => alignment.map((column) => [row, column] as const))
    .filter(([row, column]) => !(row === first && column === first)
      && !(row === first && column === last) && !(row === last && column === first));
}

/** `bitAt(0)` is the lowest. */
function numberOf(bits: number, bitAt: (bit: number) => boolean): number {
  return Array.from({ length: bits }, (_, bit) => (bitAt(bit) ? 2 ** bit : 0))
    .reduce((sum, value) => sum + value);
}

function readMask(grid: Grid): number {
  const size = grid.length;
  // Figure 25: bit 0 is the highest in column 8, and the last of row 8.
  const rows = [0, 1, 2, 3, 4, 5, 7, 8, 8, 8, 8, 8, 8, 8, 8];
  const columns = [8, 8, 8, 8, 8, 8, 8, 8, 7, 5, 4, 3, 2, 1, 0];
  const one = numberOf(15, (bit) => isDark(grid, rows[bit] ?? 0, columns[bit] ?? 0));
  const other = numberOf(15, (bit) =>
    (bit < 8 ? isDark(grid, 8, size - 1 - bit) : isDark(grid, size - 15 + bit, 8)));
  assert.equal(one, other, "both copies of the format information");
  assert.ok(formats.includes(one), `format information ${one.toString(16)}`);
  return formats.indexOf(one);
}

function readCodewords(
  grid: Grid, version: number, { alignment }: Version, mask: number,
): readonly number[] {
  const size = grid.length;
  const isFunction = (row: number, column: number): boolean =>
    row === 6 || column === 6 || (row < 9 && column < 9) || (row < 9 && column >= size - 8)
    || (row >= size - 8 && column < 9)
    || (version >= 7 && Math.min(row, column) < 6 && Math.max(row, column) >= size - 11)
    || alignmentCenters(alignment).some(([top, left]) =>
      Math.abs(row - top) <= 2 && Math.abs(column - left) <= 2);
  const bits: boolean[] = [];
  let row = size - 1;
  let step = -1;
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    for (; row >= 0 && row < size; row += step) {
      for (const column of [right, right - 1]) {
        if (isFunction(row, column)) continue;
        bits.push(isDark(grid, row, column) !== isInverted[mask]?.(row, column));
      }
    }
    step = -step;
    row += step;
  }
  return Array.from({ length: Math.floor(bits.length / 8) }, (_, at) =>
    numberOf(8, (bit) => bits[8 * at + 7 - bit] === true));
}

/** Takes the blocks apart, and checks that each is a codeword of its Reed-Solomon code. */
function dataOf(codewords: readonly number[], { errorCorrection, blocks }: Version): number[] {
  const total = blocks.reduce((sum, one) => sum + one + errorCorrection, 0);
  assert.equal(codewords.length, total, "codewords");
  const parts = blocks.map((): number[] => []);
  const next = codewords.values();
  for (let at = 0; at < Math.max(...blocks); at += 1) {
    for (const [block, length] of blocks.entries()) {
      if (at < length) parts[block]?.push(next.next().value ?? 0);
    }
  }
  const data = parts.flat();
  for (let at = 0; at < errorCorrection; at += 1) {
    for (const part of parts) part.push(next.next().value ?? 0);
  }
  for (const part of parts) {
    for (let power = 0; power < errorCorrection; power += 1) {
      assert.equal(syndrome(part, power), 0, `syndrome ${power}`);
    }
  }
  return data;
}

/** Powers of 2 modulo x^8 + x^4 + x^3 + x^2 + 1, and which power a number is. */
const powers: number[] = [1];
while (powers.length < 255) {
  const double = (powers.at(-1) ?? 0) * 2;
  powers.push(double > 255 ? double ^ 285 : double);
}

/** The block as a polynomial, its first codeword the highest term, at 2^power. */
function syndrome(block: readonly number[], power: number): number {
  return block.reduce((sum, codeword, at) => {
    const exponent = powers.indexOf(codeword) + power * (block.length - 1 - at);
    return codeword === 0 ? sum : sum ^ (powers[exponent % 255] ?? 0);
  }, 0);
}

function readText(data: readonly number[], version: number): string {
  const bits = data.map((codeword) => codeword.toString(2).padStart(8, "0")).join("");
  const countBits = version < 10 ? 8 : 16;
  assert.equal(bits.slice(0, 4), "0100", "byte mode");
  const count = Number.parseInt(bits.slice(4, 4 + countBits), 2);
  const start = 4 + countBits;
  const end = start + 8 * count;
  assert.equal(bits.slice(end, end + 4), "0000", "the terminator");
  const padding = bits.slice(end + 4);
  assert.equal(padding, "1110110000010001".repeat(padding.length).slice(0, padding.length));
  const bytes = Array.from({ length: count }, (_, at) =>
    Number.parseInt(bits.slice(start + 8 * at, start + 8 * at + 8), 2));
  return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
}

/** The modules that a path draws, as the pages draw them: a run in a row is one rectangle. */
export function gridOfPath(path: string, size: number): Grid {
  const grid = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, run, back] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    assert.equal(run, back);
    grid[Number(y)]?.fill(true, Number(x), Number(x) + Number(run));
  }
  return grid;
}
