/** Documents of any size and layout, resource by resource. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { explain } from "../../dist/commands/command.js";
import { DocumentError } from "../../dist/store/document-error.js";
import { documentParts, type Part } from "../../dist/store/document-text.js";

const file = "menu.json";

function partsOf(text: string): readonly Part[] {
  return documentParts(file, text);
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
  test(`a document ${name} has the same parts`, () => {
    const parts = partsOf(text).map(({ member, index, value }) => [member, index, value]);
    assert.deepEqual(parts, expected);
  });
}

test("every part knows the line it begins in", () => {
  const text = '{"forno":\n1,"toppings":[\n\n{"id":\n"a"},{"id":"b"}\n,\n{}]\n}';
  assert.deepEqual(partsOf(text).map(({ line }) => line), [2, 4, 5, 7]);
});

test("an empty document has no parts, an empty list is one", () => {
  assert.deepEqual(partsOf(" { } \n"), []);
  const empty = { member: "orders", index: undefined, value: [], line: 2 };
  assert.deepEqual(partsOf('{"orders":\n[\n]}'), [empty]);
});

const broken: readonly [text: string, line: number, reason: RegExp][] = [
  ["", 1, /expected an object.*got the end/],
  ["[]", 1, /expected an object.*got "\["/],
  ["null", 1, /expected an object.*got "null"/],
  ["{", 1, /expected a member's name, got the end/],
  ['{"toppings"', 1, /expected a ":", got the end/],
  ['{toppings:[]}', 1, /not JSON/],
  ["{1:[]}", 1, /expected a member's name in quotes/],
  ['{"toppings":[]\n"orders":[]}', 2, /expected "," or "}", got "\\"orders\\""/],
  ['{"toppings":[\n{"id":"a"}\n{"id":"b"}]}', 3, /expected "," or "\]", got "{"/],
  ['{"toppings":[\n{"id":"a"},\n]}', 3, /expected a value, got "\]"/],
  ['{"toppings":[{"id":"a"', 1, /not JSON/],
  ['{"toppings":[\n{"id":\n"a"', 2, /not JSON/],
  ['{"toppings":[{"id":"a"}]', 1, /expected "," or "}", got the end/],
  ['{"toppings":[{"id":"a"]]}', 1, /not JSON/],
  ['{"toppings":[{"id":"\u0007"}]}', 1, /not JSON/],
  ['{"toppings":[nul]}', 1, /not JSON/],
  ['{"toppings":[],"toppings":[]}', 1, /"toppings" appears twice/],
];

for (const [text, line, reason] of broken) {
  test(`${JSON.stringify(text)} is refused with its line and the reason`, () => {
    assert.throws(
      () => partsOf(text),
      (error) => {
        assert.ok(error instanceof DocumentError);
        assert.ok(error.message.startsWith(`${file}, line ${line}: `), error.message);
        assert.match(error.message, reason);
        return true;
      },
    );
  });
}

test("a message is one line that commands no terminal, whatever the file holds", () => {
  assert.throws(
    () => partsOf('{"toppings":[\u001b[31m\u0085\u2028x]}'),
    (error) => {
      assert.doesNotMatch(explain(error), /[\u0000-\u001f\u007f-\u009f\u2028]/);
      return true;
    },
  );
});
