/** What the pages save where the browser's storage is full or blocked. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { tsImport } from "tsx/esm/api";

interface Storing {
  saveText(name: string, text: string | null): void;
  savedText(name: string): string | null;
}

const stored = new Map<string, string>();
let isFull = false;
Object.assign(globalThis, {
  location: { href: "http://forno.test/board" },
  localStorage: {
    getItem: (name: string) => stored.get(name) ?? null,
    removeItem: (name: string) => stored.delete(name),
    setItem(name: string, text: string) {
      if (isFull) throw new Error("QuotaExceededError");
      stored.set(name, text);
    },
  },
});
const { saveText, savedText }: Storing =
  await tsImport("../../src/pages/shared/storage.ts", import.meta.url);

test("where storage is full, the newest text counts, and none after a sign-out", () => {
  saveText("token", "old");
  isFull = true;
  saveText("token", "new");
  assert.equal(savedText("token"), "new");
  saveText("token", null);
  assert.equal(savedText("token"), null);
  isFull = false;
  saveText("token", "next");
  assert.equal(savedText("token"), "next");
});
