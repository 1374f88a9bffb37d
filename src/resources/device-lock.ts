/**
 * Locks: the subs of tokens that are locked out. A hidden kind: it is in the store and its backups,
 * but has no list and no events. auth/callers.ts says which tokens a lock refuses.
 */

import type { StoredKind } from "../store/tables.ts";
import { isSub, isTime, objectOf, parse } from "./check.ts";

interface DeviceLock {
  /** The locked `sub`. */
  readonly id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly lockedAt: string;
}

const isLock = objectOf<DeviceLock>({ id: isSub, lockedAt: isTime });

export const locks: StoredKind<DeviceLock, undefined> = {
  name: "locks",
  isHidden: true,
  idOf: ({ id }) => id,
  read: (data) => ({ value: parse(isLock, data), kept: undefined }),
};
