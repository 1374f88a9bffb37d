/**
 * Values that a page stores on the device. They are checked when they are read, as if a stranger
 * had written them. If a browser blocks storage, they last until the page closes.
 */

import { isLike } from "./like.ts";

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

/** Calls `changed` when another tab of this shop saves something else under that name. */
export function onSavedElsewhere(name: string, changed: () => void): void {
  addEventListener("storage", ({ key }) => {
    if (key === base + name || key === null) changed();
  });
}
