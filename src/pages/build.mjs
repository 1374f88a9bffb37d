/**
 * The pages' last step of `npm run build`, after tsc: HTML, CSS and SVG go beside the compiled
 * scripts, and white space that only people need goes: a tenth of what a phone would load.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const source = new URL("./", import.meta.url);
const target = new URL("../../dist/pages/", import.meta.url);

for (const name of readdirSync(source).filter((file) => /\.(html|css|svg)$/.test(file))) {
  writeFileSync(new URL(name, target), readFileSync(new URL(name, source)));
}
for (const name of readdirSync(target).filter((file) => /\.(js|css)$/.test(file))) {
  const file = new URL(name, target);
  const text = withoutIndents(readFileSync(file, "utf8"));
  writeFileSync(file, name.endsWith(".css") ? withoutSpaces(text) : withoutAirInCode(text));
}

/**
 * Safe in CSS, and in what tsc writes: every statement there ends in ";", no comment is left, and
 * no template in these pages spans lines.
 */
function withoutIndents(text) {
  return text.replaceAll(/\s*\n\s*/g, "\n").replaceAll(/(?<=[;{,])\n|\n(?=})/g, "");
}

/** Safe in CSS with no such signs in a string, but for a colon at its end. */
function withoutSpaces(text) {
  return text
    .replaceAll(/ ?([{};]) ?/g, "$1")
    .replaceAll(";}", "}")
    .replaceAll(/([:,]) (?!")/g, "$1");
}

/** Safe in scripts with no such signs in a template's text, and no import by another name. */
function withoutAirInCode(text) {
  const strings = [];
  return text
    .replaceAll(/"(?:[^"\\\n]|\\.)*"/g, (string) => `"${strings.push(string) - 1}"`)
    .replaceAll(/ (=>|[!=]==|=|\?\??|&&|\|\||[<>]=?|:) /g, "$1")
    .replaceAll(/ (\+=|\*\*?) /g, "$1")
    .replaceAll(/(?<=[\w)]) ([-+]) (?=[\w(])/g, "$1")
    .replaceAll(/\b(if|for|while|catch) \(/g, "$1(")
    .replaceAll(/\b(const|return|try|catch|else|of) (?=[{["`])/g, "$1")
    .replaceAll(/\bimport {[^}]*} from /g, (names) => names.replaceAll(" ", ""))
    .replaceAll(") {", "){")
    .replaceAll(/(?<=\w",|[)\]],|[{;]},) /g, "")
    .replaceAll(/(?<=\w:) (?=["[{])/g, "")
    .replaceAll(/(?<={) | (?=})/g, "")
    .replaceAll(/"(\d+)"/g, (_, index) => strings[index]);
}
