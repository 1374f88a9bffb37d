/** JSON Merge Patch, RFC 7396 section 2. */

import { isObject } from "../problems/faults.ts";

/**
 * The target as the patch would have it. Neither is changed; the result may share parts with both.
 * A member `__proto__` is a member like any other.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const before = isObject(target) ? target : {};
  // A spread copies own members only and runs no setter, which an assignment of __proto__ would.
  const merged: Record<string, unknown> = { ...before, ...patch };
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete merged[name];
    else if (isObject(change)) merged[name] = mergePatch(before[name], change);
  }
  return merged;
}
