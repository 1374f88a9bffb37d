/**
 * What the bench asks of its load generator and what it hears back, over the IPC channel between
 * the two processes. Types only.
 */

/** Reads and writes are timed apart: in a mix the slow writes must not hide in the reads' p99. */
export type RequestClass = "read" | "write";

export interface LoadRequest {
  /** The whole request as it goes on the wire; ASCII only, so characters are bytes. */
  readonly text: string;
  /** The only status that is right. Any other stops the bench. */
  readonly status: number;
  readonly class: RequestClass;
}

export interface LoadJob {
  readonly port: number;
  /** The server's process, whose CPU time is read when the load begins and when it has ended. */
  readonly pid: number;
  readonly milliseconds: number;
  /** A connection each. It sends its requests in turn, one at a time, over and over. */
  readonly lanes: readonly (readonly LoadRequest[])[];
}

/** Times in milliseconds, from a request's write to the last byte of its answer. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The p99 of the reads alone; 0 when there were none. */
  readonly readP99: number;
  /** To the first byte of the answer instead of the last, median. */
  readonly firstByteP50: number;
  /** Server CPU time, user and system, all threads, in microseconds per request. */
  readonly cpuMicros: number;
  /** Share of the time in which the generator's own core was busy, 0 to 1. */
  readonly generatorBusy: number;
}

export type LoadReply = { readonly result: LoadResult } | { readonly failure: string };
