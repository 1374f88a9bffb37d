/**
 * A process of crash-states.test.ts, outside of which promises cost less, and there are two
 * processors: tries part `index` of `parts` of the states or, with "mutants", goes through these.
 */

import { mock } from "node:test";
import { mutants } from "./crash-mutants.ts";
import { CrashSearch, type Found } from "./crash-search.ts";

const [what, parts] = process.argv.slice(2);
// The load is the same in every process, whenever and however slow. (A mock would note every call
// of performance.now.)
mock.timers.enable({ apis: ["setTimeout", "Date"] });
performance.now = () => 0;
const found: Found[] = [];
if (what === "mutants") {
  for (const mutant of mutants) found.push(await new CrashSearch(0, 1).with(mutant));
} else {
  found.push(await new CrashSearch(Number(what), Number(parts)).all());
}
process.send?.(found, () => process.disconnect?.());
