/**
 * What a page keeps on the device. Everything is checked when it is read, since it may have been
 * cut off or written by another version: what does not fit is dropped. A browser that blocks storage
 * keeps it until the page is closed.
 */

// Two shops may live under one origin, each on its own path.
const base = new URL(".", location.href).pathname;
const unstored = new Map<string, string>();

export function keepText(name: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(base + name);
    else localStorage.setItem(base + name, text);
  } catch {
    if (text === null) unstored.delete(name);
    else unstored.set(name, text);
  }
}

export function keptText(name: string): string | null {
  try {
    return localStorage.getItem(base + name) ?? unstored.get(name) ?? null;
  } catch {
    return unstored.get(name) ?? null;
  }
}

export function keep(name: string, value: unknown): void {
  keepText(name, JSON.stringify(value));
}

/** Undefined where nothing is kept, or nothing that `isValid` accepts. */
export function kept<T>(name: string, isValid: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(keptText(name) ?? "null");
    return isValid(value) ? value : undefined;
  } catch {
    return undefined; // Cut off, or not ours.
  }
}

/** Calls `changed` when another tab of this shop keeps something else under that name. */
export function onKeptElsewhere(name: string, changed: () => void): void {
  addEventListener("storage", ({ key }) => {
    if (key === base + name || key === null) changed();
  });
}

// Guards to build `isValid` from.

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

export function isListOf<T>(
  isItem: (value: unknown) => value is T,
): (value: unknown) => value is readonly T[] {
  return (value): value is readonly T[] => Array.isArray(value) && value.every((one) => isItem(one));
}

/** An object with these members; others are left alone. */
export function isShapeOf<T>(
  members: { readonly [Name in keyof T]: (value: unknown) => value is T[Name] },
): (value: unknown) => value is T {
  return (value): value is T => typeof value === "object" && value !== null
    && (Object.keys(members) as (keyof T)[]).every((name) =>
      members[name]((value as Partial<Record<keyof T, unknown>>)[name]));
}
