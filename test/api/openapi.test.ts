/** GET /openapi.json (contract part 3): one complete document, kept by hand in data/. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { strongTag } from "./assertions.ts";
import { fetchDescription, operationsOf, parametersOf } from "./description.ts";
import { faultsOf, resolve, type Schema } from "./json-schema.ts";

test("the description is OpenAPI 3.1 with an ETag, and 304 for a client that has it", async (t) => {
  const forno = await startForno(t);
  const response = await forno.call("GET", "/openapi.json");
  assert.equal(response.json.openapi, "3.1.0");
  assert.equal(response.json.info.version, (await forno.call("GET", "/api")).json.version);
  const headers = { "if-none-match": strongTag(response) };
  const again = await forno.call("GET", "/openapi.json", { headers });
  assert.deepEqual([again.status, again.text, strongTag(again)], [304, "", strongTag(response)]);
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

test("every operation has an id of its own, words, a described tag and a default", async (t) => {
  const document = await fetchDescription(await startForno(t));
  const operations = operationsOf(document);
  const tags = new Map(document["tags"].map((tag: Schema) => [tag["name"], tag["description"]]));
  for (const { method, path, row } of operations) {
    const what = `${method} ${path}`;
    assert.match(Object.keys(row["responses"]).join(), /^2.*,4XX,default$/, what);
    const responses = Object.values<Schema>(row["responses"]).map((one) => resolve(one, document));
    for (const one of [row, ...responses]) assert.match(one["description"], /\S/, what);
    assert.match(row["summary"], /\S/, what);
    assert.match(String(tags.get(row["tags"][0])), /\S/, what);
  }
  assert.equal(new Set(operations.map(({ row }) => row["operationId"])).size, operations.length);
  assert.deepEqual(new Set(operations.map(({ row }) => row["tags"][0])), new Set(tags.keys()));
});

test("every reference leads somewhere, and every component is referred to", async (t) => {
  const document = await fetchDescription(await startForno(t));
  const used = new Set<string>(["#/components/securitySchemes/token"]);
  for (const [, $ref] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
    resolve({ $ref }, document);
    used.add($ref ?? "");
  }
  for (const [section, parts] of Object.entries<Schema>(document["components"])) {
    for (const name of Object.keys(parts)) {
      assert.ok(used.has(`#/components/${section}/${name}`), `${section}/${name} is not used`);
    }
  }
});

test("every path names its parameters, and every example fits its schema", async (t) => {
  const document = await fetchDescription(await startForno(t));
  for (const operation of operationsOf(document)) {
    const parameters = parametersOf(operation, document);
    const named = parameters.filter((one) => one["in"] === "path").map((one) => `{${one["name"]}}`);
    assert.deepEqual(operation.path.match(/\{\w+\}/g) ?? [], named);
  }
  let count = 0;
  const visit = (part: any, at: string): void => {
    if (typeof part !== "object" || part === null) return;
    const examples = "example" in part ? [part.example] : (part.examples ?? []);
    for (const example of Array.isArray(examples) ? examples : []) {
      assert.deepEqual(faultsOf(example, part.schema ?? part, document), [], at);
      count += 1;
    }
    for (const [name, inner] of Object.entries(part)) visit(inner, `${at}/${name}`);
  };
  visit(document, "#");
  assert.ok(count >= 15, `${count} examples`);
});
