/**
 * Values that a page stores on the device. They are checked when they are read, as if a stranger
 * had written them. If a browser blocks storage, they last until the page closes.
 */

// Two shops may live under one origin, each on its own path.
const base = new URL(".", location.href).pathname;
/** Text that the browser refused to store. It wins over an older stored text of that name. */
const unstored = new Map<string, string | null>();

export function saveText(name: string, text: string | null): void {
  unstored.delete(name);
  try {
    if (text === null) localStorage.removeItem(base + name);
    else localStorage.setItem(base + name, text);
  } catch {
    unstored.set(name, text);
  }
}

export function savedText(name: string): string | null {
  const text = unstored.get(name);
  if (text !== undefined) return text;
  try {
    return localStorage.getItem(base + name);
  } catch {
    return null;
  }
}

export function save(name: string, value: unknown): void {
  saveText(name, JSON.stringify(value));
}

/** Undefined where nothing is saved, or nothing of the form that `example` has. */
export function saved<T>(name: string, example: T): T | undefined {
  try {
    const value: unknown = JSON.parse(savedText(name) ?? "null");
    return isLike(example, value) ? value : undefined;
  } catch {
    return undefined; // Cut off, or not ours.
  }
}

const longestText = 10_000;
const longestList = 500;

/** Has all members of the example; every item of a list is like the first of the example's. */
function isLike<T>(example: T, value: unknown): value is T {
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

/** Calls `changed` when another tab of this shop saves something else under that name. */
export function onSavedElsewhere(name: string, changed: () => void): void {
  addEventListener("storage", ({ key }) => {
    if (key === base + name || key === null) changed();
  });
}
