/** Prometheus's text format 0.0.4. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { exposition } from "../../dist/api/exposition.js";
import { Histogram } from "../../dist/http/metrics.js";

test("a family is its HELP, its TYPE and its samples", () => {
  const requests = [
    [{ method: "GET", status: "200" }, 7],
    [{ method: "PUT", status: "412" }, 0.5],
  ] as const;
  assert.equal(
    exposition([
      ["forno_event_streams", "gauge", "Open streams.", 3],
      ["forno_requests_total", "counter", "Requests.", requests],
    ]),
    `# HELP forno_event_streams Open streams.
# TYPE forno_event_streams gauge
forno_event_streams 3
# HELP forno_requests_total Requests.
# TYPE forno_requests_total counter
forno_requests_total{method="GET",status="200"} 7
forno_requests_total{method="PUT",status="412"} 0.5
`,
  );
});

test("backslashes, quotes and line ends cannot break out of a label or a help text", () => {
  assert.equal(
    exposition([["x", "gauge", 'one\\two\n"three"', [[{ label: 'a"b\\c\nd' }, 1]]]]),
    '# HELP x one\\\\two\\n"three"\n# TYPE x gauge\nx{label="a\\"b\\\\c\\nd"} 1\n',
  );
});

test("numbers that JSON cannot write are spelled as Prometheus reads them", () => {
  const samples = [
    [{ of: "a" }, Infinity],
    [{ of: "c" }, NaN],
    [{ of: "d" }, 1e-7],
  ] as const;
  const values = exposition([["x", "gauge", "X.", samples]]).trimEnd().split("\n").slice(2);
  assert.deepEqual(
    values.map((line) => line.split(" ")[1]),
    ["+Inf", "NaN", "1e-7"],
  );
});

test("the buckets of a histogram add up, and the last one is the count", () => {
  const histogram = new Histogram();
  for (const seconds of [0.0005, 0.0005, 0.3, 99]) histogram.observe(seconds);
  const text = exposition([["x_seconds", "histogram", "X.", [[{ route: "/" }, histogram]]]]);
  const [, type, ...lines] = text.trimEnd().split("\n");
  assert.equal(type, "# TYPE x_seconds histogram");
  const values = new Map(lines.map((line) => line.split(" ") as [string, string]));
  const bucket = (bound: string): string | undefined =>
    values.get(`x_seconds_bucket{route="/",le="${bound}"}`);
  assert.deepEqual(["0.0001", "0.00025", "0.0005", "0.25", "0.5", "10", "+Inf"].map(bucket), [
    "0",
    "0",
    "2",
    "2",
    "3",
    "3",
    "4",
  ]);
  assert.equal(values.get('x_seconds_sum{route="/"}'), "99.301");
  assert.equal(values.get('x_seconds_count{route="/"}'), "4");
});
