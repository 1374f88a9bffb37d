/** Documents of any size and layout, resource by resource. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { explain } from "../../dist/commands/command.js";
import { DocumentError } from "../../dist/store/document.js";
import { type Part, PartReader } from "../../dist/store/parts.js";
import { temporaryFolder } from "../helpers/forno.ts";

function fileOf(t: TestContext, content: string | Uint8Array): string {
  const file = join(temporaryFolder(t), "menu.json");
  writeFileSync(file, content);
  return file;
}

function partsOf(t: TestContext, content: string | Uint8Array): Part[] {
  return readParts(fileOf(t, content));
}

function readParts(file: string): Part[] {
  const reader = new PartReader(file);
  try {
    return [...reader.parts()];
  } finally {
    reader.close();
  }
}

const document = {
  forno: 1,
  toppings: [{ id: "a", name: 'quote " comma , brace } bracket ] backslash \\' }, { id: "b" }],
  pizzasizes: [],
  orders: [{ id: "c", names: [["deep"]] }, 7, "text", null, true],
};

const expected = [
  ["forno", undefined, 1],
  ["toppings", 0, document.toppings[0]],
  ["toppings", 1, document.toppings[1]],
  ["pizzasizes", undefined, []],
  ...document.orders.map((value, index) => ["orders", index, value]),
];

const layouts: readonly [name: string, text: string][] = [
  ["in one line", JSON.stringify(document)],
  ["indented", JSON.stringify(document, null, 2)],
  ["with tabs and CRLF", JSON.stringify(document, null, "\t").replaceAll("\n", "\r\n")],
  ["after a byte order mark", `\ufeff${JSON.stringify(document)}\n\n`],
];

for (const [name, text] of layouts) {
  test(`a document ${name} has the same parts`, (t) => {
    const parts = partsOf(t, text).map(({ member, index, value }) => [member, index, value]);
    assert.deepEqual(parts, expected);
  });
}

test("every part knows the line it begins in", (t) => {
  const text = '{"forno":\n1,"toppings":[\n\n{"id":\n"a"},{"id":"b"}\n,\n{}]\n}';
  assert.deepEqual(partsOf(t, text).map(({ line }) => line), [2, 4, 5, 7]);
});

test("an empty document has no parts, an empty list is one", (t) => {
  assert.deepEqual(partsOf(t, " { } \n"), []);
  const empty = { member: "orders", index: undefined, value: [], line: 2 };
  assert.deepEqual(partsOf(t, '{"orders":\n[\n]}'), [empty]);
});

test("values are whole wherever the pieces of the file end", (t) => {
  const piece = 1_048_576;
  // Escapes, quotes and two-byte characters fall on the border of the first pieces, byte by byte.
  const value = '\\"é\\\\"';
  for (let shift = 0; shift <= value.length + 4; shift += 1) {
    const filling = "x".repeat(piece - 16 - shift);
    const texts = [filling, `${value.repeat(3)}`, filling, "end"];
    const parts = partsOf(t, JSON.stringify({ orders: texts }));
    assert.deepEqual(parts.map((part) => part.value), texts, `shift ${shift}`);
  }
});

const broken: readonly [text: string, line: number, reason: RegExp][] = [
  ["", 1, /expected an object.*got the end of the file/],
  ["[]", 1, /expected an object.*got "\["/],
  ["null", 1, /expected an object.*got "n"/],
  ["{", 1, /expected a member's name, got the end of the file/],
  ['{"toppings"', 1, /expected a ":", got the end/],
  ['{toppings:[]}', 1, /not JSON/],
  ["{1:[]}", 1, /expected a member's name in quotes/],
  ['{"toppings":[]\n"orders":[]}', 2, /expected "," or "}", got "\\""/],
  ['{"toppings":[\n{"id":"a"}\n{"id":"b"}]}', 3, /expected "," or "\]", got "{"/],
  ['{"toppings":[\n{"id":"a"},\n]}', 3, /expected a resource, got "\]"/],
  ['{"toppings":[{"id":"a"', 1, /not JSON/],
  ['{"toppings":[\n{"id":\n"a"', 2, /not JSON/],
  ['{"toppings":[{"id":"a"}]', 1, /expected "," or "}", got the end/],
  ['{"toppings":[{"id":"a"]]}', 1, /not JSON/],
  ['{"toppings":[{"id":"\u0007"}]}', 1, /not JSON/],
  ['{"toppings":[nul]}', 1, /not JSON/],
  ['{"toppings":[],"toppings":[]}', 1, /"toppings" appears twice/],
];

for (const [text, line, reason] of broken) {
  test(`${JSON.stringify(text)} is refused with its line and the reason`, (t) => {
    const file = fileOf(t, text);
    assert.throws(
      () => readParts(file),
      (error) => {
        assert.ok(error instanceof DocumentError);
        assert.ok(error.message.startsWith(`${file}, line ${line}: `), error.message);
        assert.match(error.message, reason);
        return true;
      },
    );
  });
}

test("bytes that are no UTF-8 are refused with their line", (t) => {
  const bytes = Buffer.from('{"toppings":[\n{"id":"é"}]}', "latin1");
  assert.throws(() => partsOf(t, bytes), /line 2: expected UTF-8, got other bytes/);
});

test("a message is one line that commands no terminal, whatever the file holds", (t) => {
  assert.throws(
    () => partsOf(t, '{"toppings":[\u001b[31m\u0085\u2028x]}'),
    (error) => {
      assert.doesNotMatch(explain(error), /[\u0000-\u001f\u007f-\u009f\u2028]/);
      return true;
    },
  );
});

test("a value larger than any resource is refused before it fills the memory", (t) => {
  const text = `{"orders":["${"x".repeat(34_000_000)}"]}`;
  assert.throws(() => partsOf(t, text), /line 1: expected resources, got a value of over/);
});

test("a file that cannot be read is named, with the reason", (t) => {
  const folder = temporaryFolder(t);
  const missing = join(folder, "none.json");
  for (const [file, message] of [[missing, /none\.json: ENOENT/], [folder, /EISDIR/]] as const) {
    assert.throws(() => readParts(file), { name: "DocumentError", message });
  }
});
