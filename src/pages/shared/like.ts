/** Checks values that anybody may have written. Pure values. */

const longestText = 10_000;
const longestList = 500;

/** Has all members of the example; every item of a list is like the first of the example's. */
export function isLike<T>(example: T, value: unknown): value is T {
  if (Array.isArray(example)) {
    return Array.isArray(value) && value.length <= longestList
      && value.every((item) => isLike(example[0], item));
  }
  if (typeof example === "object") {
    return typeof value === "object" && value !== null && Object.entries(example ?? {})
      .every(([name, member]) => isLike(member, (value as Record<string, unknown>)[name]));
  }
  // 1e400 is read as Infinity.
  if (typeof value === "number") return typeof example === "number" && Number.isFinite(value);
  return typeof value === typeof example && String(value).length <= longestText;
}
