import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = ["src", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((file) => join(folder, String(file)))
    .filter((file) => file.endsWith(".ts")),
);

test("every module that a comment names is there", () => {
  const names = new Set(modules.map((file) => basename(file)));
  const missing = modules.flatMap((file) => {
    const comments = readFileSync(join(root, file), "utf8").match(/\/\*\*[^]*?\*\/|\/\/ .*/g) ?? [];
    const named = comments.join("\n").match(/(?<![\w.])[\w-]+\.ts\b/g) ?? [];
    return named.filter((name) => !names.has(name)).map((name) => `${file} names ${name}`);
  });
  assert.ok(modules.length > 100);
  assert.deepEqual(missing, []);
});
