/**
 * The corners of the JSON grammar (RFC 8259), named as the JSONTestSuite names them, as request
 * bodies: what is JSON reaches validation, what is not is `invalid-json`, what the grammar leaves
 * open is one or the other, and nothing is a 5xx.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno, type Answer, type Forno } from "../helpers/forno.ts";

/** Text is sent as UTF-8; `hex:` as the bytes it spells. */
function bytesOf(sample: string): Uint8Array {
  return sample.startsWith("hex:") ? Buffer.from(sample.slice(4), "hex") : Buffer.from(sample);
}

const json: readonly string[] = [
  // y_array
  "[[]   ]", '[""]', "[]", '["a"]', "[false]", '[null, 1, "1", {}]', "[null]", "[1\n]", " [1]",
  "[1,null,null,null,2]", "[2] ",
  // y_number
  "[123e65]", "[0e+1]", "[0e1]", "[ 4]",
  "[-0.000000000000000000000000000000000000000000000000000001]",
  "[20e1]", "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]",
  "[1e-2]", "[1e+2]", "[123]", "[123.456789]", "0", "-0.0",
  // y_object
  '{"asd":"sdf", "dfg":"fgh"}', '{"asd":"sdf"}', '{"a":"b","a":"c"}', '{"a":"b","a":"b"}', "{}",
  '{"":0}', '{"foo\\u0000bar": 42}', '{ "min": -1.0e+28, "max": 1.0e+28 }',
  '{"x":[{"id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}], "id": "xxxxxxxxxxxxxxxxxxxxxxxx"}',
  '{"a":[]}', '{"title":"\\u041f\\u043e\\u043b\\u0442\\u043e\\u0440\\u0430"}', '{\n"a": "b"\n}',
  // y_string
  '["\\u0060\\u012a\\u12AB"]', '["\\uD801\\udc37"]', '["\\ud83d\\ude39\\ud83d\\udc8d"]',
  '["\\"\\\\\\/\\b\\f\\n\\r\\t"]', '["\\\\u0000"]', '["\\""]', '["a/*b*/c/*d//e"]', '["\\\\a"]',
  '["\\\\n"]', '["\\u0012"]', '["\\uFFFF"]', '["asd"]', '[ "asd"]', '["\\uDBFF\\uDFFF"]',
  '["new\u00a0line"]', '["\u{10ffff}"]', '["\uffff"]', '["\\u0000"]', '["\\u002c"]', '["π"]',
  '["\u{1bfff}"]', '["asd "]', '" "', '["\\uD834\\uDd1e"]', '["\\u0821"]', '["\\u0123"]',
  '["\u2028"]', '["\u2029"]', '["\\u0061\\u30af\\u30EA\\u30b9"]', '["new\\u000Aline"]',
  '["\u007f"]',
  '["\\uA66D"]', '["\\u005C"]', '["⍂㈴⍂"]', '["\\u200B"]', '["\\u2064"]', '["\\uFDD0"]',
  '["\\uFFFE"]', '["\\u0022"]', '["€𝄞"]', '["aa"]', "hex:5b22ed9fbf225d",
  // y_structure
  "false", "42", "-0.1", "null", '"asd"', "true", '""', '["a"]\n', "[true]", " [] ", "\t[\r\n]\t",
  // A byte order mark before JSON is ignored; members of Object.prototype are members like others.
  "hex:efbbbf7b7d", '{"__proto__":{"role":"staff"}}', '{"constructor":1,"toString":2}',
];

const notJson: readonly string[] = [
  // n_array
  "[1 true]", "hex:5b61e55d", '["": 1]', '[""],', "[,1]", "[1,,2]", '["x",,]', '["x"]]', '["",]',
  '["x"', "[x", "[3[4]]", "hex:5bff5d", "[1:2]", "[,]", "[-]", "[   , \"\"]", '["a",\n4\n,1,',
  "[1,]", "[1,,]", '["\u000ba"\\f]', "[*]", '[""', "[1,", "[1,\n1\n,1", "[{}",
  // n_literals
  "[fals]", "[nul]", "[tru]", "fals", "nul", "TRUE", "True", "None", "undefined",
  // n_number
  "[++1234]", "[+1]", "[+Inf]", "[-01]", "[-1.0.]", "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]",
  "[0.1.2]", "[0.3e+]", "[0.3e]", "[0.e1]", "[0E+]", "[0E]", "[0e+]", "[0e]", "[1.0e+]", "[1.0e-]",
  "[1.0e]", "[1 000.0]", "[1eE2]", "[2.e+3]", "[2.e-3]", "[2.e3]", "[9.e+]", "[Inf]", "[NaN]",
  "[１]", "[1+2]", "[0x1]", "[0x42]", "[Infinity]", "[0e+-1]", "[-123.123foo]", "hex:5b313233e55d",
  "hex:5b316531e55d", "hex:5b30e55d0a", "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]",
  "[-1x]", "[1ea]", "[1.]", "[.123]", "[1.2a-3]", "[1.8011670033376514H-308]", "[012]", "[1_000]",
  "hex:5b3165e55d", "[-00.0]", "[00.0]", "[-00e0]", "[00e0]", "[1n]", "[0b1]", "[0o7]",
  // n_object
  '["x", truth]', "{[: \"x\"}\n", '{"x", null}', '{"x"::"b"}', "{🇨🇭}", '{"a":"a" 123}',
  "{key: 'value'}", "hex:7b22b9223a2230222c7d", '{"a" b}', '{:"b"}', '{"a" "b"}', '{"a":', '{"a"',
  "{1:1}", "{9999E9999:1}", "{null:null,null:null}", '{"id":0,,,,,}', "{'a':0}", '{"id":0,}',
  '{"a":"b"}/**/', '{"a":"b"}/**//', '{"a":"b"}//', '{"a":"b"}/', '{"a":"b",,"c":"d"}', '{a: "b"}',
  '{"a":"a', '{ "foo" : "bar", "a" }', '{"a":"b"}#', "{,}", '{"a":1;"b":2}', "{{}}", "{[]}",
  // n_single, n_string
  " ", '["\\uD800\\"]', '["\\uD800\\u"]', '["\\uD800\\u1"]', '["\\uD800\\u1x"]', "[é]",
  '["\\\u0000"]', "hex:5b225c22225d5b225c225d", '["\\x00"]', '["\\\\\\"]', '["\\\t"]', '["\\🌀"]',
  '["\\"]', '["\\u00A"]', '["\\uD834\\uDd"]', '["\\uD800\\uD800\\x"]', "hex:5b225c75e5225d",
  '["\\a"]', '["\\uqqqq"]', "hex:5b225ce5225d", "[\\u0020\"asd\"]", "[\\n]", '"', "['one quote']",
  "abc", '["\\', '["a\u0000a"]', '["new\nline"]', '["\t"]', '"\\UA66D"', '""x', '["\\01"]', "[`a`]",
  '["a\u001fa"]',
  // n_structure
  "[\u2060]", "hex:efbbbf", "<.>", "[<null>]", "[1]x", "[1]]", "[asd]", "aå", "[True]", "1]",
  '{"x": true,', "[][]", "]", "hex:efbb7b7d", "hex:e5", "[", "", "hex:5b005d", "2@", "{}}",
  "{\"\":", '{"a":/*comment*/"b"}', '{"a": true} "x"', "['", '["a', '[{"":', "[,", "[{", '["a"',
  "{", "{]", "{,", "{[", '{"a', "{'a'", '["\\{["\\{["\\{["\\{', "hex:e9", "*", '{"a":"b"}#{}',
  "[\\u000A\"\"]", "[1", "[ false, nul", "[ true, fals", "[ false, tru", '{"asd":"asd"', "å",
  "[\u000c]", "{} {}", "null null", "\u00a0{}", "{}\u0000", "\ufeff\ufeff{}", "// comment\n{}",
  "{}\u2028",
  // Not UTF-8 (RFC 8259 section 8.1): overlong, past the end, half a pair, another encoding.
  "hex:5b22c080225d", "hex:5b22fc80808080af225d", "hex:5b22f4bfbfbf225d", "hex:5b22eda080225d",
  "hex:5b22ff225d", "hex:5b22c3225d", "hex:5b22e9225d", "hex:5b22818182225d", "hex:5b2280225d",
  "hex:fffe5b002200e90022005d00", "hex:feff005b002200e90022005d", "hex:5b002200e90022005d00",
  "hex:7b226e616d65223a22e0ff227d",
];

/** i_: a parser may take or refuse these. */
const either: readonly string[] = [
  "[123.456e-789]", "[0.4e00669999999999999999999999999999999999999999999999999999999]",
  "[-1e+9999]",
  "[1.5e+9999]", "[-123123123123123123123123123123]", "[100000000000000000000]",
  "[-237462374673276894279832749832423479823246327846]", '["\\uDADA"]', '["\\uD888\\u1234"]',
  '["\\uD800\\n"]', '["\\uDd1ea"]', '["\\uD800\\uD800\\n"]', '["\\ud800"]', '["\\ud800abc"]',
  '["\\uDd1e\\uD834"]', '["\\uDFAA"]', '{"\\uDFAA":0}', `${"[".repeat(500)}${"]".repeat(500)}`,
  "[".repeat(30_000), '[{"":'.repeat(12_000), `${'{"a":'.repeat(33)}1${"}".repeat(33)}`,
  `[${"9".repeat(60_000)}]`, `[0.${"0".repeat(60_000)}1]`, `[1e${"9".repeat(60_000)}]`,
];

function post(forno: Forno, sample: string): Promise<Answer> {
  return forno.asStaff("POST", "/api/toppings", bytesOf(sample));
}

const shown = (sample: string): string => JSON.stringify(sample.slice(0, 80));

test("JSON that is no topping reaches validation and is invalid-body", async (t) => {
  const forno = await startForno(t);
  await Promise.all(json.map(async (sample) => {
    const answer = await post(forno, sample);
    assert.equal(answer.status, 400, shown(sample));
    assert.equal(answer.json.type, "/problems/invalid-body", shown(sample));
    assert.ok(answer.json.errors.length > 0);
  }));
});

const words = /at position \d+|Unexpected token '.'|unexpected text|ends too early|not UTF-8|empty/;

test("a body that is not JSON is invalid-json", async (t) => {
  const forno = await startForno(t);
  await Promise.all(notJson.map(async (sample) => {
    const answer = await post(forno, sample);
    assert.equal(answer.status, 400, shown(sample));
    assert.equal(answer.json.type, "/problems/invalid-json", shown(sample));
    assert.match(answer.json.detail, words, shown(sample));
  }));
});

test("a syntax error is told in the engine's words, without what it quotes", async (t) => {
  const forno = await startForno(t);
  const rows: [sample: string, words: string][] = [
    ['{"name":"x","isVegetarian":True}', "Unexpected token 'T'"],
    ['{"name":tru}', "Unexpected token '}'"],
    ["name at position 7", "Unexpected token 'a'"],
    ["\u00a0{}", "unexpected text"],
    ['{"a": 1 at position 7}', "Expected ',' or '}' after property value in JSON at position 8"],
    ['{"a": 1, }', "Expected double-quoted property name in JSON at position 9"],
    ["{}{}", "Unexpected non-whitespace character after JSON at position 2"],
    ['{"name":"x"', "the text ends too early"],
    ['{"name":"x', "the text ends too early"],
    ['{"name":fals', "the text ends too early"],
    ["[1.", "the text ends too early"],
    ['["\\', "the text ends too early"],
  ];
  for (const [sample, words] of rows) {
    const { detail } = (await post(forno, sample)).json;
    const said = detail.replace(/ \(line \d+ column \d+\)/, "").split("syntax error: ")[1];
    assert.equal(said, words);
  }
});

test("samples that the grammar leaves open are invalid-json or invalid-body", async (t) => {
  const forno = await startForno(t);
  await Promise.all(either.map(async (sample) => {
    const answer = await post(forno, sample);
    assert.equal(answer.status, 400, shown(sample));
    assert.match(answer.json.type, /^\/problems\/invalid-(json|body)$/, shown(sample));
  }));
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
});

const flags = '"isVegetarian":true,"isVegan":true';

test("strings come back as the characters they spell", async (t) => {
  const forno = await startForno(t);
  const spellings: [string, string][] = [
    ["\\u0052\\u006f\\u0063k\\u0065t", "Rocket"], ["\\uD83C\\uDF55", "🍕"], ["🍕", "🍕"],
    ["\\\"\\\\\\/", '"\\/'], ["e\\u0301", "e\u0301"], ["é", "é"], ["a\u2028b", "a\u2028b"],
    ["\\ufeffx", "\ufeffx"], ["\uffff", "\uffff"], ["\u{10ffff}", "\u{10ffff}"], ["<b>", "<b>"],
  ];
  for (const [spelled, name] of spellings) {
    const { status, json: created } = await post(forno, `{"name":"${spelled}",${flags}}`);
    assert.deepEqual([status, created.name], [201, name]);
    const { json: read } = await forno.call("GET", `/api/toppings/${created.id}`);
    assert.equal(read.name, name);
  }
});

test("names that escapes spell are the same names", async (t) => {
  const forno = await startForno(t);
  const { status, json: created } = await post(forno, `{"n\\u0061me":"Rocket",${flags}}`);
  assert.deepEqual([status, created.name], [201, "Rocket"]);
});
