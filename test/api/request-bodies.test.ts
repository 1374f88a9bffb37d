/** Request bodies (contract parts 3 and 5): labels, encodings, sizes, nesting, the JSON grammar. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, type Response, startForno } from "../helpers/forno.ts";
import { bearer, parseResponses, rawExchange, requestText } from "../helpers/raw-http.ts";
import { assertProblem, assertResource } from "./assertions.ts";
import { order, topping } from "../helpers/samples.ts";

const path = "/api/toppings";
const writes = [["POST", path], ["PUT", `${path}/funghi`], ["PATCH", `${path}/funghi`]] as const;
const whole = JSON.stringify(topping({ name: "Caffè 🍕" }));
const patchType = "application/merge-patch+json";
const streamed = { "transfer-encoding": "chunked" };

const labels: Readonly<Record<"read" | "refused", readonly (string | undefined)[]>> = {
  read: [
    undefined, "application/json", "Application/JSON", 'application/json ; charset="UTF-8"; a=b',
    patchType, "application/vnd.api+JSON; charset=utf-8",
    "application/x-www-form-urlencoded; charset=UTF-8", "text/plain;charset=UTF-8",
  ],
  refused: [
    "text/html", "application/octet-stream", "application/jsonp", "json",
    "multipart/form-data; boundary=x", "application/json; charset=iso-8859-1",
    'text/plain; charset="utf-16"', `application/json;${" ".repeat(200)}a=b`,
  ],
};

test("a body is JSON under every default label, after a byte order mark too", async (t) => {
  const forno = await startForno(t);
  for (const label of labels.read) {
    const headers: Record<string, string> = label === undefined ? {} : { "content-type": label };
    const response = await forno.asStaff("POST", path, `\ufeff${whole}`, headers);
    assertResource(response, 201, topping({ name: "Caffè 🍕" }));
    await forno.write("DELETE", `${path}/tartufo`);
  }
  // The last of two equal members counts.
  const twice = whole.replace("{", '{"name":"Lost",');
  assertResource(await forno.asStaff("POST", path, twice), 201, topping({ name: "Caffè 🍕" }));
});

test("any other label, and any Content-Encoding, is 415", async (t) => {
  const forno = await startForno(t);
  const refused = [
    ...labels.refused.map((label = "") => ({ "content-type": label })),
    ...["gzip", "GZIP", "identity, gzip"].map((coding) => ({ "content-encoding": coding })),
  ];
  for (const headers of refused) {
    for (const [method, target] of writes) {
      const response = await forno.asStaff(method, target, whole, headers);
      const { detail } = assertProblem(response, "unsupported-media-type");
      for (const label of Object.values(headers)) {
        assert.ok(detail.includes(`"${label.slice(0, 200)}"`), detail);
      }
      // RFC 5789 section 2.2 asks for it when a PATCH is refused.
      assert.equal(response.headers.get("accept-patch"), patchType);
    }
  }
});

test("a body in 2,048 pieces is put together; one in more is 413 and says so", async (t) => {
  const forno = await startForno(t);
  const send = (body: string, token: string): Promise<string> => {
    const chunks = Array.from(body, (character) => `1\r\n${character}\r\n`).join("");
    const chunked = `${bearer(token)}Transfer-Encoding: chunked\r\n`;
    return rawExchange(forno.port, `${requestText(`POST ${path}`, chunked)}${chunks}0\r\n\r\n`
      + requestText("GET /healthz", "Connection: close\r\n"));
  };
  const body = JSON.stringify(topping());
  assert.match(await send(body.padEnd(2_048, " "), forno.staff), /^HTTP\/1\.1 201 [^]*"alive"/);
  for (const length of [2_049, 4_000, 9_000]) {
    const [response, ...others] = parseResponses(await send(body.padEnd(length), forno.staff));
    const { detail } = assertProblem(response ?? assert.fail(), "body-too-large");
    assert.match(detail, /at most 2048 pieces/);
    assert.equal(response?.headers.get("connection"), "close");
    assert.deepEqual(others, []);
  }
  // Whoever is refused on the header alone loses the connection only for far too many.
  assert.match(await send(body.padEnd(4_000, " "), "no"), /^HTTP\/1\.1 401 [^]*"alive"/);
  assert.doesNotMatch(await send(body.padEnd(9_000, " "), "no"), /"alive"/);
});

/** An order that fills what room it has. */
function long(index: number): object {
  const id = `${index}`.padEnd(128, "x");
  return order({ id, group: id, toppings: Array(50).fill({ id: "mozzarella" }) });
}

const limits = [
  ["POST", "/api/orders", 131_072, Array.from({ length: 12 }, (_, index) => long(index))],
  ["POST", path, 65_536, topping({ name: "Caffè 🍕" })],
  ["PUT", `${path}/funghi`, 65_536, topping({ id: "funghi" })],
  ["PATCH", `${path}/funghi`, 65_536, { name: "Caffè 🍕" }],
  ["POST", "/api/tokens", 1_024, { code: "unknown" }],
] as const;

test("a body has 64 KiB, of orders 128 and of a code 1, and not a byte more", async (t) => {
  for (const headers of [{}, streamed]) {
    const forno = await startForno(t);
    for (const [method, target, limit, body] of limits) {
      const json = JSON.stringify(body);
      const fill = " ".repeat(limit - Buffer.byteLength(json));
      const fits = await forno.asStaff(method, target, json + fill, headers);
      if (target === "/api/tokens") assertProblem(fits, "not-authenticated");
      else assert.ok(fits.status < 300, fits.text);
      const { detail } = assertProblem(
        await forno.asStaff(method, target, `${json}${fill} `, headers), "body-too-large");
      assert.match(detail, new RegExp(`^expected a body of at most ${limit} bytes`));
    }
  }
});

/** An order with this many levels: the body is level 1, pizzaSize level 2, arrays the rest. */
function nested(levels: number): string {
  const extra = "[".repeat(levels - 2) + "]".repeat(levels - 2);
  return JSON.stringify(order()).replace('{"id":"grande"', `{"name":${extra},"id":"grande"`);
}

test("nesting goes to 32 levels and no further; brackets in a string are none", async (t) => {
  const forno = await startForno(t);
  for (const body of [nested(33), nested(20_000), "[".repeat(60_000)]) {
    assertProblem(await forno.asStaff("POST", "/api/orders", body), "invalid-json");
  }
  assertResource(await forno.asStaff("POST", "/api/orders", nested(32)), 201, order());
  const body = topping({ name: `${'"\\['.repeat(20)}${"{".repeat(40)}` });
  assertResource(await forno.asStaff("POST", path, body), 201, body);
});

test("a body has some 500 different names of members and 20,000 colons at most", async (t) => {
  const forno = await startForno(t);
  const named = (count: number): string => JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`name\\"${index}`, index])));
  for (const [body, words] of [
    // Two names may have one hash, so a few more than 500 pass.
    // Names of an earlier body do not count.
    ...Array(2).fill([named(600), /got more than 500 different names of members$/]),
    [named(8_000).slice(0, 65_536), /got more than 500 different names of members$/],
    [JSON.stringify({ name: ":".repeat(20_000) }), /got more than 20000 colons$/],
  ] as const) {
    const { detail } = assertProblem(await forno.asStaff("POST", path, body), "invalid-json");
    assert.match(detail, words);
  }
  for (const body of [
    named(500), JSON.stringify({ name: ":".repeat(19_999) }),
    `[${Array(8_000).fill('{"a":1}')}]`, // One name.
  ]) {
    assertProblem(await forno.asStaff("POST", path, body), "invalid-body");
  }
});

test("bodies on GET and DELETE are ignored, whatever is in them", async (t) => {
  const forno = await startForno(t);
  for (const headers of [{ "content-type": "image/png", "content-encoding": "gzip" }, streamed]) {
    assert.equal((await forno.asStaff("GET", path, "{ no", headers)).status, 200);
    await forno.write("DELETE", `${path}/funghi`, "{ no", headers);
    await forno.write("POST", path, topping({ id: "funghi" }));
  }
});

/** Text is sent as UTF-8; `hex:` as the bytes it spells. */
function post(forno: Client, sample: string): Promise<Response> {
  const isHex = sample.startsWith("hex:");
  const bytes = isHex ? Buffer.from(sample.slice(4), "hex") : Buffer.from(sample);
  return forno.asStaff("POST", path, bytes);
}

/** Texts that are not JSON, and the message: the engine's words without its quotation. */
const notJson: readonly (readonly [sample: string, words: string | RegExp])[] = [
  ["", /got an empty body$/],
  ["hex:efbbbf", "the text ends too early"],
  // Overlong, past the end, half a pair, another encoding (RFC 8259 section 8.1).
  ...["c080", "f4bfbfbf", "eda080", "ff", "c3", "fffe7b007d00"].map((hex) =>
    [`hex:5b22${hex}225d`, /got bytes that are not UTF-8$/] as const),
  ['{"name":"x","isVegetarian":True}', "Unexpected token 'T'"],
  ["{'a':0}", /.*/],
  // As cmd.exe passes it on: cut at its first space.
  ...["'{name:", "'{}'", "'"].map((sent) =>
    [sent, /got a single quote .* on Windows put .*\\"/] as const),
  ["[+1]", /.*/],
  ["[NaN]", /.*/],
  ["\ufeff\ufeff{}", "unexpected text"],
  ["\u00a0{}", "unexpected text"],
  ["name at position 7", "Unexpected token 'a'"],
  ['{"a": 1 at position 7}', "Expected ',' or '}' after property value in JSON at position 8"],
  ["{}{}", "Unexpected non-whitespace character after JSON at position 2"],
  ['{"name":"x"', "the text ends too early"],
  ['{"name":"x', "the text ends too early"],
  ['{"name":fals', "the text ends too early"],
  ['["\\', "the text ends too early"],
];

test("a body that is not JSON is invalid-json, with what is wrong, on every write", async (t) => {
  const forno = await startForno(t);
  for (const [sample, words] of notJson) {
    const { detail } = assertProblem(await post(forno, sample), "invalid-json");
    const said = detail.replace(/ \(line \d+ column \d+\)/, "");
    if (typeof words === "string") assert.equal(said.split("syntax error: ")[1], words);
    else assert.match(said, words);
  }
  for (const [method, target] of writes) {
    for (const body of [undefined, "{"]) {
      assertProblem(await forno.asStaff(method, target, body), "invalid-json");
    }
  }
});
