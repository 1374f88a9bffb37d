/**
 * Imports run one way: each file of src imports only from layers below its own, or from its own
 * folder. So the store can be read without HTTP, the router without pizza, and all of it runs
 * without a package. A failure names the file and the import that break a rule.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { root } from "./helpers/readme.ts";

const src = join(root, "src");

/** From above to below. Members of one row do not import one another. */
const layers: readonly (readonly string[])[] = [
  ["server.ts", "token.ts"],
  ["commands"],
  ["api"],
  ["http"],
  ["resources"],
  ["auth"],
  ["store"],
  ["files.ts"],
  ["settings.ts"],
  ["problems"],
  ["log"],
];

/** Narrower than the layers: all that these may import from outside their folder. */
const narrower: readonly (readonly [who: string, only: readonly string[], reason: string])[] = [
  ["store", ["log", "problems/faults.ts"], "the store knows neither HTTP nor pizza"],
  ["http", ["auth", "problems", "log", "store/store-error.ts"], "HTTP is the same for any service"],
  ["auth", ["problems"], "who somebody is does not depend on what they ask for"],
];

interface Import {
  /** Below src: "http/body.ts". */
  readonly from: string;
  readonly specifier: string;
  /** The file below src that a relative specifier leads to; else the specifier. */
  readonly to: string;
  /** True if it is gone when the file runs. */
  readonly isType: boolean;
}

const statement = /(?:^|[\s;}])(?:(import type\b)[^;"]*|from|import)\s*\(?\s*"([^"]+)"/g;

const computed = /\bimport\s*\(\s*[^"\s]|\bcreateRequire\b|\brequire\s*\(/;

function textOf(file: string): string {
  return readFileSync(join(src, file), "utf8");
}

function importsOf(from: string): Import[] {
  const text = textOf(from);
  assert.doesNotMatch(text, computed, `src/${from} imports what only a run can tell`);
  return [...text.matchAll(statement)].map(([, type, specifier = ""]) => {
    const to = specifier.startsWith(".") ? join(dirname(from), specifier) : specifier;
    return { from, specifier, to, isType: type !== undefined };
  });
}

const files = readdirSync(src, { recursive: true }).map((file) => normalize(String(file)));
const modules = files.filter((file) => file.endsWith(".ts"));
const isPage = (file: string): boolean => file.startsWith("pages/");
const imports = modules.flatMap(importsOf);
const abroad = imports.filter(({ specifier, from, to }) =>
  specifier.startsWith(".") && !isPage(from) && partOf(from) !== partOf(to));

/** The file itself, or the folder of src that it is in: what a layer names. */
function partOf(file: string): string {
  return file.split("/")[0] ?? file;
}

function rowOf(file: string): number {
  const row = layers.findIndex((names) => names.includes(partOf(file)));
  assert.notEqual(row, -1, `src/${file} belongs to no layer`);
  return row;
}

const arrow = ({ from, to }: Import): string => `src/${from} imports ${to}`;

test("src imports node's own modules, under that prefix, and files of src; no package", () => {
  const builtins = builtinModules.map((name) => `node:${name}`);
  const wrong = imports.filter(({ specifier, to }) =>
    specifier.startsWith(".") ? !modules.includes(to) : !builtins.includes(specifier));
  assert.deepEqual(wrong.map(arrow), []);
});

test("every file imports only from layers below its own, or from its own folder", () => {
  const wrong = abroad.filter(({ from, to }) => rowOf(from) >= rowOf(to));
  assert.deepEqual(wrong.map(arrow), []);
});

for (const [who, only, reason] of narrower) {
  test(`${who} imports ${only.join(" and ")} besides: ${reason}`, () => {
    const wrong = abroad.filter(({ from }) => partOf(from) === who)
      .filter(({ to }) => !only.includes(to) && !only.includes(partOf(to)));
    assert.deepEqual(wrong.map(arrow), []);
  });
}

const running = imports.filter(({ specifier, isType }) => specifier.startsWith(".") && !isType);

/** The files that `file` runs, itself first, each with the way that leads there. */
function reachedFrom(file: string, along = running): ReadonlyMap<string, string> {
  const ways = new Map([[file, file]]);
  for (const [at, way] of ways) {
    for (const { to } of along.filter(({ from }) => from === at)) {
      if (!ways.has(to)) ways.set(to, `${way} → ${to}`);
    }
  }
  return ways;
}

/** True if the file, and all that it runs, are files of resources without node's own modules. */
function runsAnywhere(file: string): boolean {
  return [...reachedFrom(file).keys()].every((reached) => partOf(reached) === "resources"
    && imports.every(({ from, specifier }) => from !== reached || !specifier.startsWith("node:")));
}

test("pages import pages, types of resources, and files of resources that run anywhere", () => {
  const wrong = imports.filter(({ from, to }) => isPage(from) !== isPage(to))
    .filter(({ from, to, isType }) =>
      !(isPage(from) && partOf(to) === "resources" && (isType || runsAnywhere(to))));
  assert.deepEqual(wrong.map(arrow), [], "and nothing else imports pages");
  const saying = modules.filter((file) => textOf(file).includes("also runs in a browser"));
  assert.ok(saying.length > 3);
  assert.deepEqual(saying.filter((file) => !runsAnywhere(file)), []);
});

/** Code that reads or changes more than its arguments. */
const outside = new RegExp([
  "localStorage", "location", "history", "document", "navigator", "fetch", "performance",
  "setTimeout", "setInterval", "addEventListener", "matchMedia", "Date\\.now", "new Date\\(\\)",
].map((name) => `\\b${name}`).join("|"));
/** It reads the language of the page, which never changes. */
const language = "pages/shared/words.ts";

function isImpure(file: string): boolean {
  const code = textOf(file).replaceAll(/\/\*[^]*?\*\/|\/\/.*$|"[^"\n]*"/gm, "");
  return file !== language && outside.test(code);
}

test("a file of the pages that says it has pure values runs none that reads anything else", () => {
  const pure = modules.filter((file) => isPage(file) && textOf(file).includes("Pure values"));
  assert.ok(pure.length > 5);
  const wrong = pure.flatMap((file) => [...reachedFrom(file)])
    .flatMap(([reached, way]) => isImpure(reached) ? [way] : []);
  assert.deepEqual(wrong, []);
});

test("no files of the pages import one another in a circle, types neither", () => {
  const inPages = imports.filter(({ from, to }) => isPage(from) && isPage(to));
  const circles = inPages.filter(({ from, to }) => reachedFrom(to, inPages).has(from));
  assert.deepEqual(circles.map(arrow), []);
});

for (const page of ["board", "order"]) {
  test(`what the ${page} page draws calls named functions: only actions set its state`, () => {
    const takes = (file: string, name: string, from: string): boolean =>
      new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from "[^"]*${from}"`).test(textOf(file));
    const drawing = modules.filter((file) => file.startsWith(`pages/${page}/`))
      .filter((file) => takes(file, "h", "dom.ts"));
    assert.ok(drawing.length >= 9);
    assert.deepEqual(drawing.filter((file) => takes(file, "set", "/store.ts")), []);
  });
}
