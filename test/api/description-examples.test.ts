/** The examples of the description are real answers: each is asked for, and compared. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { listedKinds } from "../../dist/resources/kinds.js";
import { type Answer, startForno } from "../helpers/forno.ts";
import {
  assertDescribed,
  fetchDescription,
  type Operation,
  operationAt,
  operationsOf,
  settled,
} from "./description.ts";
import { resolve, type Schema } from "./json-schema.ts";

const kinds = listedKinds;

/** The example of what an operation takes. */
function exampleOf({ row }: Operation, document: Schema): unknown {
  const [media] = Object.values<Schema>(row["requestBody"].content);
  const [example] = resolve(media?.["schema"], document)["examples"];
  return example;
}

for (const kind of kinds) {
  const list = `/api/${kind.name}`;
  const { create, patch } = kind.examples;
  const item = `${list}/${create["id"]}`;

  test(`the examples of ${list} are what the service takes and answers`, async (t) => {
    const forno = await startForno(t);
    const document = await fetchDescription(forno);
    const [stored] = document["components"].schemas[kind.schemaName].examples;
    const ask = async (method: string, path: string, status: number): Promise<Answer> => {
      const operation = operationAt(document, method, path);
      const body = "requestBody" in operation.row ? exampleOf(operation, document) : undefined;
      const target = path === list ? list : item;
      const answer = await forno.asStaff(method, target, body);
      assert.equal(answer.status, status, answer.text);
      assertDescribed(answer, operation, document);
      return answer;
    };
    const created = await ask("POST", list, 201);
    assert.deepEqual(settled(created.json), settled(stored));
    const { required } = document["components"].schemas[kind.schemaName];
    assert.deepEqual(required, Object.keys(created.json));
    const [path, changed] = [`${list}/{id}`, { ...stored, ...patch }];
    assert.deepEqual(settled((await ask("GET", path, 200)).json), settled(stored));
    assert.deepEqual(settled((await ask("PUT", path, 200)).json), settled(changed));
    await forno.asStaff("PUT", item, create);
    assert.deepEqual(settled((await ask("PATCH", path, 200)).json), settled(changed));
    await ask("GET", list, 200);
    await ask("DELETE", path, 204);
  });

  test(`304 and a page of ${list} are as described`, async (t) => {
    const forno = await startForno(t);
    const document = await fetchDescription(forno);
    await forno.asStaff("POST", list, create);
    for (const [path, target] of [[list, list] as const, [`${list}/{id}`, item] as const]) {
      const tag = (await forno.call("GET", target)).headers.get("etag") ?? "";
      const known = await forno.call("GET", target, { headers: { "if-none-match": tag } });
      assert.equal(known.status, 304);
      assertDescribed(known, operationAt(document, "GET", path), document);
    }
    const page = await forno.call("GET", `${list}?limit=1`);
    assertDescribed(page, operationAt(document, "GET", list), document);
  });
}

test("an order with names is as described: its references have them", async (t) => {
  const forno = await startForno(t);
  const document = await fetchDescription(forno);
  const body = kinds.find(({ name }) => name === "orders")?.examples.create;
  await forno.asStaff("POST", "/api/orders", body);
  const named = await forno.call("GET", "/api/orders/tavolo-4?embed=names");
  assert.deepEqual(named.json.pizzaSize, { id: "grande", name: "Large" });
  assertDescribed(named, operationAt(document, "GET", "/api/orders/{id}"), document);
  const all = await forno.call("GET", "/api/orders?embed=names");
  assertDescribed(all, operationAt(document, "GET", "/api/orders"), document);
});

test("every answer beside those of the resources is as described", async (t) => {
  const env = { GUEST_ORDERS: "on", ORDER_READS: "own", CORS_ORIGIN: "https://pizza.example" };
  const forno = await startForno(t, { env });
  const document = await fetchDescription(forno);
  const headers = { origin: "https://pizza.example", "access-control-request-method": "PUT" };
  const { call, staff: token } = forno;
  for (const kind of kinds) {
    await call("POST", `/api/${kind.name}`, { token, body: kind.examples.create });
  }
  for (const operation of operationsOf(document)) {
    const { method, path } = operation;
    if (path === "/api/events" || path.includes("{")) continue;
    if (method === "POST" && path !== "/api/tokens") continue;
    const answer = await call(method, path, { token, headers });
    assertDescribed(answer, operation, document);
  }
});

test("the header of a stream of events is as described, in both of its forms", async (t) => {
  const forno = await startForno(t);
  const document = await fetchDescription(forno);
  for (const accept of ["text/event-stream", "application/x-ndjson"]) {
    const { status, headers, body } = await fetch(`${forno.origin}/api/events`, {
      headers: { accept },
    });
    await body?.cancel();
    const answer = { status, headers: new Map(headers), text: "", json: undefined };
    assert.equal(headers.get("content-type"), accept);
    assertDescribed(answer, operationAt(document, "GET", "/api/events"), document);
  }
});
