/** The code, system call and message of any thrown value, mostly Node's system errors. */

import { constants } from "node:os";

/** The error's `code`, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** The failed system call, such as `open` or `fsync`; undefined for any other error. */
export function syscallOf(error: unknown): string | undefined {
  return error instanceof Error && "syscall" in error ? String(error.syscall) : undefined;
}

/** True if the disk is full, a quota is used up, or a file would grow past `ulimit -f`. */
export function isOutOfSpace(error: unknown): boolean {
  // Node has no code for the quota.
  const errno = error instanceof Error && "errno" in error ? error.errno : undefined;
  if (errno === -constants.errno.EDQUOT) return true;
  return ["ENOSPC", "EFBIG"].includes(codeOf(error) ?? "");
}

/** The message, without the stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
