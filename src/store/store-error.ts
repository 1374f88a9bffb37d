/** The error for a store that cannot open and for a write that cannot be stored. */

import { Invalid } from "../problems/faults.ts";

export type StoreErrorCode =
  /** Another process has locked the folder. */
  | "locked"
  /** A file is not as Forno wrote it. Nothing was changed. */
  | "damaged"
  /** The folder cannot be used at all: permissions, not a folder, a read failed. */
  | "unusable"
  /** The disk has no room, and the write was not stored. The next write may succeed. */
  | "write-failed"
  /** The disk failed during this write, or its file was cut. A restart may find it or not. */
  | "unconfirmed"
  /** The disk failed earlier. The write was not stored; no write is accepted until a restart. */
  | "refused"
  /** Too many writes are waiting for the disk. */
  | "busy"
  /** The store is closing. */
  | "closed";

interface StoreErrorOptions {
  readonly file?: string;
  readonly line?: number | undefined;
  /** The id of the resource in the line, if it could be read. */
  readonly id?: string | undefined;
  /** The next step for the operator. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** An error of the store, with a stable `code` and a hint for the operator. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly hint: string | undefined;

  constructor(code: StoreErrorCode, message: string, options: StoreErrorOptions = {}) {
    const { file, line, id, hint, cause } = options;
    const ofLine = line === undefined ? "" : `, line ${line}`;
    const ofId = id === undefined ? "" : `, with the id "${id}"`;
    const place = file && `${file}${ofLine}${ofId}`;
    super(place === undefined ? message : `${place}: ${message}`, { cause });
    this.code = code;
    this.file = file;
    this.line = line;
    this.hint = hint;
  }
}

/** The error of all writes after one of which nobody knows whether it is on disk. */
export function syncFailed(cause: unknown): StoreError {
  return new StoreError("refused", "the disk failed; no write is accepted until a restart", {
    cause,
    hint: "Check the disk, then restart: the start reads the file again",
  });
}

/** The error of the writes that were on their way to disk when the store failed. */
export function unconfirmed(refusal: StoreError): StoreError {
  return new StoreError("unconfirmed", refusal.message, { cause: refusal });
}

/** The faults of an Invalid in a line. Rethrows any other error. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Invalid)) throw error;
  const [first, ...others] = error.faults;
  const place = first === undefined || first.pointer === "#" ? "" : `${first.pointer}: `;
  const count = others.length > 0 ? ` (and ${others.length} more)` : "";
  return place + (first?.detail ?? "") + count;
}
