/**
 * One answer of every sort, and the promises about all of them (contract parts 3 and 5): header
 * fields, the members of a problem; and the documents that describe them, /openapi.json and
 * /problems.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ProblemType, problemTypes } from "../../src/problems/problem.ts";
import { menuKinds, toppings } from "../../src/resources/menu.ts";
import { type Response, startForno } from "../helpers/forno.ts";
import { needsBuild } from "../helpers/node.ts";
import { order, topping } from "../helpers/samples.ts";
import { assertProblem } from "./assertions.ts";
import {
  assertDescribed, bodySchema, fetchDescription, operationsOf, parametersOf, resolve,
} from "./description.ts";

const site = "https://shop.example";
const funghi = topping({ id: "funghi", name: "Mushrooms" });
const another = order({ id: undefined });

type Row = readonly [
  outcome: number | ProblemType,
  line: string,
  caller?: "owner" | "staff" | "customer" | "reader" | undefined,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
];

const builtRows: readonly Row[] = [[308, "GET /board/"], [200, "GET /pages/current/icon.svg"]];

/** In this order, because some need the writes before them. */
const rows: readonly Row[] = [
  [200, "GET /api"],
  [200, "GET /healthz"],
  [200, "GET /readyz"],
  [200, "GET /openapi.json"],
  [200, "GET /problems"],
  [200, "GET /metrics", "reader"],
  [200, "GET /api/backup", "reader"],
  [201, "POST /api/devices", "owner", { name: "Bar", role: "reader", expires: "30d" }],
  [200, "GET /api/devices", "owner"],
  ["not-found", "DELETE /api/devices/nobody", "owner"],
  [201, "POST /api/tokens"],
  [200, "GET /api/shop"],
  [200, "PATCH /api/shop", "staff", { notice: "Back at 18:00" }],
  [200, "GET /api/toppings"],
  [200, "GET /api/toppings?limit=1"],
  [200, "HEAD /api/toppings"],
  [200, "HEAD /api/events"],
  [204, "OPTIONS /api/toppings"],
  [304, "GET /api/toppings", undefined, undefined, { "if-none-match": "*" }],
  [304, "GET /api/toppings/funghi", undefined, undefined, { "if-none-match": "*" }],
  [304, "GET /openapi.json", undefined, undefined, { "if-none-match": "*" }],
  [304, "GET /problems", undefined, undefined, { "if-none-match": "*" }],
  [201, "POST /api/toppings", "staff", topping()],
  [201, "POST /api/orders", "customer", order()],
  [200, "GET /api/orders"],
  [200, "GET /api/orders/tavolo-4"],
  ["invalid-json", "POST /api/toppings", "staff", "{"],
  ["invalid-body", "POST /api/toppings", "staff", {}],
  ["invalid-query", "GET /api/toppings?limit=0"],
  ["not-authenticated", "POST /api/toppings", undefined, funghi],
  ["not-authenticated", "POST /api/tokens", undefined, { code: "unknown" }],
  ["forbidden", "POST /api/orders", "reader", another],
  ["not-found", "GET /api/toppings/none"],
  ["not-found", "GET /nowhere"],
  ["not-found", "GET /pages/current/none.js"],
  ["method-not-allowed", "DELETE /api"],
  ["id-taken", "POST /api/orders", "customer", order()],
  ["precondition-failed", "PUT /api/toppings/funghi", "staff", funghi, { "if-match": '"x"' }],
  ["body-too-large", "POST /api/toppings", "staff", " ".repeat(65_537)],
  ["unsupported-media-type", "PATCH /api/toppings/funghi", "staff", "", { "content-type": "a/b" }],
  [200, "PATCH /api/orders/tavolo-4", "staff", { status: "Delivered" }],
  ["status-not-allowed", "PATCH /api/orders/tavolo-4", "staff", { status: "Cancelled" }],
  ["order-closed", "PUT /api/orders/tavolo-4", "staff", order({ status: "Ready", toppings: [] })],
  [200, "PATCH /api/shop", "staff", { soldOut: { pizzasizes: ["grande"] } }],
  ["sold-out", "POST /api/orders", "customer", another],
  [200, "PATCH /api/shop", "staff", { isOpen: false }],
  ["shop-closed", "POST /api/orders", "customer", another],
  [204, "DELETE /api/orders/tavolo-4", "staff"],
  [200, "GET /"],
  [200, "GET /board"],
  ...(needsBuild === false ? builtRows : []),
];

const exposed = "ETag, Location, Link, X-Request-Id, Retry-After";
const sorted = (names = ""): string[] => names.toLowerCase().split(", ").sort();

test("one of every sort of answer", async (t) => {
  const forno = await startForno(t, { env: { GUEST_ORDERS: "on", CORS_ORIGIN: site } });
  const answers: { method: string, path: string, response: Response }[] = [];
  for (const [outcome, line, caller, body, headers] of rows) {
    const [method = "", path = ""] = line.split(" ");
    const response = await forno.call(method, path, {
      ...(caller !== undefined && { token: forno[caller] }),
      ...{ body, headers: { origin: site, ...headers } },
    });
    if (typeof outcome === "string") assertProblem(response, outcome);
    else assert.equal(response.status, outcome, `${line} ${response.text}`);
    answers.push({ method, path, response });
  }

  await t.test("forbids sniffing, limits caching, and ends with a newline", () => {
    for (const { method, path, response: { headers, text, json } } of answers) {
      const what = `${method} ${path} ${text}`;
      assert.equal(headers.get("x-content-type-options"), "nosniff", what);
      assert.ok(!headers.has("x-powered-by") && !headers.has("server"), what);
      assert.ok(!Number.isNaN(Date.parse(headers.get("date") ?? "")), what);
      const isSecret = json?.token !== undefined || json?.code !== undefined;
      const caching = isSecret ? /^no-store$/ : /^no-(cache|store)$/;
      assert.match(headers.get("cache-control") ?? "", caching, what);
      assert.equal(headers.get("keep-alive"), "timeout=300", what);
      assert.ok(text === "" || text.endsWith("\n"), what);
      assert.ok(text === "" || headers.has("content-type"), what);
    }
  });

  await t.test("has an X-Request-Id of its own", () => {
    const ids = answers.map(({ response }) => response.headers.get("x-request-id") ?? "");
    for (const id of ids) assert.match(id, /^[!-~]{8,128}$/);
    assert.equal(new Set(ids).size, rows.length);
  });

  await t.test("as a problem has RFC 9457's members and its own, and no stack or path", () => {
    for (const { response: { status, json, text } } of answers) {
      if (status < 400) continue;
      const { type, title, status: said, detail, errors, identical, allowed, ...others } = json;
      assert.deepEqual(others, {});
      const hasErrors = /#(invalid-(body|json|query)|sold-out)$/.test(type);
      assert.equal(errors !== undefined, hasErrors, text);
      assert.equal(type.endsWith("#id-taken"), identical !== undefined, text);
      assert.equal(type.endsWith("#status-not-allowed"), allowed !== undefined, text);
      assert.doesNotMatch(text, /\bat .+:\d+:\d+|node:|node_modules|\.ts\b|SyntaxError|Error:/);
      assert.ok(!text.includes(forno.dataDir));
    }
  });

  await t.test("can be read by a page of an allowed origin, with its header", () => {
    for (const { method, path, response: { headers } } of answers) {
      const what = `${method} ${path}`;
      assert.equal(headers.get("access-control-allow-origin"), site, what);
      assert.equal(headers.get("access-control-allow-credentials"), undefined, what);
      assert.deepEqual(sorted(headers.get("access-control-expose-headers")), sorted(exposed), what);
    }
  });

  await t.test("is as described", async () => {
    const document = await fetchDescription(forno);
    const operations = operationsOf(document);
    const seen = new Set<string>();
    for (const { method, path, response } of answers) {
      const isIt = (described: string): boolean =>
        new RegExp(`^${described.replaceAll(/\{\w+\}/g, "[^/]+")}(\\?|$)`).test(path);
      const found = operations.find((one) => one.method === method && isIt(one.path));
      if (found === undefined) continue;
      assertDescribed(response, found, document);
      seen.add(found.path);
    }
    // The other kinds of the menu are as toppings are.
    const others = menuKinds.filter((kind) => kind !== toppings).map(({ name }) => `/api/${name}`);
    for (const { path } of operations) {
      const isOther = path === "/api/events" || others.some((start) => path.startsWith(start));
      assert.ok(isOther || seen.has(path), path);
    }
  });
});

test("the examples of the description are what the service takes", async (t) => {
  const forno = await startForno(t);
  const document = await fetchDescription(forno);
  const tried: string[] = [];
  let id = "";
  for (const operation of operationsOf(document)) {
    const { method, path, row } = operation;
    if (row["requestBody"] === undefined) continue;
    for (const example of resolve(bodySchema(operation), document)["examples"] ?? []) {
      id = example.id ?? id;
      const init = { token: forno.owner, body: example };
      const response = await forno.call(method, path.replace("{id}", id), init);
      assert.equal(response.status, method === "POST" ? 201 : 200, response.text);
      assertDescribed(response, operation, document);
      tried.push(row["operationId"]);
    }
  }
  assert.ok(tried.length >= 14, tried.join());
});

test("a client's X-Request-Id comes back, unless it could forge or fill up a log", async (t) => {
  const forno = await startForno(t);
  const header = "x-request-id";
  for (const id of ["0f8fad5b-d9cb-469f-a165-70867728950e", "abc-123", "x".repeat(128)]) {
    for (const path of ["/api/toppings", "/nothing-here"]) {
      const response = await forno.call("GET", path, { headers: { [header]: id } });
      assert.equal(response.headers.get(header), id);
    }
  }
  const token = forno.token({ role: "staff" });
  assert.ok(token.length <= 128);
  for (const id of [token, "x".repeat(129), "a b", "a\tb", '"a"', "<script>", "é", "a,b c"]) {
    const response = await forno.call("GET", "/api/toppings", { headers: { [header]: id } });
    assert.match(response.headers.get(header) ?? "", /^[!-~]{8,128}$/, id);
    assert.notEqual(response.headers.get(header), id);
  }
});

test("the operations and their queries are the server's; pages are left out", async (t) => {
  const forno = await startForno(t);
  const document = await fetchDescription(forno);
  const served = forno.routes
    .map(({ method, path, query = [] }) =>
      lineOf(method, path.replaceAll(/:(\w+)/g, "{$1}"), query.map(({ name }) => name)))
    .filter((line) => !/^GET \/(board|apple-touch-icon.png|pages\/.*)? $/.test(line));
  const described = operationsOf(document).map((operation) => {
    const parameters = parametersOf(operation, document).filter((one) => one["in"] === "query");
    return lineOf(operation.method, operation.path, parameters.map((one) => one["name"]));
  });
  assert.deepEqual(described.sort(), served.sort());
});

function lineOf(method: string, path: string, query: readonly string[]): string {
  return `${method} ${path} ${[...query].sort().join()}`;
}

test("the description is OpenAPI 3.1: ids, parameters of paths, references", async (t) => {
  const forno = await startForno(t);
  const document = await fetchDescription(forno);
  assert.equal(document["openapi"], "3.1.0");
  assert.equal(document["info"].version, (await forno.call("GET", "/api")).json.version);
  const operations = operationsOf(document);
  for (const operation of operations) {
    const inPath = parametersOf(operation, document).filter((one) => one["in"] === "path");
    const named = inPath.map((one) => `{${one["name"]}}`);
    assert.deepEqual(operation.path.match(/\{\w+\}/g) ?? [], named);
  }
  assert.equal(new Set(operations.map(({ row }) => row["operationId"])).size, operations.length);
  const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g);
  for (const [, $ref] of references) resolve({ $ref }, document);
});

test("GET /problems has a paragraph for each type: what it means and what to do", async (t) => {
  const forno = await startForno(t);
  const page = await forno.call("GET", "/problems");
  assert.equal(page.headers.get("content-type"), "text/plain; charset=utf-8");
  const [, ...paragraphs] = page.text.trimEnd().split("\n\n#");
  const heads = paragraphs.map((paragraph) => {
    const [head = "", ...rest] = paragraph.split("\n");
    assert.match(rest.join("\n"), /^[A-Z`][^]+\.\nWhat to do: [^]+\.$/, head);
    return head;
  });
  const expected = Object.entries(problemTypes).map(([type, { status, title }]) =>
    `${type}: ${status}, ${title}`);
  assert.deepEqual(heads, expected);
  assertProblem(await forno.call("GET", "/problems/not-found"), "not-found");
});
