/** The examples of the description are real answers: each is asked for, and compared. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { kindsFor } from "../../dist/pizzeria/kinds.js";
import { examplesOf } from "../../dist/describe/examples.js";
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

const kinds = kindsFor("public");

/** The example of this name in a request or an answer. */
function exampleIn(described: Schema, name: string, document: Schema): unknown {
  const [media] = Object.values<Schema>(resolve(described, document)["content"]);
  const example = media?.["examples"][name];
  assert.ok(example, `there is no example ${name}`);
  return example.value;
}

function assertExample(answer: Answer, operation: Operation, name: string, document: Schema): void {
  assertDescribed(answer, operation, document);
  const example = exampleIn(operation.row["responses"][answer.status], name, document);
  assert.deepEqual(settled(answer.json), settled(example));
}

for (const kind of kinds) {
  const list = `/api/${kind.name}`;
  const { create } = examplesOf(kind);
  const item = `${list}/${create["id"]}`;

  test(`the examples of ${list} are what the service answers`, async (t) => {
    const forno = await startForno(t);
    const document = await fetchDescription(forno);
    const at = (method: string, path: string): Operation => operationAt(document, method, path);
    const send = (operation: Operation, target: string): Promise<Answer> => {
      const body = exampleIn(operation.row["requestBody"], "sent", document);
      return forno.call(operation.method, target, { token: forno.staff, body });
    };
    const post = at("POST", list);
    assertExample(await send(post, list), post, "stored", document);
    const get = at("GET", `${list}/{id}`);
    assertExample(await forno.call("GET", item), get, "plain", document);
    const found = await forno.call("GET", `${list}?id=${create["id"]}`);
    assertExample(found, at("GET", list), "plain", document);
    if (kind.name === "orders") {
      assertExample(await forno.call("GET", `${item}?embed=names`), get, "names", document);
    }
    for (const method of ["PUT", "PATCH"]) {
      await forno.call("PUT", item, { token: forno.staff, body: create });
      const update = at(method, `${list}/{id}`);
      assertExample(await send(update, item), update, "stored", document);
    }
  });

  test(`answers of ${list} without a body are as described`, async (t) => {
    const forno = await startForno(t);
    const document = await fetchDescription(forno);
    const token = forno.staff;
    await forno.call("POST", list, { token, body: create });
    for (const [path, target] of [[list, list] as const, [`${list}/{id}`, item] as const]) {
      const tag = (await forno.call("GET", target)).headers.get("etag") ?? "";
      const known = await forno.call("GET", target, { headers: { "if-none-match": tag } });
      assert.equal(known.status, 304);
      assertDescribed(known, operationAt(document, "GET", path), document);
      for (const method of ["HEAD", "OPTIONS"]) {
        const operation = operationAt(document, method, path);
        assertDescribed(await forno.call(method, target), operation, document);
      }
    }
    const page = await forno.call("GET", `${list}?limit=1`);
    assertDescribed(page, operationAt(document, "GET", list), document);
    const removed = await forno.call("DELETE", item, { token });
    assert.equal(removed.status, 204);
    assertDescribed(removed, operationAt(document, "DELETE", `${list}/{id}`), document);
  });
}

test("every answer beside those of the resources is as described", async (t) => {
  const env = { GUEST_ORDERS: "on", ORDER_READS: "own", CORS_ORIGIN: "https://pizza.example" };
  const forno = await startForno(t, { env });
  const document = await fetchDescription(forno);
  const headers = { origin: "https://pizza.example", "access-control-request-method": "PUT" };
  const { call, staff: token } = forno;
  for (const kind of kinds) {
    await call("POST", `/api/${kind.name}`, { token, body: examplesOf(kind).create });
  }
  for (const operation of operationsOf(document)) {
    const { method, path, row } = operation;
    if (path === "/api/events" || path.includes("{")) continue;
    if (method === "POST" && path !== "/api/tokens") continue;
    const answer = await call(method, path, { token, headers });
    assertDescribed(answer, operation, document);
    const isList = kinds.some(({ name }) => path === `/api/${name}`);
    const [media] = Object.values<Schema>(row["responses"][answer.status].content ?? {});
    if (isList || media?.["examples"] === undefined) continue;
    const [example] = Object.values<Schema>(media["examples"]);
    assert.deepEqual(answer.json, example?.["value"], path);
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
