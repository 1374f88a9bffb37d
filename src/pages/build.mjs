/**
 * Makes dist/pages from src/pages: a page's modules become one script, and its style sheets one
 * sheet, so that a cold load asks for few files. tsc checks the types, esbuild does not.
 */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// tsx brings it, so Forno asks for no package of its own.
const esbuild = createRequire(import.meta.resolve("tsx"))("esbuild");

const source = import.meta.dirname;
const target = join(source, "../../dist/pages");

esbuild.buildSync({
  absWorkingDir: source,
  entryPoints: ["order", "board"].flatMap((page) => [
    { in: `${page}/main.ts`, out: page },
    { in: `${page}.css`, out: page },
  ]),
  outdir: target,
  bundle: true,
  minify: true,
  format: "esm",
  charset: "utf8",
  // The browsers that README names.
  target: ["chrome110", "safari16", "firefox115"],
  // The server puts the version into the addresses of these, relative to the style sheet.
  external: ["*.woff2", "*.svg"],
});

const plain = /\.(?:html|svg|png|woff2|txt|webmanifest)$/;
cpSync(source, target, { recursive: true, filter: (path) => path === source || plain.test(path) });

const comment = /<!--[^]*?-->\s*/g;
const indent = /^\s+/gm;
const shapes = readFileSync(join(source, "shapes.svg"), "utf8")
  .replaceAll(comment, "").replaceAll(indent, "");
// Pictures of toppings are the order page's alone, and some icons the board's.
const [start, pictures, icons, boardIcons] = shapes.split(/(?=<defs>)/);
writeFileSync(join(target, "shapes.svg"), `${start}${pictures}${icons}</svg>`);
writeFileSync(join(target, "board-shapes.svg"), start + icons + boardIcons);
