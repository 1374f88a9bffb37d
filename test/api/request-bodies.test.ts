/** Request bodies (contract parts 3 and 5): labels, encodings, sizes, nesting, duplicates. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { assertProblem, assertResource } from "./assertions.ts";
import { order, topping } from "./kinds.ts";
import { rawExchange, sendRaw } from "../helpers/raw-http.ts";

const path = "/api/toppings";
const writes = [
  ["POST", path],
  ["PUT", `${path}/funghi`],
  ["PATCH", `${path}/funghi`],
] as const;

const readLabels = [
  undefined, "application/json", "Application/JSON", "application/json; charset=utf-8",
  'application/json;charset="UTF-8"', "application/json ; charset=UTF-8 ; profile=x",
  "application/merge-patch+json", "application/vnd.api+json",
  "application/problem+JSON; charset=utf-8", "application/x-www-form-urlencoded",
  "application/x-www-form-urlencoded; charset=UTF-8", "text/plain", "text/plain;charset=UTF-8",
];

const refusedLabels = [
  "text/html", "text/xml", "application/xml", "application/octet-stream", "application/jsonp",
  "application/javascript", "application/json5", "multipart/form-data; boundary=x", "image/svg+xml",
  "json", "application/json; charset=iso-8859-1", "application/json; charset=utf-16",
  "text/plain; charset=windows-1252", 'application/x-www-form-urlencoded; charset="latin1"',
];

test("a body is read as JSON under every default label", async (t) => {
  const forno = await startForno(t);
  for (const [index, label] of readLabels.entries()) {
    const sent = topping({ id: `t${index}`, name: "Caffè 🍕" });
    const headers: Record<string, string> = label === undefined ? {} : { "Content-Type": label };
    const body = JSON.stringify(sent);
    const response = await sendRaw(forno.port, "POST", path, { token: forno.staff, headers, body });
    assert.equal(response.status, 201, `${label}: ${response.text}`);
    assertResource(await forno.call("GET", `${path}/t${index}`), 200, sent);
  }
});

test("any other media type and any charset but UTF-8 is 415", async (t) => {
  const forno = await startForno(t);
  const body = JSON.stringify(topping());
  for (const label of refusedLabels) {
    for (const [method, target] of writes) {
      const headers = { "Content-Type": label };
      const request = { token: forno.staff, headers, body };
      const response = await sendRaw(forno.port, method, target, request);
      assert.equal(response.status, 415, label);
      assertProblem(response, "unsupported-media-type");
    }
  }
  assertProblem(await forno.call("GET", `${path}/tartufo`), "not-found");
});

test("a body with a Content-Encoding is 415, whatever its label", async (t) => {
  const forno = await startForno(t);
  const body = JSON.stringify(topping());
  for (const encoding of ["gzip", "br", "deflate", "zstd", "GZIP", "identity, gzip", "made-up"]) {
    const headers = { "Content-Type": "application/json", "Content-Encoding": encoding };
    const response = await sendRaw(forno.port, "POST", path, { token: forno.staff, headers, body });
    assertProblem(response, "unsupported-media-type");
  }
});

test("a write without a body, or with a bad one, is 400 and changes nothing", async (t) => {
  const forno = await startForno(t);
  const token = forno.staff;
  const before = await forno.call("GET", path);
  for (const [method, target] of writes) {
    for (const request of [{ token }, { token, body: "" }, { token, body: '{"name":"x"' }]) {
      assertProblem(await sendRaw(forno.port, method, target, request), "invalid-json");
    }
  }
  assert.equal((await forno.call("GET", path)).text, before.text);
});

test("of duplicate members the last wins, the id and ill-typed ones included", async (t) => {
  const forno = await startForno(t);
  const twice = '{"id":"a","name":7,"isVegan":"no","id":"b","name":"First","isVegetarian":true,'
    + '"isVegan":false,"name":"Last"}';
  assertResource(await forno.asStaff("POST", path, twice), 201,
    { id: "b", name: "Last", isVegetarian: true, isVegan: false });
  assertProblem(await forno.call("GET", `${path}/a`), "not-found");
});

test("a body in chunks is put together", async (t) => {
  const forno = await startForno(t);
  const sent = topping({ name: "Caffè 🍕".repeat(20) });
  const request = { token: forno.staff, chunked: true, body: JSON.stringify(sent) };
  assertResource(await sendRaw(forno.port, "POST", path, request), 201, sent);
});

test("a body in one-byte pieces is put together, and refused in more than 4,096", async (t) => {
  const forno = await startForno(t);
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${forno.staff}\r\n`;
  const send = async (body: string): Promise<string> => {
    const chunks = Array.from(body, (character) => `1\r\n${character}\r\n`).join("");
    const framing = "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    return rawExchange(forno.port, `${head}${framing}${chunks}0\r\n\r\n`);
  };
  const body = JSON.stringify(topping());
  assert.match(await send(body.padEnd(4_096, " ")), /^HTTP\/1\.1 201 /);
  assert.equal(await send(body.padEnd(4_097, " ")), "");
});

test("a preload that listens to bodies, as monitoring does, takes nothing from them", async (t) => {
  const preload = join(temporaryFolder(t), "preload.mjs");
  writeFileSync(preload, `
    import { Server } from "node:http";
    const { emit } = Server.prototype;
    Server.prototype.emit = function (name, request, response) {
      if (name === "request") request.on("data", () => {});
      return emit.call(this, name, request, response);
    };`);
  const forno = await spawnForno(t, { env: { NODE_OPTIONS: `--import=${preload}` } });
  for (const id of ["one", "two"]) {
    assertResource(await forno.asStaff("POST", path, topping({ id })), 201, topping({ id }));
  }
  // Behind a request that is answered first, which waits for the disk.
  const put = (name: string): string => {
    const body = JSON.stringify(topping({ id: "one", name }));
    const token = `Authorization: Bearer ${forno.staff}\r\n`;
    return `PUT ${path}/one HTTP/1.1\r\nHost: a\r\n${token}Content-Length: ${body.length}\r\n\r\n`
      + body;
  };
  await rawExchange(forno.port, put("First") + put("Second"), { responses: 2 });
  assert.equal((await forno.call("GET", `${path}/one`)).json.name, "Second");
});

for (const chunked of [false, true]) {
  test(`65536 bytes are read, not one more (${chunked ? "streamed" : "declared"})`, async (t) => {
    const forno = await startForno(t);
    const token = forno.staff;
    const whole = JSON.stringify(topping());
    for (const [method, target] of writes) {
      const tooLarge = { token, chunked, body: whole.padEnd(65_537, " ") };
      assertProblem(await sendRaw(forno.port, method, target, tooLarge), "body-too-large");
    }
    const fits = { token, chunked, body: whole.padEnd(65_536, " ") };
    assertResource(await sendRaw(forno.port, "POST", path, fits), 201, topping());
  });
}

test("the limit counts bytes, not characters, and the refusal says how many", async (t) => {
  const forno = await startForno(t);
  const body = JSON.stringify(topping({ name: "🍕".repeat(17_000) }));
  const response = await forno.asStaff("POST", path, body);
  assert.match(assertProblem(response, "body-too-large").detail, /\b65536\b/);
});

/** An order with this many levels: the body is level 1, pizzaSize level 2, arrays the rest. */
function nested(levels: number): string {
  const extra = "[".repeat(levels - 2) + "]".repeat(levels - 2);
  return JSON.stringify(order()).replace('{"id":"grande"', `{"name":${extra},"id":"grande"`);
}

test("nesting goes to 32 levels and no further", async (t) => {
  const forno = await startForno(t);
  for (const levels of [33, 34, 1000, 20_000]) {
    const response = await forno.asStaff("POST", "/api/orders", nested(levels));
    assert.equal(response.status, 400, `${levels} levels: ${response.text}`);
    assert.match(response.json.type, /^\/problems\/invalid-(json|body)$/);
  }
  const unclosed = await forno.asStaff("POST", "/api/orders", "[".repeat(60_000));
  assert.equal(unclosed.status, 400);
  const deepest = await forno.asStaff("POST", "/api/orders", nested(32));
  assertResource(deepest, 201, order());
});

test("brackets in a string are not nesting", async (t) => {
  const forno = await startForno(t);
  const body = topping({ name: `${'"\\['.repeat(20)}${"{".repeat(40)}` });
  assertResource(await forno.asStaff("POST", path, body), 201, body);
});

test("bodies on GET and DELETE are ignored, whatever is in them", async (t) => {
  const forno = await startForno(t);
  const token = forno.staff;
  const headers = { "Content-Type": "image/png", "Content-Encoding": "gzip" };
  const body = "{ not JSON";
  assert.equal((await sendRaw(forno.port, "GET", `${path}/funghi`, { headers, body })).status, 200);
  const removed = await sendRaw(forno.port, "DELETE", `${path}/funghi`, { token, headers, body });
  assert.equal(removed.status, 204);
  const chunked = { token, body, chunked: true };
  assert.equal((await sendRaw(forno.port, "DELETE", `${path}/rucola`, chunked)).status, 204);
});
