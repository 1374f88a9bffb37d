/**
 * CONTRACT.md is held: each of its clauses, a table's row, a point of a list or a paragraph, ends
 * with the files of tests that hold it, and whoever cites a part cites one that there is.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./helpers/readme.ts";

const contract = readFileSync(join(root, "test/CONTRACT.md"), "utf8");
const parts = contract.split(/^## /m).slice(1);
const numbers = parts.map((part) => Number(/^(\d+)\. /.exec(part)?.[1]));

/** Of one part. The head of a table is none. */
function clausesOf(part: string): string[] {
  const blocks = part.trim().split("\n\n").slice(1);
  return blocks.flatMap((block) => {
    const lines = block.split("\n");
    if (lines[0]?.startsWith("|")) return lines.slice(2);
    return block.startsWith("- ") ? block.split(/\n(?=- )/) : [block];
  });
}

/** "[api/crud, http/etag]" at the end. */
function filesOf(clause: string): string[] {
  const [, files = ""] = /\[([\w/, -]+)\](?: \|)?$/.exec(clause) ?? [];
  return files.split(", ").filter((file) => file !== "");
}

test("the parts are numbered from 1 on", () => {
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7]);
});

test("every clause names the tests that hold it, and they are there", () => {
  const clauses = parts.flatMap(clausesOf);
  assert.ok(clauses.length > 70, `${clauses.length} clauses`);
  for (const clause of clauses) {
    const files = filesOf(clause);
    assert.notEqual(files.length, 0, `no test holds: ${clause}`);
    const missing = files.filter((file) => !existsSync(join(root, `test/${file}.test.ts`)));
    assert.deepEqual(missing, [], clause);
  }
});

test("every part of the contract that src or a test cites is there", () => {
  let citations = 0;
  for (const folder of ["src", "test"]) {
    const names = readdirSync(join(root, folder), { recursive: true }).map(String);
    for (const name of names.filter((one) => one.endsWith(".ts"))) {
      // A comment may break the line in the middle of it.
      const text = readFileSync(join(root, folder, name), "utf8").replaceAll(/\n *\* ?/g, " ");
      for (const [, cited = ""] of text.matchAll(/\bcontract parts? (\d+(?:(?:, | and )\d+)*)/gi)) {
        citations += 1;
        const wrong = cited.split(/\D+/).filter((number) => !numbers.includes(Number(number)));
        assert.deepEqual(wrong, [], `${folder}/${name}`);
      }
    }
  }
  assert.ok(citations > 50, `${citations} citations`);
});
