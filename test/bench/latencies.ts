/** Collects durations cheaply while a load runs, and ranks them after it. */

/** The value at rank `share` (0 to 1) of ascending values, nearest rank; 0 when there are none. */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const rank = Math.ceil(share * ascending.length) - 1;
  return ascending[Math.max(0, rank)] ?? 0;
}

/** The middle value, or the mean of the two middle ones; 0 of nothing. */
export function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b);
  const half = ascending.length >> 1;
  const upper = ascending[half] ?? 0;
  return ascending.length % 2 === 1 ? upper : (upper + (ascending[half - 1] ?? 0)) / 2;
}

export class Latencies {
  // A typed array that doubles: a plain array of a million doubles would be copied by the
  // collector while the load runs, and show up in the p99 it is there to measure.
  #values: Float64Array = new Float64Array(1 << 16);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(milliseconds: number): void {
    if (this.#count === this.#values.length) this.#grow();
    this.#values[this.#count++] = milliseconds;
  }

  addAll(other: Latencies): void {
    for (let i = 0; i < other.#count; i++) this.add(other.#values[i] ?? 0);
  }

  ascending(): Float64Array {
    return this.#values.slice(0, this.#count).sort();
  }

  #grow(): void {
    const larger = new Float64Array(this.#values.length * 2);
    larger.set(this.#values);
    this.#values = larger;
  }
}
