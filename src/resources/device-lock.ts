/**
 * Locks: the subjects of tokens that are locked out. A hidden kind: it is in the store and its
 * backups, but has no list and no events. auth/callers.ts says which tokens a lock refuses.
 */

import type { StoredKind } from "../store/stored-kind.ts";
import {
  objectField,
  optional,
  parse,
  picker,
  type Shape,
  subjectField,
  timeField,
} from "./field.ts";

interface DeviceLock {
  /** The subject (`sub`). */
  readonly id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly lockedAt: string;
}

const fields: Shape<DeviceLock> = { id: subjectField, lockedAt: optional(timeField) };
const line = objectField<DeviceLock>(fields, "file");
const pick = picker(fields);

export const locks: StoredKind<DeviceLock> = {
  name: "locks",
  isHidden: true,
  read: (members) => ({ value: pick(parse(line, members)), kept: undefined }),
};
