/** Faults in JSON files, such as MENU_FILE and data/openapi.json, which stop the start. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readJson } from "../src/files.ts";
import { SettingsError } from "../src/settings.ts";
import { temporaryFolder } from "./helpers/forno.ts";

test("a fault in a JSON file names the file and the line", (t) => {
  const file = join(temporaryFolder(t), "a.json");
  for (const [text, words] of [
    ['{\n"a": [1, 2]\n"b": 3\n}', /property value in JSON at position 14 \(line 3\b/],
    ['{\n"a": {"b": 1\n}, "c": 2\n', /JSON at position 25 \(line 4\b/],
    ['{\n"a": 1\n}\n}\n', /after JSON at position 11 \(line 4\b/],
    ['{\n"a": [\n1,\n],\n"b": 2\n}', /^Unexpected token [^]* \(line 4\)$/],
    ['{\n"a": ,\n"b": ,\n}', /^Unexpected token [^]* \(line 2\)$/],
    ['{\n"a":', /^Unexpected end of JSON input$/],
  ] as const) {
    writeFileSync(file, text);
    assert.throws(() => readJson(file), (error) => {
      assert.ok(error instanceof SettingsError);
      const start = `${file}: expected JSON in UTF-8: `;
      assert.equal(error.message.slice(0, start.length), start);
      assert.match(error.message.slice(start.length), words);
      return true;
    }, text);
  }
});
