/** GET /openapi.json (contract part 3): one complete document, of the service as it is set up. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { problemTypes } from "../../dist/problems/problem-types.js";
import { startForno } from "../helpers/forno.ts";
import { fetchDescription, operationAt, operationsOf, parametersOf } from "./description.ts";
import { faultsOf, resolve, type Schema } from "./json-schema.ts";

test("the description is OpenAPI 3.1 with an ETag, and 304 for a client that has it", async (t) => {
  const forno = await startForno(t);
  const response = await forno.call("GET", "/openapi.json");
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json\b/);
  assert.equal(response.headers.get("cache-control"), "no-cache");
  assert.equal(response.json.openapi, "3.1.0");
  assert.ok(response.text.endsWith("}\n"));
  const tag = response.headers.get("etag") ?? "";
  const again = await forno.call("GET", "/openapi.json", { headers: { "if-none-match": tag } });
  assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", tag]);
  const other = await forno.call("GET", "/openapi.json", { headers: { "if-none-match": '"x"' } });
  assert.equal(other.status, 200);
});

test("every operation has its own id, a summary, a described tag and 4xx answers", async (t) => {
  const document = await fetchDescription(await startForno(t));
  const operations = operationsOf(document);
  const ids = operations.map(({ row }) => row["operationId"]);
  assert.equal(new Set(ids).size, ids.length);
  const tags = new Map(document["tags"].map((tag: Schema) => [tag["name"], tag["description"]]));
  for (const { method, path, row } of operations) {
    const what = `${method} ${path}`;
    assert.match(row["summary"], /\S/, what);
    assert.match(row["description"], /\S/, what);
    assert.equal(row["tags"].length, 1, what);
    assert.match(String(tags.get(row["tags"][0])), /\S/, what);
    const statuses = Object.keys(row["responses"]);
    assert.ok(statuses.some((status) => status.startsWith("2")), what);
    assert.ok(statuses.some((status) => status.startsWith("4")), what);
    for (const response of Object.values<Schema>(row["responses"])) {
      assert.match(resolve(response, document)["description"], /\S/, what);
    }
  }
  assert.deepEqual(new Set(operations.map(({ row }) => row["tags"][0])), new Set(tags.keys()));
});

test("the methods of a path are those described, HEAD where GET is, and OPTIONS", async (t) => {
  const forno = await startForno(t, { env: { GUEST_ORDERS: "on" } });
  const document = await fetchDescription(forno);
  const operations = operationsOf(document);
  for (const path of Object.keys(document["paths"])) {
    const response = await forno.call("OPTIONS", path.replace("{id}", "x").replace("{name}", "x"));
    const methods = operations.filter((one) => one.path === path).map(({ method }) => method);
    const head = methods.includes("GET") ? ["HEAD"] : [];
    const all = [...methods, ...head, "OPTIONS"].sort();
    assert.equal(response.headers.get("allow"), all.join(", "), path);
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

test("every path names its parameters, and their examples fit", async (t) => {
  const document = await fetchDescription(await startForno(t));
  for (const operation of operationsOf(document)) {
    const parameters = parametersOf(operation, document);
    const named = parameters.filter((one) => one["in"] === "path").map((one) => `{${one["name"]}}`);
    assert.deepEqual(new Set(operation.path.match(/\{\w+\}/g) ?? []), new Set(named));
    for (const { name, schema, example } of parameters) {
      if (example === undefined) continue;
      assert.deepEqual(faultsOf(example, schema, document), [], name);
    }
  }
});

test("every example of a schema fits it", async (t) => {
  const document = await fetchDescription(await startForno(t));
  let count = 0;
  const visit = (part: any, at: string): void => {
    if (typeof part !== "object" || part === null) return;
    for (const example of Array.isArray(part.examples) ? part.examples : []) {
      assert.deepEqual(faultsOf(example, part, document), [], at);
      count += 1;
    }
    for (const [name, inner] of Object.entries(part)) visit(inner, `${at}/${name}`);
  };
  visit(document, "#");
  assert.ok(count > 20, `${count} examples`);
});

test("every problem type is named, and every problem has the one schema", async (t) => {
  const document = await fetchDescription(await startForno(t));
  const text = JSON.stringify(document);
  for (const type of Object.keys(problemTypes)) assert.ok(text.includes(`/problems/${type}`), type);
  for (const { row } of operationsOf(document)) {
    for (const response of Object.values<Schema>(row["responses"])) {
      const schema = resolve(response, document)["content"]?.["application/problem+json"]?.schema;
      if (schema !== undefined) assert.deepEqual(schema, { $ref: "#/components/schemas/Problem" });
    }
  }
});

test("the description asks for a token where ORDER_READS does", async (t) => {
  const open = [{}, { token: [] }];
  for (const [orderReads, reads] of [
    ["public", open],
    ["authenticated", [{ token: [] }]],
    ["own", [{ token: [] }]],
  ] as const) {
    const forno = await startForno(t, { env: { ORDER_READS: orderReads } });
    const document = await fetchDescription(forno);
    const security = (method: string, path: string): unknown =>
      operationAt(document, method, path).row["security"];
    for (const path of ["/api/orders", "/api/orders/{id}"]) {
      assert.deepEqual(security("GET", path), reads, orderReads);
    }
    assert.deepEqual(security("GET", "/api/toppings"), open);
    assert.deepEqual(security("POST", "/api/orders"), [{ token: [] }]);
    assert.deepEqual(security("PUT", "/api/orders/{id}"), [{ token: [] }]);
    assert.deepEqual(security("POST", "/api/toppings"), [{ token: [] }]);
    assert.deepEqual(security("GET", "/metrics"), [{ token: [] }]);
  }
});

test("the way to a guest's token is described where it exists", async (t) => {
  for (const [env, isRequired] of [[{}, true], [{ GUEST_ORDERS: "on" }, false]] as const) {
    const document = await fetchDescription(await startForno(t, { env }));
    const { requestBody, description } = document["paths"]["/api/tokens"].post;
    assert.equal(requestBody.required, isRequired);
    assert.equal(/Without a body/.test(description), !isRequired);
  }
});
