/** The levels of the log. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogOptions } from "../../dist/log/log.js";
import { record } from "../helpers/recorded-log.ts";

const levels = ["debug", "info", "error"] as const;

test("only lines of the level and above are written, and enabled says so beforehand", (t) => {
  const written = { debug: ["debug", "info", "error"], info: ["info", "error"], error: ["error"] };
  for (const [level, expected] of Object.entries({ ...written, silent: [] })) {
    const { log, text } = record(t, { level: level as LogOptions["level"] });
    for (const of of levels) log[of]("a line");
    assert.deepEqual(text().match(/(?<="level":")\w+/g) ?? [], expected);
    assert.deepEqual(levels.filter((of) => log.enabled(of)), expected);
  }
});
