/** A process of crash-states.test.ts: examines its part of the states, and sends what it found. */

import { mock } from "node:test";
import { CrashSearch } from "./crash-search.ts";

const [part, parts] = process.argv.slice(2).map(Number);
mock.timers.enable({ apis: ["setTimeout"] });
// The load is the same in every process, however slow.
mock.method(performance, "now", () => 0);
const found = await new CrashSearch(part ?? 0, parts ?? 1).all();
process.send?.(found, () => process.disconnect?.());
