import assert from "node:assert/strict";
import { test } from "node:test";
import { parseOptions, usage } from "./options.ts";

const parts = ["read-one", "growth"];

test("without options everything runs, at length", () => {
  assert.deepEqual(parseOptions([], parts), {
    quick: false, only: [], jsonFile: "bench-result.json", help: false,
  });
});

test("--quick, --only and --json are understood together", () => {
  const args = ["--quick", "--only", "growth", "--only", "read-one", "--json", "a.json"];
  assert.deepEqual(parseOptions(args, parts), {
    quick: true, only: ["growth", "read-one"], jsonFile: "a.json", help: false,
  });
});

test("a part that does not exist is refused with those that do", () => {
  assert.throws(() => parseOptions(["--only", "reads"], parts), {
    message: "--only: expected one of read-one, growth, got reads",
  });
});

test("an option that does not exist is refused", () => {
  assert.throws(() => parseOptions(["--fast"], parts), { code: "ERR_PARSE_ARGS_UNKNOWN_OPTION" });
});

test("the usage names every part", () => {
  for (const part of parts) assert.ok(usage(parts).includes(part));
});
