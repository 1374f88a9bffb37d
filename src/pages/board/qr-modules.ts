/**
 * QR codes (ISO/IEC 18004:2015) in byte mode, error correction level M, versions 1 to 10: up to 213
 * bytes. Terms, names and numbers are the standard's. No canvas, no image: the modules are the
 * result, and a path draws them. The mask is always the same: a scanner reads any, and for links
 * the best of the eight is hardly better.
 */

/** Rows from top to bottom, each from left to right. True is dark. */
type Modules = readonly (readonly boolean[])[];

/** Undefined: a module of the encoding region, for data. */
type Template = (boolean | undefined)[][];

/** Light modules around the symbol, without which a scanner does not find it (clause 5.3.8). */
export const quietZone = 4;

/** Level M by version (table 9): error correction codewords in each block, number of blocks. */
const blockTable: readonly (readonly [perBlock: number, blocks: number])[] = [
  [10, 1], [16, 1], [26, 1], [18, 2], [24, 2], [16, 4], [18, 4], [22, 4], [22, 5], [26, 5],
];

/** The most bytes of a text: those of version 10 (table 7). */
export const qrCapacity = 213;

/** The smallest symbol for a text. Throws RangeError beyond `qrCapacity`. */
export function qrModules(text: string): Modules {
  const bytes = new TextEncoder().encode(text);
  for (const [index, [perBlock, blocks]] of blockTable.entries()) {
    const version = index + 1;
    const template = functionPatterns(version);
    const total = Math.floor(template.flat().filter((module) => module === undefined).length / 8);
    const data = dataCodewords(bytes, version, total - perBlock * blocks);
    if (data === undefined) continue;
    const bits = interleave(data, perBlock, blocks).map((codeword) => binary(codeword, 8)).join("");
    return symbolOf(template, bits);
  }
  throw new RangeError(`expected at most ${qrCapacity} bytes, got ${bytes.length}`);
}

/** The dark modules as an SVG path, a module a unit, a run of them one rectangle. */
export function qrPath(modules: Modules): string {
  return modules.flatMap((row, y) =>
    [...row.map(Number).join("").matchAll(/1+/g)].map(({ index, 0: { length: run } }) =>
      `M${index} ${y}h${run}v1h-${run}z`)).join("");
}

/** Mode, count, bytes, terminator and padding (clause 7.4). Undefined if there is no room. */
function dataCodewords(
  bytes: Uint8Array, version: number, room: number,
): readonly number[] | undefined {
  const count = binary(bytes.length, version < 10 ? 8 : 16);
  // Half a codeword of mode and half of terminator: what is between them are whole codewords.
  const bits = `0100${count}${[...bytes].map((byte) => binary(byte, 8)).join("")}0000`;
  const used = bits.length / 8;
  return used > room ? undefined : Array.from({ length: room }, (_, at) =>
    at < used ? Number.parseInt(bits.slice(8 * at, 8 * at + 8), 2)
      : (at - used) % 2 === 0 ? 0b11101100 : 0b00010001);
}

/** Blocks, the shorter ones first, each with its error correction, interleaved (clause 7.6). */
function interleave(data: readonly number[], perBlock: number, blocks: number): readonly number[] {
  const longer = data.length % blocks;
  const shortLength = Math.floor(data.length / blocks);
  const starts = Array.from({ length: blocks + 1 }, (_, block) =>
    block * shortLength + Math.max(0, block - (blocks - longer)));
  const parts = starts.slice(0, -1).map((start, block) => data.slice(start, starts[block + 1]));
  return [...inTurn(parts), ...inTurn(parts.map((part) => errorCorrection(part, perBlock)))];
}

function inTurn(parts: readonly (readonly number[])[]): readonly number[] {
  const longest = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    parts.flatMap((part) => part[at] ?? [])).flat();
}

/** Reed-Solomon: the remainder of the data, divided by the generator polynomial (clause 7.5.2). */
function errorCorrection(data: readonly number[], degree: number): readonly number[] {
  const [, ...divisor] = generatorPolynomial(degree);
  return data.reduce<readonly number[]>(([first = 0, ...rest], codeword) =>
    [...rest, 0].map((value, at) => value ^ product(divisor[at] ?? 0, first ^ codeword)),
  Array(degree).fill(0));
}

/** (x - 2^0)(x - 2^1)… (annex A). Coefficients from the highest power, which is 1. */
function generatorPolynomial(degree: number): readonly number[] {
  let polynomial = [1];
  let root = 1;
  for (let factors = 0; factors < degree; factors += 1, root = product(root, 2)) {
    polynomial = [...polynomial, 0].map((value, at) =>
      value ^ product(polynomial[at - 1] ?? 0, root));
  }
  return polynomial;
}

/** In the field of 256 elements modulo x^8 + x^4 + x^3 + x^2 + 1, where a sum is `^`. */
function product(a: number, b: number): number {
  let result = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    result = (result << 1) ^ (result >> 7) * 0b100011101 ^ (b >> bit & 1) * a;
  }
  return result;
}

/** Everything that is not data (clause 6.3); the places of format information are taken. */
function functionPatterns(version: number): Template {
  const size = 17 + 4 * version;
  const last = size - 7;
  const template: Template = Array.from({ length: size }, () => Array(size).fill(undefined));
  for (let at = 0; at < size; at += 1) {
    setModule(template, 6, at, at % 2 === 0);
    setModule(template, at, 6, at % 2 === 0);
  }
  // Finder patterns, each with its separator.
  for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]] as const) {
    square(template, row, column, [true, true, false, true, false]);
  }
  const centers = version === 1 ? [] : version < 7 ? [6, last] : [6, (6 + last) / 2, last];
  for (const row of centers) {
    for (const column of centers) {
      // The three corners have finder patterns.
      const isCorner = [row, column].every((center) => center === 6 || center === last);
      if (!isCorner || row === last && column === last) {
        square(template, row, column, [true, false, true]);
      }
    }
  }
  setFormat(template);
  if (version >= 7) setVersion(template, version);
  return template;
}

/** Concentric rings, from the center. */
function square(
  template: Template, row: number, column: number, rings: readonly boolean[],
): void {
  const reach = rings.length - 1;
  for (let down = -reach; down <= reach; down += 1) {
    for (let right = -reach; right <= reach; right += 1) {
      const ring = Math.max(Math.abs(down), Math.abs(right));
      setModule(template, row + down, column + right, rings[ring]);
    }
  }
}

/** Places outside the symbol are ignored: a separator is cut off there. */
function setModule(
  template: Template, row: number, column: number, isDark: boolean | undefined,
): void {
  if (template[row] !== undefined && column in template[row]) template[row][column] = isDark;
}

/** Level M is 00, so the mask alone is the data. Twice, and the dark module (clause 7.9). */
function setFormat(template: Template): void {
  const size = template.length;
  const bits = withRemainder(0b010, 0b10100110111) ^ 0b101010000010010;
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = (bits >> bit & 1) === 1;
    // Column 8 downwards, then row 8 to the left, around the timing patterns.
    if (bit < 8) setModule(template, bit < 6 ? bit : bit + 1, 8, isDark);
    else setModule(template, 8, bit === 8 ? 7 : 14 - bit, isDark);
    if (bit < 8) setModule(template, 8, size - 1 - bit, isDark);
    else setModule(template, size - 15 + bit, 8, isDark);
  }
  setModule(template, size - 8, 8, true);
}

/** Twice, in six rows of three (clause 7.10). */
function setVersion(template: Template, version: number): void {
  const bits = withRemainder(version, 0b1111100100101);
  for (let bit = 0; bit < 18; bit += 1) {
    const [far, near] = [template.length - 11 + bit % 3, Math.floor(bit / 3)];
    const isDark = (bits >> bit & 1) === 1;
    setModule(template, far, near, isDark);
    setModule(template, near, far, isDark);
  }
}

/** A BCH code (annexes C and D): the value, then the remainder of its division. */
function withRemainder(value: number, generator: number): number {
  const shifted = value << 31 - Math.clz32(generator);
  let rest = shifted;
  while (Math.clz32(rest) <= Math.clz32(generator)) {
    rest ^= generator << Math.clz32(generator) - Math.clz32(rest);
  }
  return shifted | rest;
}

/** The data, inverted in every third column: mask 010 (table 10). */
function symbolOf(template: Template, bits: string): Modules {
  const symbol = template.map((row) => [...row]);
  for (const [at, [row, column]] of dataModules(template).entries()) {
    // The last few modules of some versions have no bit.
    setModule(symbol, row, column, (bits[at] === "1") !== (column % 3 === 0));
  }
  return symbol as boolean[][];
}

/** Two columns at a time from the right, up and down in turn (clause 7.7.3). */
function dataModules(template: Template): readonly (readonly [row: number, column: number])[] {
  const rows = [...template.keys()];
  const columns = rows.filter((column) => column !== 6).reverse();
  return columns.flatMap((right, at) => {
    if (at % 2 === 1) return [];
    const isUpward = at % 4 === 0;
    return (isUpward ? rows.toReversed() : rows).flatMap((row) =>
      [[row, right], [row, columns[at + 1] ?? 0]] as const);
  }).filter(([row, column]) => template[row]?.[column] === undefined);
}

function binary(value: number, digits: number): string {
  return value.toString(2).padStart(digits, "0");
}
