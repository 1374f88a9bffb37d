/** JSON Merge Patch, RFC 7396 section 2. */

import { isObject } from "../problems/faults.ts";

/**
 * The target as the patch would have it. Neither is changed; the result may share parts with both.
 * A member `__proto__` is a member like any other.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, unknown>(Object.entries(isObject(target) ? target : {}));
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), change));
  }
  return Object.fromEntries(merged);
}
