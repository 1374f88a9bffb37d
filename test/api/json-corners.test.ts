/**
 * The corners of the JSON grammar (RFC 8259) as request bodies: JSON reaches validation, other
 * text is `invalid-json`. The parser is V8's; the encoding and the words of a refusal are Forno's.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Forno, type Response, startForno } from "../helpers/forno.ts";

/** Text is sent as UTF-8; `hex:` as the bytes it spells. */
function bytesOf(sample: string): Uint8Array {
  return sample.startsWith("hex:") ? Buffer.from(sample.slice(4), "hex") : Buffer.from(sample);
}

const json: readonly string[] = [
  "[]", '[null, 1, "1", {}]', "\t[\r\n]\t", "0", "-0.0", "[123.456e78]", "null", '"asd"', '""',
  "{}",
  '{"a":"b","a":"c"}', '{"":0}', '{"foo\\u0000bar": 42}', '["\\"\\\\\\/\\b\\f\\n\\r\\t"]',
  '["\\uD801\\udc37"]', '["\\u0000"]', '["\u2028"]', '["\u007f"]', '["€𝄞"]', "hex:5b22ed9fbf225d",
  // A byte order mark before JSON is ignored; members of Object.prototype are members like others.
  "hex:efbbbf7b7d", '{"__proto__":{"role":"staff"}}', '{"constructor":1,"toString":2}',
];

const notJson: readonly string[] = [
  "", " ", "[", "{", '["a', '{"a":', "]", "1]", '["x",]', '{"id":0,}', "[1 true]", "[1,,2]", "{}{}",
  "[-012]", "[.5]", "[1.]", "[+1]", "[0x1]", "[NaN]", "[Infinity]", "[1n]", "TRUE", "undefined",
  "{'a':0}", "{a: 1}", '{"a":"b"}//', '{"a":/*comment*/"b"}', '["\\x00"]', '["\\u00A"]', '["\t"]',
  '["new\nline"]', '["a\u0000a"]', "<.>", "\u00a0{}", "{}\u0000", "\ufeff\ufeff{}", "{}\u2028",
  // Not UTF-8 (RFC 8259 section 8.1): overlong, past the end, half a pair, another encoding.
  "hex:efbbbf", "hex:e5", "hex:efbb7b7d", "hex:5b22c080225d", "hex:5b22f4bfbfbf225d",
  "hex:5b22eda080225d", "hex:5b22ff225d", "hex:5b22c3225d", "hex:5b2280225d",
  "hex:fffe5b002200e90022005d00", "hex:feff005b002200e90022005d", "hex:7b226e616d65223a22e0ff227d",
];

function post(forno: Forno, sample: string): Promise<Response> {
  return forno.asStaff("POST", "/api/toppings", bytesOf(sample));
}

const shown = (sample: string): string => JSON.stringify(sample.slice(0, 80));

test("JSON that is no topping reaches validation and is invalid-body", async (t) => {
  const forno = await startForno(t);
  await Promise.all(json.map(async (sample) => {
    const response = await post(forno, sample);
    assert.equal(response.status, 400, shown(sample));
    assert.equal(response.json.type, "/problems/invalid-body", shown(sample));
    assert.ok(response.json.errors.length > 0);
  }));
});

const words = /at position \d+|Unexpected token '.'|unexpected text|ends too early|not UTF-8|empty/;

test("a body that is not JSON is invalid-json", async (t) => {
  const forno = await startForno(t);
  await Promise.all(notJson.map(async (sample) => {
    const response = await post(forno, sample);
    assert.equal(response.status, 400, shown(sample));
    assert.equal(response.json.type, "/problems/invalid-json", shown(sample));
    assert.match(response.json.detail, words, shown(sample));
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
