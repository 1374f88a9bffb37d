/**
 * Rules of the store's design, each broken by one small change of the built code. The attack that
 * is named must find it; otherwise the rule, or the attack, is worth nothing.
 */

export interface Mutant {
  readonly name: string;
  /** Below dist/store. */
  readonly file: string;
  /** Stands once in the file. */
  readonly from: string;
  readonly to: string;
  /** Below dist-test/durability. */
  readonly foundBy: "crash-search.js" | "damage.test.js" | "failed-fsync.test.js";
}

const search = { foundBy: "crash-search.js" } as const;
const damage = { foundBy: "damage.test.js" } as const;

export const mutants: readonly Mutant[] = [
  {
    name: "a batch is answered without its fsync",
    file: "writer.js",
    from: "await this.file.file.sync();",
    to: "",
    ...search,
  },
  {
    name: "a failed write is not cut off",
    file: "writer.js",
    from: "await file.truncate(length);",
    to: "",
    ...search,
  },
  {
    name: "the cut of a failed write is not synced",
    file: "writer.js",
    from: "truncate(length);\n            await file.sync();",
    to: "truncate(length);",
    ...search,
  },
  {
    name: "after is the number before and not the last synced one",
    file: "writer.js",
    from: "encodeLine(line, after, memory, length)",
    to: "encodeLine(line, line.seq - 1, memory, length)",
    ...search,
  },
  {
    name: "a start trusts an end that is not confirmed",
    file: "opening.js",
    from: "if (!read.isClosed || isShared) {",
    to: "if (isShared) {",
    foundBy: "failed-fsync.test.js",
  },
  {
    name: "a file gets its name before it is synced",
    file: "file-system.js",
    from: "    await file.sync();\n    return at;",
    to: "    return at;",
    ...search,
  },
  {
    name: "a start does not sync the folder after its rename",
    file: "opening.js",
    from: "await syncFolder(files, dirname(path));\n        const { id }",
    to: "const { id }",
    ...search,
  },
  {
    name: "an old folder's document goes before the new file has its name",
    file: "opening.js",
    from: "await syncFolder(files, folder);",
    to: "",
    ...search,
  },
  {
    name: "a rewrite does not sync the folder after its rename",
    file: "rewriting.js",
    from: "await folder.sync()",
    to: "await Promise.resolve()",
    ...search,
  },
  {
    name: "a rewrite leaves out what was written meanwhile",
    file: "rewriting.js",
    from: "await copyOn();\n                const",
    to: "const",
    ...search,
  },
  {
    name: "a rewrite that reports a failed rename is given up",
    file: "rewriting.js",
    from: "if (found?.id === newId)",
    to: "if (found === undefined)",
    ...search,
  },
  {
    name: "whatever follows a bad line counts",
    file: "reading.js",
    from: "return line.subarray(0, bad.length).equals(bad);",
    to: "return true;",
    ...search,
  },
  {
    name: "a bad line is a torn end, whatever a later after says",
    file: "reading.js",
    from: "after > last)",
    to: "after < 0)",
    ...damage,
  },
  {
    name: "a file that ends among its resources is a smaller shop",
    file: "reading.js",
    from: "if (this.#resources < header.resources)",
    to: "if (false)",
    ...damage,
  },
];
