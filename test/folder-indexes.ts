/**
 * Writes an index into each folder of dist-test, after tsc. Node 22 and 24 run that file for
 * `node --test dist-test/api`; Node 20 and 26 look for the tests of the folder themselves.
 */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

for (const entry of readdirSync(import.meta.dirname, { withFileTypes: true })) {
  if (!entry.isDirectory()) continue;
  const folder = join(import.meta.dirname, entry.name);
  const tests = readdirSync(folder).filter((name) => name.endsWith(".test.js")).sort();
  const index = tests.map((name) => `import "./${name}";\n`).join("");
  if (index !== "") writeFileSync(join(folder, "index.js"), index);
}
