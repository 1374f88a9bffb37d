/**
 * The examples and the problems of the description are real answers: each is asked for, or provoked
 * where it is described, and compared.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../dist/problems/faults.js";
import { listedKinds as kinds } from "../../dist/resources/kinds.js";
import { type Forno, type Response, startForno } from "../helpers/forno.ts";
import {
  assertDescribed, fetchDescription, type Operation, operationAt, operationsOf, settled,
} from "./description.ts";
import { resolve, type Schema } from "./json-schema.ts";

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
    const ask = async (method: string, path: string, status: number): Promise<Response> => {
      const operation = operationAt(document, method, path);
      const body = "requestBody" in operation.row ? exampleOf(operation, document) : undefined;
      const target = path === list ? list : item;
      const response = await forno.asStaff(method, target, body);
      assert.equal(response.status, status, response.text);
      assertDescribed(response, operation, document);
      return response;
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
    assertDescribed(await call(method, path, { token, headers }), operation, document);
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
    const response = { status, headers: new Map(headers), text: "", json: undefined };
    assert.equal(headers.get("content-type"), accept);
    assertDescribed(response, operationAt(document, "GET", "/api/events"), document);
  }
});

type Provoke = (forno: Forno, target: string, method: string) => Promise<Response>;

/** How to get each problem from an operation, given the examples are stored. */
const provocations: Readonly<Record<string, Provoke>> = {
  "invalid-body": (forno, target, method) => forno.asStaff(method, target, []),
  "invalid-json": (forno, target, method) => forno.asStaff(method, target, '{"name":'),
  "invalid-query": (forno, target, method) => forno.asStaff(method, `${target}?limit=0`),
  "not-authenticated": (forno, target, method) => isOpen(target, method)
      ? forno.call(method, target, { headers: { authorization: "Bearer" } })
      : forno.call(method, target),
  forbidden: (forno, target, method) =>
    forno.call(method, target, { token: method === "GET" ? forno.customer : forno.reader }),
  "not-found": (forno, target, method) => forno.asStaff(method, target.replace(/[^/]+$/, "ananas")),
  "id-taken": (forno, target) => forno.asStaff("POST", target, exampleAt(target)),
  "precondition-failed": (forno, target, method) =>
    forno.asStaff(method, target, undefined, { "if-match": '"other"' }),
  "status-not-allowed": async (forno, target, method) => {
    const create = exampleAt(target);
    await forno.asStaff("PUT", target, { ...create, status: "Delivered" });
    return forno.asStaff(method, target, { ...create, status: "Cancelled" });
  },
  "order-closed": async (forno, target, method) => {
    const body = { ...exampleAt(target), status: "Delivered" };
    await forno.asStaff("PUT", target, body);
    return forno.asStaff(method, target, { ...body, toppings: [] });
  },
  "shop-closed": (forno) => orderWhile(forno, { isOpen: false, notice: "Back at 18:00" }),
  "sold-out": (forno) => orderWhile(forno, { soldOut: { toppings: ["funghi"] } }),
  "unsupported-media-type": (forno, target, method) => {
    const headers = { "content-type": "text/csv" };
    return forno.asStaff(method, target, "a,b", headers);
  },
  "body-too-large": (forno, target, method) => forno.asStaff(method, target, " ".repeat(65_537)),
};

/** No request makes the disk fail. */
const notProvoked = ["storage-unavailable"];

/** A customer's order of one size with mushrooms, and everything as it was again after it. */
async function orderWhile(forno: Forno, patch: object): Promise<Response> {
  const { json: before } = await forno.call("GET", "/api/shop");
  await forno.asStaff("PATCH", "/api/shop", patch);
  const body = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };
  const response = await forno.call("POST", "/api/orders", { token: forno.customer, body });
  await forno.asStaff("PUT", "/api/shop", before);
  return response;
}

function exampleAt(target: string): JsonObject {
  const kind = kinds.find(({ name }) => target.startsWith(`/api/${name}`));
  assert.ok(kind, target);
  return kind.examples.create;
}

function isOpen(target: string, method: string): boolean {
  return target === "/api/tokens" || (method === "GET" && !/backup|metrics/.test(target));
}

interface Described {
  readonly operation: Operation;
  readonly status: string;
  /** Such as "not-found". */
  readonly type: string;
}

/** Each that an operation lists by name. */
function describedProblems(document: Schema): readonly Described[] {
  return operationsOf(document).flatMap((operation) =>
    Object.entries<Schema>(operation.row["responses"]).flatMap(([status, response]) => {
      const { description, content } = resolve(response, document);
      if (status === "default" || content?.["application/problem+json"] === undefined) return [];
      const types: string[][] = [...description.matchAll(/`([a-z-]+)`: /g)];
      return types.map(([, type = ""]) => ({ operation, status, type }));
    }),
  );
}

/** The path of a resource that is there, or of a file that is not. */
function targetOf({ path }: Operation): string {
  const id = path.includes("{id}") ? String(exampleAt(path)["id"]) : "";
  return path.replace("{id}", id).replace("{name}", "x");
}

test("the problems of the description are what the service answers", async (t) => {
  const env = { GUEST_ORDERS: "on" };
  const forno = await startForno(t, { env });
  const document = await fetchDescription(forno);
  for (const kind of kinds) {
    await forno.asStaff("POST", `/api/${kind.name}`, kind.examples.create);
  }
  const problems = describedProblems(document).filter(({ type }) => !notProvoked.includes(type));
  for (const { operation, status, type } of problems) {
    const { method, path } = operation;
    const provoke = provocations[type];
    assert.ok(provoke, `nothing provokes ${type}`);
    const response = await provoke(forno, targetOf(operation), method);
    const what = `${method} ${path} ${type}: ${response.text}`;
    assert.equal(response.json.type, `/problems/${type}`, what);
    assert.equal(response.status, Number(status), what);
    assertDescribed(response, operation, document);
  }
  assert.ok(problems.length > 100, `${problems.length} problems`);
});
