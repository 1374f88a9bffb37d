/** What the operator is told when the store cannot open, or a write cannot be stored. */

export type StoreErrorCode =
  /** Another process has the folder. */
  | "locked"
  /** A file is not what was written. Nothing was changed. */
  | "damaged"
  /** The folder cannot be used at all: permissions, not a folder, a read failed. */
  | "unusable"
  /** There is something where a backup was to be restored. */
  | "not-empty"
  /** This write is not in the store (disk full, a failed write); the next one may be. */
  | "write-failed"
  /** The disk is full. */
  | "full"
  /** The fsync of this write failed: whether it is on disk shows when a restart reads it again. */
  | "untrusted"
  /** The disk failed earlier: this write is not stored, nor will others be until a restart. */
  | "refused"
  /** Too many writes are waiting for the disk. */
  | "busy"
  /** The store is closing. */
  | "closed";

interface StoreErrorOptions {
  readonly file?: string;
  readonly line?: number;
  /** What the operator can do about it. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Why the store does not do what it was asked to. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly hint: string | undefined;

  constructor(code: StoreErrorCode, message: string, options: StoreErrorOptions = {}) {
    const { file, line, hint, cause } = options;
    const place = line === undefined ? file : `${file}, line ${line}`;
    super(place === undefined ? message : `${place}: ${message}`, { cause });
    this.code = code;
    this.file = file;
    this.line = line;
    this.hint = hint;
  }
}

/** Trust in the disk has ended, at this write ("untrusted") or before it ("refused"). */
export function fsyncFailed(code: "untrusted" | "refused", cause: unknown): StoreError {
  return new StoreError(code, "an fsync failed; no write is accepted until a restart", {
    cause,
    hint: "Check the disk, then restart: the start reads the files again.",
  });
}

/** What stands at the path by now is not ours to write to. */
export function folderGone(folder: string): StoreError {
  return new StoreError(
    "refused",
    `${folder}, or the lock in it, was moved, replaced or removed; ` +
      "no write is accepted until a restart",
    { hint: "Put the folder back and restart, or restart to serve from what is there now." },
  );
}

/** What to do about damage. */
export const damageHint: string =
  "Nothing was changed. Restore the folder from a copy, or move it away and restore a backup " +
  "into a new one: node dist/restore.js FILE";

/** What to do about a file that is whole, but not understood. */
export const newerHint =
  "Nothing was changed. A newer version of Forno has probably written it: start that version";

/** What to do about a disk without room. */
export const outOfSpaceHint = "The disk has no room, or no inode, for one more file: free some";
