/** The code and the message of anything that was thrown. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { codeOf, messageOf } from "../../dist/log/system-error.js";

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
}

test("an error of a system call has its code and its message", () => {
  const error = thrownBy(() => readFileSync("/no/such/file"));
  assert.equal(codeOf(error), "ENOENT");
  assert.match(messageOf(error), /^ENOENT: no such file/);
});

test("any other error has no code, and what is no error is its own message", () => {
  assert.deepEqual([codeOf(new Error("odd")), messageOf(new Error("odd"))], [undefined, "odd"]);
  for (const odd of ["odd", null, undefined, 1, { code: "EIO" }]) {
    assert.deepEqual([codeOf(odd), messageOf(odd)], [undefined, String(odd)]);
  }
});
