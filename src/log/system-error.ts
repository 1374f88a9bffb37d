/**
 * Code, call and message of whatever was thrown: most often node's error of a system call, but it
 * can be anything.
 */

import { constants } from "node:os";

/** `ENOENT` and its like: what an error has as its `code`. Undefined: it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** `open`, `fsync` and their like: the call that failed. Undefined: it was none. */
export function syscallOf(error: unknown): string | undefined {
  return error instanceof Error && "syscall" in error ? String(error.syscall) : undefined;
}

/** Whether the disk is full, or a quota used up, for which node has no code. */
export function isOutOfSpace(error: unknown): boolean {
  const errno = error instanceof Error && "errno" in error ? error.errno : undefined;
  return codeOf(error) === "ENOSPC" || errno === -constants.errno.EDQUOT;
}

/** In words; without the stack, which is for those who repair Forno. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
