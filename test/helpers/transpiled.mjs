/**
 * For `npm test`: `node test/helpers/transpiled.mjs` makes JavaScript of all TypeScript, and with
 * `--import` a process loads that. tsx would look at each file again in each process, which is a
 * tenth of the whole run.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import * as module from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

const root = new URL("../../", import.meta.url);
const folder = new URL(".transpiled/", root);

/** A hook of Node's loader. */
export function load(url, context, next) {
  if (!url.startsWith(root.href) || !url.endsWith(".ts")) return next(url, context);
  const file = new URL(url.slice(root.href.length).replace(/ts$/, "js"), folder);
  return { format: "module", source: readFileSync(file, "utf8"), shortCircuit: true };
}

function transpile() {
  // tsx brings it.
  const esbuild = module.createRequire(import.meta.resolve("tsx"))("esbuild");
  for (const part of ["src", "test"]) {
    const files = readdirSync(new URL(part, root), { recursive: true });
    for (const file of files.filter((name) => name.endsWith(".ts"))) {
      const options = { loader: "ts", sourcefile: basename(file), sourcemap: "inline" };
      const text = readFileSync(new URL(`${part}/${file}`, root), "utf8");
      const target = new URL(`${part}/${file.slice(0, -2)}js`, folder);
      mkdirSync(new URL(".", target), { recursive: true });
      writeFileSync(target, esbuild.transformSync(text, options).code);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) transpile();
else if (isMainThread) {
  process.setSourceMapsEnabled(true);
  // Older versions of Node run hooks in a thread, which loads this file, too.
  if ("registerHooks" in module) module.registerHooks({ load });
  else module.register(import.meta.url);
}
