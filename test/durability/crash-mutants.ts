/**
 * Rules of the store's design, each broken by one small change of the code. The attack that
 * is named must find it; otherwise the rule, or the attack, is worth nothing.
 */

export type Mutant = readonly [
  /** Below test/durability. */
  foundBy: "crash-search" | "damage.test" | "failed-fsync.test",
  name: string,
  /** Below src/store; `from` stands once in it. */
  file: string,
  from: string,
  to: string,
];

export const mutants: readonly Mutant[] = [
  ["crash-search", "a batch is answered without its fsync",
    "writer.ts", "await this.file.file.sync();", ""],
  ["crash-search", "a failed write is not cut off",
    "writer.ts", "await file.truncate(length);", ""],
  ["crash-search", "the cut of a failed write is not synced",
    "writer.ts", "truncate(length);\n      await file.sync();", "truncate(length);"],
  ["crash-search", "after is the number before and not the last synced one",
    "writer.ts", "encodeLine(line, after, ", "encodeLine(line, line.seq - 1, "],
  ["failed-fsync.test", "a start trusts an end that is not confirmed",
    "opening.ts", "if (!read.isClosed || isShared) {", "if (isShared) {"],
  ["crash-search", "a file gets its name before it is synced",
    "file-system.ts", "  await file.sync();\n  return at;", "  return at;"],
  ["crash-search", "a start does not sync the folder after its rename",
    "opening.ts", "await syncFolder(files, dirname(path));\n    const { id }", "const { id }"],
  ["crash-search", "an old folder's document goes before the new file has its name",
    "opening.ts", "await syncFolder(files, folder);", ""],
  ["crash-search", "a rewrite does not sync the folder after its rename",
    "rewriting.ts", "await folder.sync()", "await Promise.resolve()"],
  ["crash-search", "a rewrite leaves out what was written meanwhile",
    "rewriting.ts", "await copyOn();\n        const", "const"],
  ["crash-search", "a rewrite that reports a failed rename is given up",
    "rewriting.ts", "if (found?.id === newId)", "if (found === undefined)"],
  ["crash-search", "whatever follows a bad line counts",
    "reading.ts", "return line.subarray(0, bad.length).equals(bad);", "return true;"],
  ["damage.test", "a bad line is a torn end, whatever a later after says",
    "reading.ts", "after > last)", "after < 0)"],
  ["damage.test", "a file that ends among its resources is a smaller shop",
    "reading.ts", "if (this.#resources < header.resources)", "if (false)"],
];
