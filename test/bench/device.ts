/**
 * The floor under every durable write: what the disk takes for fdatasync after an append of 300
 * bytes, a journal record's size, alone and with 64 of them sharing one.
 */

import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { quantile } from "./latencies.ts";

export interface DeviceFloor {
  readonly batch: number;
  readonly appendsPerSecond: number;
  /** Quantiles of one write and its fdatasync, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const recordBytes = 300;

export function measureDevice(folder: string, milliseconds: number): DeviceFloor[] {
  return [1, 64].map((batch) => appendAndSync(join(folder, "device"), batch, milliseconds));
}

function appendAndSync(file: string, batch: number, milliseconds: number): DeviceFloor {
  const bytes = Buffer.alloc(batch * recordBytes, "x");
  const handle = openSync(file, "w");
  const times: number[] = [];
  const start = performance.now();
  for (let now = start; now - start < milliseconds; ) {
    writeSync(handle, bytes);
    fdatasyncSync(handle);
    const after = performance.now();
    times.push(after - now);
    now = after;
  }
  const seconds = (performance.now() - start) / 1000;
  closeSync(handle);
  rmSync(file);
  times.sort((a, b) => a - b);
  return {
    batch,
    appendsPerSecond: (times.length * batch) / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  };
}

/** Whether the folder lies in memory, where a durable write costs nothing and proves nothing. */
export function isInMemory(folder: string): boolean {
  const tmpfs = 0x01021994; // statfs(2), Linux
  return process.platform === "linux" && statfsSync(folder).type === tmpfs;
}
