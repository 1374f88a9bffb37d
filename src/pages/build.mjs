/**
 * Makes dist/pages from src/pages and the scripts that tsc has compiled. A page's modules become
 * one script, one after another, and its style sheets one sheet: a cold load asks for fewer files.
 *
 * The modules share one scope, so no two may declare the same name at the top: that is a syntax
 * error here. They import by plain names, without `as` and `*`.
 */

import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const source = import.meta.dirname;
const target = join(source, "../../dist/pages");
/** Where tsc puts the modules: see tsconfig.json. */
const compiled = join(target, "compiled");

const importing = /^import (?:\{[^}]*\} from )?"(\.[^"]+)";\n/gm;
/** Blank lines too: with comments, a tenth of the weight of a page. */
const indent = /^\s+/gm;
const comment = /\/\*[^]*?\*\/\s*|<!--[^]*?-->\s*/g;
const exporting = /^export (?=(?:async function|function|class|const|let) )/gm;

/** The modules that an entry needs, each once, what is imported before what imports it. */
function modulesOf(file, found = new Set()) {
  if (found.has(file)) return found;
  const imports = [...readFileSync(file, "utf8").matchAll(importing)];
  // Its place is kept only once all that it imports has one.
  for (const [, path] of imports) modulesOf(join(dirname(file), path), found);
  return found.add(file);
}

function bundle(entry) {
  const plain = [...modulesOf(entry)].map((file) => {
    const text = readFileSync(file, "utf8").replaceAll(importing, "").replaceAll(exporting, "");
    const [statement] = /^(?:import|export) .*/m.exec(text) ?? [];
    if (statement !== undefined) throw new Error(`${file}: write "${statement}" more plainly`);
    const [open] = /^[^`\n]*`(?:[^`\n]*`[^`\n]*`)*[^`\n]*$/m.exec(text) ?? [];
    if (open !== undefined) throw new Error(`${file}: end the text in its line: ${open}`);
    return text.replaceAll(indent, "");
  });
  return plain.join("");
}

function slim(text) {
  return text.replaceAll(comment, "").replaceAll(indent, "");
}

cpSync(source, target, {
  recursive: true,
  filter: (path) => path === source || /\.(?:html|svg|woff2|txt|webmanifest|js)$/.test(path),
});
for (const [page, own] of [["order", ["order.css"]], ["board", ["board.css", "dialogs.css"]]]) {
  const file = join(target, `${page}.js`);
  writeFileSync(file, bundle(join(compiled, "pages", page, "main.js")));
  const { status } = spawnSync(process.execPath, ["--check", file], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
  const sheets = ["tokens.css", "base.css", ...own];
  const styles = sheets.map((name) => readFileSync(join(source, name), "utf8"));
  writeFileSync(join(target, `${page}.css`), slim(styles.join("")));
}
// The board draws no pizza: it loads the icons alone.
const shapes = slim(readFileSync(join(target, "shapes.svg"), "utf8"));
writeFileSync(join(target, "shapes.svg"), shapes);
const [start, ...groups] = shapes.split(/(?=<defs>)/);
writeFileSync(join(target, "board-shapes.svg"), start + groups.at(-1));
rmSync(compiled, { recursive: true });
