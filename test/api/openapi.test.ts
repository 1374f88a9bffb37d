/** GET /openapi.json (contract part 3): one complete document, of the service as it is set up. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { problemTypes } from "../../src/problems/problem-types.ts";
import { startForno } from "../helpers/forno.ts";
import { strongTag } from "./assertions.ts";
import { fetchDescription, operationAt, operationsOf, parametersOf } from "./description.ts";
import { faultsOf, resolve, type Schema } from "./json-schema.ts";

test("the description is OpenAPI 3.1 with an ETag, and 304 for a client that has it", async (t) => {
  const forno = await startForno(t);
  const response = await forno.call("GET", "/openapi.json");
  assert.equal(response.json.openapi, "3.1.0");
  const headers = { "if-none-match": strongTag(response) };
  const again = await forno.call("GET", "/openapi.json", { headers });
  assert.deepEqual([again.status, again.text, strongTag(again)], [304, "", strongTag(response)]);
});

test("every operation has an id of its own, words, a described tag and 4xx answers", async (t) => {
  const document = await fetchDescription(await startForno(t));
  const operations = operationsOf(document);
  const tags = new Map(document["tags"].map((tag: Schema) => [tag["name"], tag["description"]]));
  for (const { method, path, row } of operations) {
    const what = `${method} ${path}`;
    const statuses = Object.keys(row["responses"]).join();
    assert.match(statuses, /^2.*,4/, what);
    const responses = Object.values<Schema>(row["responses"]).map((one) => resolve(one, document));
    for (const one of [row, ...responses]) assert.match(one["description"], /\S/, what);
    assert.match(row["summary"], /\S/, what);
    assert.match(String(tags.get(row["tags"][0])), /\S/, what);
  }
  assert.equal(new Set(operations.map(({ row }) => row["operationId"])).size, operations.length);
  assert.deepEqual(new Set(operations.map(({ row }) => row["tags"][0])), new Set(tags.keys()));
  const text = JSON.stringify(document);
  for (const type of Object.keys(problemTypes)) assert.ok(text.includes(`/problems/${type}`), type);
});

test("the methods of a path are those described, HEAD where GET is, and OPTIONS", async (t) => {
  const forno = await startForno(t);
  const document = await fetchDescription(forno);
  const operations = operationsOf(document);
  for (const path of Object.keys(document["paths"])) {
    const { status, text, headers } = await forno.call("OPTIONS", path.replace(/\{\w+\}/, "x"));
    const methods = operations.filter((one) => one.path === path).map(({ method }) => method);
    const head = methods.includes("GET") ? ["HEAD"] : [];
    const allow = [...methods, ...head, "OPTIONS"].sort().join(", ");
    assert.deepEqual([status, text, headers.get("allow")], [204, "", allow], path);
  }
});

test("every reference leads somewhere, and every component is referred to", async (t) => {
  for (const env of [{}, { GUEST_ORDERS: "on", ORDER_READS: "own", CORS_ORIGIN: "*" }]) {
    const document = await fetchDescription(await startForno(t, { env }));
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
  assert.ok(count > 25, `${count} examples`);
});

test("the description asks for a token where ORDER_READS does", async (t) => {
  const [open, closed] = [[{}, { token: [] }], [{ token: [] }]];
  for (const [ORDER_READS, reads] of [
    ["public", open], ["authenticated", closed], ["own", closed],
  ] as const) {
    const document = await fetchDescription(await startForno(t, { env: { ORDER_READS } }));
    for (const [method, path, security] of [
      ["GET", "/api/orders", reads],
      ["GET", "/api/orders/{id}", reads],
      ["GET", "/api/toppings", open],
      ["POST", "/api/orders", closed],
      ["PUT", "/api/orders/{id}", closed],
      ["GET", "/metrics", closed],
    ] as const) {
      assert.deepEqual(operationAt(document, method, path).row["security"], security, path);
    }
  }
});

test("the way to a guest's token is described where it exists", async (t) => {
  for (const [env, isRequired] of [[{ GUEST_ORDERS: "off" }, true], [{ GUEST_ORDERS: "on" }, false]] as const) {
    const document = await fetchDescription(await startForno(t, { env }));
    const { requestBody, description } = document["paths"]["/api/tokens"].post;
    assert.equal(requestBody.required, isRequired);
    assert.equal(/Without a body/.test(description), !isRequired);
  }
});
