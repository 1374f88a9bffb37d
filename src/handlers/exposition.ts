/**
 * Metrics as Prometheus reads them: text format 0.0.4, a family of samples after its HELP and TYPE.
 * Names end in their base unit, counters in `_total`.
 */

import { type Histogram, latencyBounds } from "../metrics.ts";

export const contentType = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = Readonly<Record<string, string>>;

/** Labels that tell a sample from the others of its family, and its value. */
export type Sample = readonly [labels: Labels, value: number];

/** Collects metrics, and is the text of them. */
export class Exposition {
  #text = "";

  /** A value that only rises. `samples`: one number, where there are no labels. */
  counter(name: string, help: string, samples: number | readonly Sample[]): void {
    this.#family(name, "counter", help);
    this.#samples(name, samples);
  }

  gauge(name: string, help: string, samples: number | readonly Sample[]): void {
    this.#family(name, "gauge", help);
    this.#samples(name, samples);
  }

  /** Buckets count all that lies at or below their bound, those of smaller bounds too. */
  histogram(name: string, help: string, series: readonly (readonly [Labels, Histogram])[]): void {
    this.#family(name, "histogram", help);
    for (const [labels, { counts, sum }] of series) {
      let count = 0;
      for (const [index, bound] of [...latencyBounds, Infinity].entries()) {
        count += counts[index] ?? 0;
        this.#sample(`${name}_bucket`, { ...labels, le: numberText(bound) }, count);
      }
      this.#sample(`${name}_sum`, labels, sum);
      this.#sample(`${name}_count`, labels, count);
    }
  }

  toString(): string {
    return this.#text;
  }

  #family(name: string, type: string, help: string): void {
    this.#text += `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n`;
  }

  #samples(name: string, samples: number | readonly Sample[]): void {
    const all: readonly Sample[] = typeof samples === "number" ? [[{}, samples]] : samples;
    for (const [labels, value] of all) this.#sample(name, labels, value);
  }

  #sample(name: string, labels: Labels, value: number): void {
    const pairs = Object.entries(labels).map(
      ([label, text]) => `${label}="${escape(text).replaceAll('"', '\\"')}"`,
    );
    const list = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
    this.#text += `${name}${list} ${numberText(value)}\n`;
  }
}

/** What a line of the format cannot hold as it is. */
function escape(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  return value === Infinity ? "+Inf" : String(value);
}
