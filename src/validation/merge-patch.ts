/** JSON Merge Patch, RFC 7396 section 2. */

import { isObject } from "./fields.ts";

/**
 * The target as the patch would have it. Neither is changed; the result may share parts with both.
 * A member `__proto__` is a member like any other.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), value));
  }
  // Defines members instead of assigning them: `__proto__` stays data.
  return Object.fromEntries(members);
}
