/** GET /openapi.json and /problems (contract parts 3 and 5): documents in data/. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { problemTypes } from "../../src/problems/problem.ts";
import { startForno } from "../helpers/forno.ts";
import { assertProblem, strongTag } from "./assertions.ts";
import { fetchDescription, operationsOf, parametersOf, resolve } from "./description.ts";

test("the description is OpenAPI 3.1, and a client that has a document gets 304", async (t) => {
  const forno = await startForno(t);
  const { json } = await forno.call("GET", "/openapi.json");
  assert.equal(json.openapi, "3.1.0");
  assert.equal(json.info.version, (await forno.call("GET", "/api")).json.version);
  for (const path of ["/openapi.json", "/problems"]) {
    const tag = strongTag(await forno.call("GET", path));
    const again = await forno.call("GET", path, { headers: { "if-none-match": tag } });
    assert.deepEqual([again.status, again.text, strongTag(again)], [304, "", tag]);
  }
});

test("the operations and their queries are the server's; pages are left out", async (t) => {
  const forno = await startForno(t);
  const document = await fetchDescription(forno);
  const served = forno.routes
    .map(({ method, path, query = [] }) =>
      lineOf(method, path.replaceAll(/:(\w+)/g, "{$1}"), query.map(({ name }) => name)))
    .filter((line) => !/^GET \/(board|pages\/.*)? $/.test(line));
  const described = operationsOf(document).map((operation) => {
    const parameters = parametersOf(operation, document).filter((one) => one["in"] === "query");
    return lineOf(operation.method, operation.path, parameters.map((one) => one["name"]));
  });
  assert.deepEqual(described.sort(), served.sort());
});

function lineOf(method: string, path: string, query: readonly string[]): string {
  return `${method} ${path} ${[...query].sort().join()}`;
}

test("every operation has an id of its own, and the parameters of its path", async (t) => {
  const document = await fetchDescription(await startForno(t));
  const operations = operationsOf(document);
  for (const operation of operations) {
    const inPath = parametersOf(operation, document).filter((one) => one["in"] === "path");
    const named = inPath.map((one) => `{${one["name"]}}`);
    assert.deepEqual(operation.path.match(/\{\w+\}/g) ?? [], named);
  }
  assert.equal(new Set(operations.map(({ row }) => row["operationId"])).size, operations.length);
});

test("every reference of the description leads somewhere", async (t) => {
  const document = await fetchDescription(await startForno(t));
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
