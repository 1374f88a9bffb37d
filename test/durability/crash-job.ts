/**
 * A process of crash-states.test.ts: promises cost less outside the test runner, and there are two
 * processors. Arguments: INDEX PARTS, to try one part of the states.
 */

import { mock } from "node:test";
import { clock } from "./crash-load.ts";
import { CrashSearch } from "./crash-search.ts";

// The load is the same in every process, whenever and however slow. (A mock would note every call
// of performance.now.)
mock.timers.enable({ apis: ["Date"] });
Date.now = () => clock.now;
performance.now = () => 0;
const [part, parts] = process.argv.slice(2).map(Number);
const found = await new CrashSearch(part ?? 0, parts ?? 1).all();
if (found.fault !== undefined) process.exitCode = 1;
process.send?.(found, () => process.disconnect?.());
