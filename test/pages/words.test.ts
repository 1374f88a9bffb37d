/** The words that come with the pages (contract part 7), against the texts that the pages use. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../helpers/readme.ts";

type Words = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

const folder = join(root, "data/words");
const pages = join(root, "src/pages");

/** In HTML `{{text}}`, in scripts the first argument of `t`. */
const files = readdirSync(pages, { recursive: true, encoding: "utf8" });
const texts = new Set(files.flatMap((name) => {
  if (!/\.(?:html|ts)$/.test(name)) return [];
  const source = readFileSync(join(pages, name), "utf8");
  const uses = name.endsWith(".html") ? /\{\{(.+?)\}\}/g
    : /(?<![\w.])t\(\s*"((?:[^"\\]|\\.)*)"/g;
  return [...source.matchAll(uses)].map(([, text = ""]) => JSON.parse(`"${text}"`) as string);
}));

function wordsOf(language: string): Words {
  return JSON.parse(readFileSync(join(folder, `${language}.json`), "utf8"));
}

function placeholders(text: string): string {
  return (text.match(/\{\w+\}/g) ?? []).sort().join(" ");
}

/** English is in the code. */
const complete = ["ar", "de", "es", "fr", "it"];
/** A further file is a further language. What it leaves out is English. */
const languages = readdirSync(folder).map((name) => name.replace(".json", ""));

for (const language of complete) {
  test(`${language}.json has every text of the pages`, () => {
    assert.ok(texts.size > 10);
    const words = wordsOf(language);
    assert.deepEqual([...texts].filter((text) => !(text in words)), []);
  });
}

for (const language of languages) {
  test(`${language}.json has only texts of the pages`, () => {
    assert.deepEqual(Object.keys(wordsOf(language)).filter((text) => !texts.has(text)), []);
  });

  test(`${language}.json has a form for every count, and fills in what the English does`, () => {
    const plural = new Intl.PluralRules(language);
    const counted = Array.from({ length: 200 }, (_, count) => plural.select(count));
    for (const [text, word] of Object.entries(wordsOf(language))) {
      const forms = typeof word === "string" ? { other: word } : word;
      assert.equal(typeof word === "object", text.includes("{count}"), text);
      if (typeof word === "object") {
        assert.deepEqual(Object.keys(word).sort(), [...new Set(counted)].sort(), text);
      }
      for (const [category, form] of Object.entries(forms)) {
        assert.notEqual(form.trim(), "", text);
        // "one pizza" need not say 1.
        const given = category === "other" ? [placeholders(text)]
          : [placeholders(text), placeholders(text.replace("{count}", ""))];
        assert.ok(given.includes(placeholders(form)), `${text}: ${form}`);
      }
    }
  });
}

test("in French a mark such as : stays on the line of its word", () => {
  const texts = Object.values(wordsOf("fr")).flatMap((word) =>
    typeof word === "string" ? [word] : Object.values(word));
  assert.deepEqual(texts.filter((text) => / [:;!?»]|« /.test(text)), []);
});

test("every text is written out where it is used, so that it can be found", () => {
  for (const name of files.filter((file) => file.endsWith(".ts"))) {
    const source = readFileSync(join(pages, name), "utf8");
    assert.doesNotMatch(source, /(?<![\w.]|function )t\(\s*[^\s"]/, name);
  }
});
