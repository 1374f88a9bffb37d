/**
 * Rules of the store's design, each broken by one small change of the code. The attack that
 * is named must find it; otherwise the rule, or the attack, is worth nothing.
 */

export type Mutant = readonly [
  /** Below test, without its ending. */
  foundBy:
    | `durability/${"crash-search" | "damage.test" | "failing-calls.test" | "moved-folder.test"}`
    | `store/${"file-system.test" | "store.test"}`,
  name: string,
  /** Below src/store; `from` stands once in it. */
  file: string,
  from: string,
  to: string,
];

const search = "durability/crash-search";

export const mutants: readonly Mutant[] = [
  ["store/file-system.test", "a write does not wait for the disk",
    "file-system.ts", "O_RDWR | O_APPEND | O_DSYNC", "O_RDWR | O_APPEND"],
  [search, "a batch is answered before it is written",
    "writer.ts", "const failure = await this.#write(bytes);",
    "const failure = void this.#write(bytes);"],
  ["durability/failing-calls.test", "the rest of a short write is written after it",
    "writer.ts", "const count = await file.write(bytes);",
    `let count = await file.write(bytes);
      if (count < bytes.length) count += await file.write(bytes.subarray(count));`],
  ["durability/failing-calls.test", "writes go on after any failed write",
    "writer.ts", "if (isOutOfSpace(cause)) return cause;", "return cause;"],
  [search, "a failed write is not cut off",
    "writer.ts", "await file.truncate(length);", ""],
  [search, "the cut of a failed write is not synced",
    "writer.ts", "truncate(length);\n        await file.sync();", "truncate(length);"],
  ["store/store.test", "writes go on after a failed sync",
    "writer.ts", "return cause;\n      this.#refuse(syncFailed(cause));", "return cause;"],
  [search, "after is the number before and not the last synced one",
    "writer.ts", "data: dataOf(change), kept }, after)", "data: dataOf(change), kept }, seq - 1)"],
  ["durability/moved-folder.test", "nobody looks at the length after a write",
    "writer.ts", "size !== length + bytes.length", "size < 0"],
  ["durability/moved-folder.test", "the cut of a failed write lengthens a file that was cut",
    "writer.ts", "if (size >= length)", "if (size >= 0)"],
  ["durability/moved-folder.test", "nobody looks at the path",
    "writer.ts", "await this.#checkPath();", ""],
  [search, "a file gets its name before it is synced",
    "file-system.ts", "await fresh.sync();", ""],
  ["durability/moved-folder.test", "a start replaces a file that it has not read",
    "file-system.ts", "await check?.();", ""],
  [search, "a start does not sync the folder after its rename",
    "file-system.ts", "await files.syncFolder(dirname(path));\n    return file;", "return file;"],
  [search, "a start goes on in a file that it has read whole, and syncs it",
    "opening.ts", "const file = await writeFresh(files, path, source, content);",
    `const { StoreFile } = await import("./store-file.ts");
    await files.remove(path + ".tmp").catch(() => {});
    const isWhole = source?.size === content.bytes();
    const same = isWhole ? await files.open(path) : undefined;
    await same?.sync();
    const file = same === undefined ? await writeFresh(files, path, source, content)
      : new StoreFile(same, await same.stat());`],
  [search, "a start copies the torn end too",
    "fresh-file.ts", "yield piece.subarray(0, end - read)", "yield piece"],
  ["store/store.test", "the two readings of a start are not compared",
    "fresh-file.ts", "if (crcAgain === crc) return;", "return;"],
  ["store/store.test", "a new header has a number that was used",
    "opening.ts", "Math.max(Date.now(), last + 1, ", "Math.max(Date.now(), last, "],
  [search, "whatever follows a bad line counts",
    "reading.ts", "this.#bad !== undefined || typeof", "typeof"],
  ["durability/damage.test", "a bad line is a torn end, whatever a later after says",
    "reading.ts", "(decoded.after ?? 0) > this.#history.last", "false"],
  ["durability/damage.test", "every bad line at the end is a torn end",
    "reading.ts", "!isTorn(line, start)", "false"],
  ["durability/damage.test", "a single zero is a lost sector",
    "reading.ts", " && (bytes[end - 2] ?? 0) === 0", ""],
  [search, "a lost sector is damage",
    "reading.ts", "if (bytes[end - 1] === 0 &&", "if (bytes[end - 1] === 1 &&"],
  ["durability/damage.test", "a file that ends among its resources is a smaller shop",
    "reading.ts", "if (this.#count < header.resources)", "if (false)"],
];
