/**
 * Rules of the store's design, each broken by one small change of the built code. The attack that
 * is named must find it; otherwise the rule, or the attack, is worth nothing.
 */

export type Mutant = readonly [
  /** Below dist-test/durability. */
  foundBy: "crash-search" | "damage.test" | "failed-fsync.test",
  name: string,
  /** Below dist/store; `from` stands once in it. */
  file: string,
  from: string,
  to: string,
];

export const mutants: readonly Mutant[] = [
  ["crash-search", "a batch is answered without its fsync",
    "writer.js", "await this.file.file.sync();", ""],
  ["crash-search", "a failed write is not cut off",
    "writer.js", "await file.truncate(length);", ""],
  ["crash-search", "the cut of a failed write is not synced",
    "writer.js", "truncate(length);\n            await file.sync();", "truncate(length);"],
  ["crash-search", "after is the number before and not the last synced one",
    "writer.js", "encodeLine(line, after, ", "encodeLine(line, line.seq - 1, "],
  ["failed-fsync.test", "a start trusts an end that is not confirmed",
    "opening.js", "if (!read.isClosed || isShared) {", "if (isShared) {"],
  ["crash-search", "a file gets its name before it is synced",
    "file-system.js", "    await file.sync();\n    return at;", "    return at;"],
  ["crash-search", "a start does not sync the folder after its rename",
    "opening.js", "await syncFolder(files, dirname(path));\n        const { id }", "const { id }"],
  ["crash-search", "an old folder's document goes before the new file has its name",
    "opening.js", "await syncFolder(files, folder);", ""],
  ["crash-search", "a rewrite does not sync the folder after its rename",
    "rewriting.js", "await folder.sync()", "await Promise.resolve()"],
  ["crash-search", "a rewrite leaves out what was written meanwhile",
    "rewriting.js", "await copyOn();\n                const", "const"],
  ["crash-search", "a rewrite that reports a failed rename is given up",
    "rewriting.js", "if (found?.id === newId)", "if (found === undefined)"],
  ["crash-search", "whatever follows a bad line counts",
    "reading.js", "return line.subarray(0, bad.length).equals(bad);", "return true;"],
  ["damage.test", "a bad line is a torn end, whatever a later after says",
    "reading.js", "after > last)", "after < 0)"],
  ["damage.test", "a file that ends among its resources is a smaller shop",
    "reading.js", "if (this.#resources < header.resources)", "if (false)"],
];
