/** MENU_FILE (contract part 1): the menu of a new store, and the faults of a JSON file. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readJson } from "../../src/files.ts";
import { SettingsError } from "../../src/settings.ts";
import { startForno, temporaryFolder } from "../helpers/forno.ts";
import { beverage, topping } from "../helpers/samples.ts";

function fileOf(t: TestContext, content: string | Uint8Array): string {
  const file = join(temporaryFolder(t), "menu.json");
  writeFileSync(file, content);
  return file;
}

test("a menu comes in its order, with ids where it has none, and may lack a kind", async (t) => {
  const { id: _, ...unnamed } = topping({ name: "Unnamed" });
  const shuffled = Object.fromEntries(Object.entries(topping()).reverse());
  const toppings = [shuffled, unnamed];
  const menu = { beverages: [beverage()], toppings };
  const MENU_FILE = fileOf(t, `\ufeff${JSON.stringify(menu, null, 2)}`);
  const forno = await startForno(t, { env: { MENU_FILE } });
  const [first, second] = (await forno.call("GET", "/api/toppings")).json;
  assert.equal(JSON.stringify(first), JSON.stringify(topping()));
  assert.match(second.id, /^[A-HJKMNP-TV-Z][1-9A-HJKMNP-TV-Z]{5}$/);
  assert.deepEqual(second, { ...unnamed, id: second.id });
  assert.deepEqual((await forno.call("GET", "/api/pizzasizes")).json, []);
  assert.deepEqual((await forno.call("GET", "/api/beverages")).json, [beverage()]);
});

test("the starter menus have the same items, each language in its own words", async (t) => {
  const languages = ["en", "ar", "de", "es", "fr", "it"];
  const menus = await Promise.all(languages.map(async (language) => {
    const forno = await startForno(t, { env: { LANG: `${language}.UTF-8` } });
    const paths = ["toppings", "pizzasizes", "beverages", "shop"];
    const [toppings, sizes, beverages, shop] = await Promise.all(paths.map(async (path) =>
      (await forno.call("GET", `/api/${path}`)).json));
    return { items: [toppings, sizes, beverages].flat(), pizzas: shop.pizzas };
  }));
  const [english, ...others] = menus;
  assert.equal(english?.items[0].name, "Tomato sauce");
  for (const { items, pizzas } of others) {
    assert.deepEqual(pizzas, english?.pizzas);
    assert.deepEqual(items.map(withoutWords), english?.items.map(withoutWords));
    assert.notEqual(items[0].name, "Tomato sauce");
  }
});

/** An item without what differs by language. */
function withoutWords({ name, description, sizeOptions, ...item }: any): object {
  return { ...item, isDescribed: description !== undefined, sizes: sizeOptions?.length ?? 0 };
}

const many = Array.from({ length: 30 }, (_, index) => topping({ id: `t${index}`, name: "" }));

const refused: readonly (readonly [content: string | Uint8Array, message: RegExp])[] = [
  [JSON.stringify({ toppings: [topping({ name: 5, colour: 1 })], pizzasizes: [{}], drinks: [] }),
    new RegExp([
      /#\/toppings\/0\/name: expected a string of 1 .*, got the number 5/,
      /#\/toppings\/0\/colour: there is no such field/,
      /#\/pizzasizes\/0\/name: required, but missing: expected a string .*/,
      /#\/pizzasizes\/0\/diameterInInches: required, but missing: expected a number .*/,
      /#\/drinks: there is no such field$/,
    ].map(({ source }) => source).join("; "))],
  [JSON.stringify({ toppings: [topping(), topping()] }),
    /the id "tartufo" appears twice$/],
  [JSON.stringify({ toppings: many }), /(#\/toppings\/\d\/name: [^;]*; ){10}and 20 more$/],
  ['{"toppings": {}}', /#\/toppings: expected an array of toppings, got an object$/],
  ["[]", /#: expected an object with toppings, .*pizzas, got an array of 0$/],
  ['{"pizzas": [{"name": "x"}]}', /#\/pizzas\/0\/toppings: required, but missing: expected an ar/],
  [Buffer.from('{"toppings":"\xff"}', "latin1"), /menu\.json: expected JSON in UTF-8: .*encoded/],
];

test("a bad menu stops the start with one line", async (t) => {
  for (const [content, message] of refused) {
    const MENU_FILE = fileOf(t, content);
    await assert.rejects(startForno(t, { env: { MENU_FILE } }), (error: Error) => {
      assert.match(error.message, message);
      assert.ok(error.message.startsWith("MENU_FILE") && !error.message.includes("\n"));
      return true;
    });
  }
});

test("a fault in a JSON file names the file and the line", (t) => {
  for (const [text, words] of [
    ['{\n"a": [1, 2]\n"b": 3\n}', /property value in JSON at position 14 \(line 3\b/],
    ['{\n"a": {"b": 1\n}, "c": 2\n', /JSON at position 25 \(line 4\b/],
    ['{\n"a": 1\n}\n}\n', /after JSON at position 11 \(line 4\b/],
    ['{\n"a": [\n1,\n],\n"b": 2\n}', /^Unexpected token [^]* \(line 4\)$/],
    ['{\n"a": ,\n"b": ,\n}', /^Unexpected token [^]* \(line 2\)$/],
    ['{\n"a":', /^Unexpected end of JSON input$/],
  ] as const) {
    const file = fileOf(t, text);
    assert.throws(() => readJson(file), (error) => {
      assert.ok(error instanceof SettingsError);
      const start = `${file}: expected JSON in UTF-8: `;
      assert.equal(error.message.slice(0, start.length), start);
      assert.match(error.message.slice(start.length), words);
      return true;
    }, text);
  }
});
