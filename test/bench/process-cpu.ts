/**
 * CPU time and memory of another process, from outside, so that every server is measured by the
 * same means: /proc where it is there (Linux), else ps.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const hasProc = existsSync("/proc/self/stat");

/** proc(5): the unit of utime and stime. 100 a second on every architecture Node runs on. */
const microsPerTick = 10_000;

/** User and system time of all threads so far, in microseconds. */
export function cpuMicros(pid: number): number {
  return hasProc ? cpuFromProc(pid) : parseCpuTime(ps(pid, "time")) * 1e6;
}

/** The same of its first thread alone, which is where JavaScript runs, where Linux tells it. */
export function mainThreadMicros(pid: number): number {
  if (!hasProc) return cpuMicros(pid);
  return Number(readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ")[0]) / 1_000;
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  if (!hasProc) return Number(ps(pid, "rss")) * 1024;
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function cpuFromProc(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The second field is the program's name in brackets and may hold spaces and brackets itself;
  // after it come the fields from the third on, of which utime and stime are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * microsPerTick;
}

function ps(pid: number, column: string): string {
  return execFileSync("ps", ["-o", `${column}=`, "-p", String(pid)], { encoding: "utf8" }).trim();
}

/** Seconds of ps's `[[dd-]hh:]mm:ss[.cc]`. */
export function parseCpuTime(text: string): number {
  const [clock = "", days = "0"] = text.split("-").reverse();
  const seconds = clock.split(":").reduce((total, part) => total * 60 + Number(part), 0);
  return Number(days) * 86_400 + seconds;
}
