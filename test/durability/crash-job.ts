/**
 * A process of crash-states.test.ts: promises cost less outside the test runner, and there are two
 * processors. Arguments: "INDEX PARTS" tries one part of the states, "mutants" tries each mutant.
 */

import { mock } from "node:test";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { mutants } from "./crash-mutants.ts";
import { CrashSearch, type Found } from "./crash-search.ts";

const [what, parts] = process.argv.slice(2);
// The load is the same in every process, whenever and however slow. (A mock would note every call
// of performance.now.)
const timers = new FakeTimers();
timers.install();
mock.timers.enable({ apis: ["Date"] });
performance.now = () => 0;
const found: Found[] = [];
if (what === "mutants") {
  for (const mutant of mutants) found.push(await new CrashSearch(timers, 0, 1).with(mutant));
} else {
  found.push(await new CrashSearch(timers, Number(what), Number(parts)).all());
}
process.send?.(found, () => process.disconnect?.());
