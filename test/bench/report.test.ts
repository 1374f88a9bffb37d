import assert from "node:assert/strict";
import { test } from "node:test";
import { report, table } from "./report.ts";

test("a table is Markdown with its columns lined up", () => {
  assert.equal(
    table(["workload", "req/s"], [["read", "12,345"], ["list of 50", "9"]]),
    [
      "| workload   |  req/s |",
      "| ---------- | -----: |",
      "| read       | 12,345 |",
      "| list of 50 |      9 |",
    ].join("\n"),
  );
});

test("what is wanted stands beside each figure, with whether it was met", () => {
  const startUp = { emptyMs: 90, ordersMs: 251, memoryAboveNaive: 2 ** 20 };
  assert.equal(
    report({ workloads: [], startUp }),
    [
      "| start                         | measured |  wanted |",
      "| ----------------------------- | -------: | ------: |",
      "| to ready, empty store, ms     |       90 | ≤ 150 ✓ |",
      "| to ready, 10,000 orders, ms   |      251 | ≤ 250 ✗ |",
      "| idle memory above naive's, MB |        1 |  ≤ 20 ✓ |",
    ].join("\n"),
  );
});
