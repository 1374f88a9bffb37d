/** The only test that `node --test` finds in a clone that is not built: it says what to run. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";

test("the tests are built", () => {
  const isBuilt = existsSync(new URL("../dist-test/format.test.js", import.meta.url));
  assert.ok(isBuilt, "the tests are not built: run npm run build:test, or npm test");
});
