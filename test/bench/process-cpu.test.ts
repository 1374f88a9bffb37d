import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuMicros, parseCpuTime, residentBytes } from "./process-cpu.ts";

test("ps's CPU times are read in all their forms", () => {
  const cases: [string, number][] = [
    ["00:00:07", 7], ["0:01.25", 1.25], ["1:02:03", 3723], ["2-00:00:01", 172_801],
  ];
  for (const [text, seconds] of cases) assert.equal(parseCpuTime(text), seconds, text);
});

test("CPU time and memory of a process are what it says of itself", () => {
  const { user, system } = process.cpuUsage();
  const measured = cpuMicros(process.pid);
  // ps counts whole seconds in places, /proc hundredths.
  assert.ok(Math.abs(measured - user - system) < 1_500_000, `${measured} of ${user + system}`);
  assert.ok(residentBytes(process.pid) > 10 * 2 ** 20);
});
