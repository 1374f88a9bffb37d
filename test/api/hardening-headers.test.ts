/**
 * The headers every answer carries (contract part 3): no sniffing, no caching without revalidation,
 * no word about what the server is made of. Every body ends with a newline.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Forno, type Response, startForno } from "../helpers/forno.ts";

const topping = { id: "rucola-2", name: "Rocket", isVegetarian: true, isVegan: true };

type Row = readonly [
  status: number,
  method: string,
  path: string,
  caller?: "staff" | "customer" | undefined,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
];

/** A request for every kind of answer, but for the stream of events. */
const requests: readonly Row[] = [
  [200, "GET", "/api", undefined, undefined],
  [200, "GET", "/api/toppings", undefined, undefined],
  [200, "HEAD", "/api/toppings", undefined, undefined],
  [200, "GET", "/api/toppings/funghi", undefined, undefined],
  [200, "GET", "/healthz", undefined, undefined],
  [200, "GET", "/readyz", undefined, undefined],
  [201, "POST", "/api/toppings", "staff", topping],
  [200, "PUT", "/api/toppings/rucola-2", "staff", topping],
  [409, "POST", "/api/toppings", "staff", topping],
  [204, "DELETE", "/api/toppings/rucola-2", "staff", undefined],
  [204, "OPTIONS", "/api/toppings", undefined, undefined],
  [400, "POST", "/api/toppings", "staff", "{"],
  [400, "GET", "/api/toppings?limit=0", undefined, undefined],
  [401, "POST", "/api/toppings", undefined, topping],
  [403, "POST", "/api/toppings", "customer", topping],
  [404, "GET", "/api/toppings/nobody-has-this", undefined, undefined],
  [404, "GET", "/nothing-here", undefined, undefined],
  [405, "DELETE", "/api", undefined, undefined],
  [412, "PUT", "/api/toppings/funghi", "staff", topping, { "if-match": '"another"' }],
  [413, "POST", "/api/toppings", "staff", " ".repeat(70_000)],
  [415, "POST", "/api/toppings", "staff", topping, { "content-type": "text/csv" }],
  [304, "GET", "/api/toppings/funghi", undefined, undefined, { "if-none-match": "*" }],
  [200, "GET", "/api/backup", "staff"],
  [200, "GET", "/metrics", "staff"],
  [200, "GET", "/"],
  [200, "GET", "/board"],
  [308, "GET", "/board/"],
  [200, "GET", "/pages/current/icon.svg"],
  [404, "GET", "/pages/current/none.js"],
];

async function each(forno: Forno, look: (response: Response, what: string) => void): Promise<void> {
  for (const [status, method, path, caller, body, headers = {}] of requests) {
    const token = caller === undefined ? {} : { token: forno[caller] };
    const options = { ...token, headers, ...(body !== undefined && { body }) };
    const response = await forno.call(method, path, options);
    assert.equal(response.status, status, `${method} ${path}: ${response.text}`);
    look(response, `${method} ${path}`);
  }
}

test("every answer forbids sniffing, limits caching, and ends with a newline", async (t) => {
  const forno = await startForno(t);
  await each(forno, ({ status, headers, text }, what) => {
    assert.equal(headers.get("x-content-type-options"), "nosniff", what);
    assert.equal(headers.get("x-powered-by"), undefined, what);
    assert.doesNotMatch(headers.get("server") ?? "", /node|\d/i, what);
    assert.ok(!Number.isNaN(Date.parse(headers.get("date") ?? "")), what);
    assert.match(headers.get("cache-control") ?? "", /no-cache|no-store/, what);
    if (text === "") return;
    assert.ok(text.endsWith("\n"), what);
    const type = headers.get("content-type") ?? "";
    if (status >= 400) assert.match(type, /^application\/problem\+json/, what);
    else if (what.includes("/api")) assert.match(type, /^application\/(x-nd)?json/, what);
    else assert.notEqual(type, "", what);
  });
});

test("a problem has RFC 9457's members and errors, and no stack or path", async (t) => {
  const forno = await startForno(t);
  await each(forno, ({ status, json, text }, what) => {
    if (status < 400 || json === undefined) return;
    const stack = /\bat .+:\d+:\d+|node:|node_modules|\.ts\b|SyntaxError|Error:/;
    assert.doesNotMatch(text, stack, what);
    assert.ok(!text.includes(forno.dataDir), what);
    const { type, title, status: said, detail, errors, identical, ...others } = json;
    assert.match(type, /^\/problems\/[a-z-]+$/, what);
    assert.ok(typeof title === "string" && title.length > 0, what);
    assert.ok(typeof detail === "string" && detail.length > 0, what);
    assert.equal(said, status, what);
    assert.equal(Array.isArray(errors), errors !== undefined, what);
    assert.equal(identical, status === 409 ? true : undefined, what);
    assert.deepEqual(others, {}, what);
  });
});
