/**
 * Metrics as Prometheus reads them: text format 0.0.4, a family of samples after its HELP and TYPE.
 * Names end in their base unit, counters in `_total`.
 */

import { type Histogram, latencyBounds } from "../http/metrics.ts";

export const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** They tell a sample from the others of its family. */
export type Labels = Readonly<Record<string, string>>;

/** A number where there are no labels. */
export type Samples = number | readonly (readonly [labels: Labels, value: number])[];

/** What is measured. Counters only rise. */
export type Family =
  | readonly [name: string, type: "counter" | "gauge", help: string, samples: Samples]
  | readonly [
      name: string,
      type: "histogram",
      help: string,
      series: readonly (readonly [labels: Labels, histogram: Histogram])[],
    ];

/** All of them as text, in their order. */
export function exposition(families: readonly Family[]): string {
  return families.map(familyText).join("");
}

function familyText([name, type, help, values]: Family): string {
  const head = `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n`;
  if (typeof values === "number") return head + sample(name, {}, values);
  const samples = values.map(([labels, value]) =>
    typeof value === "number" ? sample(name, labels, value) : histogram(name, labels, value));
  return head + samples.join("");
}

/** Buckets count all that lies at or below their bound, those of smaller bounds too. */
function histogram(name: string, labels: Labels, { counts, sum }: Histogram): string {
  let count = 0;
  const buckets = [...latencyBounds, Infinity].map((bound, index) => {
    count += counts[index] ?? 0;
    return sample(`${name}_bucket`, { ...labels, le: numberText(bound) }, count);
  });
  const total = sample(`${name}_sum`, labels, sum) + sample(`${name}_count`, labels, count);
  return buckets.join("") + total;
}

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escape(text).replaceAll('"', '\\"')}"`,
  );
  const list = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
  return `${name}${list} ${numberText(value)}\n`;
}

/** What a line of the format cannot hold as it is. */
function escape(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  return value === Infinity ? "+Inf" : String(value);
}
