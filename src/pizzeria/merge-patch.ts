/** JSON Merge Patch, RFC 7396 section 2. */

import { isObject, ownMember } from "./fields.ts";

/** As an assignment would make it, which for `__proto__` is none. */
const plain: PropertyDescriptor = { configurable: true, enumerable: true, writable: true };

/**
 * The target as the patch would have it. Neither is changed; the result may share parts with both.
 * A member `__proto__` is a member like any other.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, change] of Object.entries(patch)) {
    const value = change === null ? undefined : mergePatch(ownMember(merged, name), change);
    if (change === null) delete merged[name];
    else if (name === "__proto__") Object.defineProperty(merged, name, { value, ...plain });
    else merged[name] = value;
  }
  return merged;
}
