import assert from "node:assert/strict";
import { test } from "node:test";
import { Latencies, median, quantile } from "./latencies.ts";
import type { LoadResult } from "./load-job.ts";
import { interleave, summarize } from "./rounds.ts";

function result(perSecond: number, cpuMicros: number): LoadResult {
  return {
    requests: 1, perSecond, cpuMicros, p50: 1, p99: 2, readP99: 2, firstByteP50: 1,
    generatorBusy: 0.5,
  };
}

test("every contender runs once in every round, and each is first in its turn", async () => {
  const runs: string[] = [];
  const contenders = [{ name: "a" }, { name: "b" }, { name: "c" }];
  await interleave(contenders, 4, async ({ name }, round) => {
    runs.push(`${round}${name}`);
    return result(1, 1);
  });
  const expected = ["0a", "0b", "0c", "1b", "1c", "1a", "2c", "2a", "2b", "3a", "3b", "3c"];
  assert.deepEqual(runs, expected);
});

test("a ratio is the median of the ratios within the rounds", () => {
  // The machine is half as fast in the second round, for both: the ratio does not notice.
  const rounds = new Map([
    ["forno", [result(200, 5), result(100, 10), result(220, 5)]],
    ["naive", [result(100, 10), result(50, 20), result(100, 10)]],
  ]);
  const [forno, naive] = summarize(rounds, "naive");
  assert.deepEqual(
    [forno?.perSecond, forno?.throughputRatio, forno?.cpuRatio], [200, 2, 0.5],
  );
  assert.deepEqual([naive?.throughputRatio, naive?.cpuRatio], [1, 1]);
});

test("a quantile is the value of its nearest rank", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  const cases: [number[], number, number][] = [
    [hundred, 0.5, 50], [hundred, 0.99, 99], [hundred, 1, 100], [hundred, 0, 1],
    [[7], 0.99, 7], [[], 0.5, 0],
  ];
  for (const [values, share, expected] of cases) {
    assert.equal(quantile(values, share), expected);
  }
});

test("a median is the middle, or between the two middle ones", () => {
  const cases: [number[], number][] = [
    [[3, 1, 2], 2], [[4, 1, 2, 3], 2.5], [[10, 9], 9.5], [[], 0],
  ];
  for (const [values, expected] of cases) assert.equal(median(values), expected);
});

test("latencies keep every value, however many there are", () => {
  const latencies = new Latencies();
  for (let value = 200_000; value > 0; value--) latencies.add(value);
  const more = new Latencies();
  more.add(0);
  latencies.addAll(more);
  const ascending = latencies.ascending();
  assert.deepEqual([latencies.count, ascending[0], ascending.at(-1)], [200_001, 0, 200_000]);
});

test("a round in which the measure shows no CPU time at all gives no ratio", () => {
  const rounds = new Map([
    ["forno", [result(200, 5), result(200, 5)]],
    ["naive", [result(100, 0), result(100, 10)]],
  ]);
  assert.equal(summarize(rounds, "naive")[0]?.cpuRatio, 0.5);
});
