/**
 * The one test in JavaScript. Node before 22.18 runs no TypeScript, so there a bare `node --test`
 * finds this file alone, and would pass without a single test.
 */

import { test } from "node:test";

test("this Node runs the tests, which are TypeScript", async () => {
  try {
    await import("./helpers/long.ts");
  } catch (cause) {
    throw new Error("this Node runs no TypeScript by itself: use npm test", { cause });
  }
});
