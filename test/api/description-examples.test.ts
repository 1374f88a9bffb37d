/** The examples of the description are real answers: each is asked for, and compared. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { kindsFor } from "../../src/handlers/kinds.ts";
import { type Body, examplesOf } from "../../src/handlers/openapi-examples.ts";
import { type Answer, type Forno, rawExchange, startForno } from "../helpers/forno.ts";
import {
  assertDescribed,
  fetchDescription,
  type Operation,
  operationAt,
  operationsOf,
} from "./description.ts";
import { resolve, type Schema } from "./json-schema.ts";

const kinds = kindsFor("public");

/** Without what is another one in each answer. */
function settled(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME")
    .replaceAll(/ETag is \\"[\w-]{22}\\"/g, "ETag is TAG");
  return JSON.parse(text);
}

/** The example of this name in a request or an answer. */
function exampleIn(described: Schema, name: string, document: Schema): unknown {
  const [media] = Object.values<Schema>(resolve(described, document)["content"]);
  const example = media?.["examples"][name];
  assert.ok(example, `there is no example ${name}`);
  return example.value;
}

for (const kind of kinds) {
  const list = `/api/${kind.name}`;
  const { create, update } = examplesOf(kind);
  const item = `${list}/${create["id"]}`;

  test(`the examples of ${list} are what the service answers`, async (t) => {
    const forno = await startForno(t);
    const document = await fetchDescription(forno);
    const token = forno.staff;
    const at = (method: string, path: string): Operation => operationAt(document, method, path);
    const expectExample = (answer: Answer, status: number, operation: Operation, name: string): void => {
      assert.equal(answer.status, status, answer.text);
      assertDescribed(answer, operation, document);
      const example = exampleIn(operation.row["responses"][status], name, document);
      assert.deepEqual(settled(answer.json), settled(example));
    };
    const sent = (operation: Operation): unknown =>
      exampleIn(operation.row["requestBody"], "sent", document);
    const post = at("POST", list);
    const created = await forno.call("POST", list, { token, body: sent(post) });
    expectExample(created, 201, post, "stored");
    expectExample(await forno.call("GET", item), 200, at("GET", `${list}/{id}`), "plain");
    expectExample(await forno.call("GET", `${list}?id=${create["id"]}`), 200, at("GET", list), "plain");
    if (kind.name === "orders") {
      const named = await forno.call("GET", `${item}?embed=names`);
      expectExample(named, 200, at("GET", `${list}/{id}`), "names");
    }
    for (const method of ["PUT", "PATCH"]) {
      const operation = at(method, `${list}/{id}`);
      await forno.call("PUT", item, { token, body: create });
      const changed = await forno.call(method, item, { token, body: sent(operation) });
      expectExample(changed, 200, operation, "stored");
    }
    const tag = (await forno.call("GET", item)).headers.get("etag") ?? "";
    for (const path of [list, `${list}/{id}`]) {
      const target = path === list ? list : item;
      const current = (await forno.call("GET", target)).headers.get("etag") ?? "";
      const headers = { "if-none-match": current };
      assertDescribed(await forno.call("GET", target, { headers }), at("GET", path), document);
      assertDescribed(await forno.call("HEAD", target), at("HEAD", path), document);
      assertDescribed(await forno.call("OPTIONS", target), at("OPTIONS", path), document);
    }
    const page = await forno.call("GET", `${list}?limit=1`);
    assertDescribed(page, at("GET", list), document);
    const headers = { "if-match": tag };
    const removed = await forno.call("DELETE", item, { token, headers });
    assertDescribed(removed, at("DELETE", `${list}/{id}`), document);
    assert.deepEqual([removed.status, update["id"]], [204, create["id"]]);
  });
}

type Provoke = (forno: Forno, target: string, method: string) => Promise<Answer>;

/** How to get each problem from an operation, given the examples are stored. */
const provocations: Readonly<Record<string, Provoke>> = {
  "invalid-body": (forno, target, method) =>
    forno.call(method, target, { token: forno.staff, body: examplesAt(target).invalid }),
  "invalid-body-1": (forno, target, method) => {
    const body = { ...examplesAt(target).create, pizzaSize: { id: "ananas" }, id: null };
    return forno.call(method, target, { token: forno.staff, body });
  },
  "invalid-json": (forno, target, method) =>
    forno.call(method, target, { token: forno.staff, body: '{"name":' }),
  "invalid-query": (forno, target) => forno.call("GET", `${target}?limit=0`),
  "not-authenticated": (forno, target, method) =>
    isOpen(target, method)
      ? forno.call(method, target, { headers: { authorization: "Bearer" } })
      : forno.call(method, target),
  forbidden: (forno, target, method) => forno.call(method, target, { token: forno.customer }),
  "not-found": (forno, target, method) =>
    forno.call(method, target.replace(/[^/]+$/, "ananas"), { token: forno.staff }),
  "id-taken": (forno, target) =>
    forno.call("POST", target, { token: forno.staff, body: examplesAt(target).create }),
  "precondition-failed": (forno, target, method) =>
    forno.call(method, target, { token: forno.staff, headers: { "if-match": '"other"' } }),
  "status-not-allowed": async (forno, target, method) => {
    const { create } = examplesAt(target);
    const token = forno.staff;
    await forno.call("PUT", target, { token, body: { ...create, status: "Delivered" } });
    return forno.call(method, target, { token, body: { ...create, status: "Cancelled" } });
  },
  "order-closed": async (forno, target, method) => {
    const body = { ...examplesAt(target).create, status: "Delivered" };
    await forno.call("PUT", target, { token: forno.staff, body });
    return forno.call(method, target, { token: forno.staff, body: { ...body, toppings: [] } });
  },
  "unsupported-media-type": (forno, target, method) => {
    const headers = { "content-type": "text/csv" };
    return forno.call(method, target, { token: forno.staff, headers, body: "a,b" });
  },
  "body-too-large": (forno, target, method) =>
    forno.call(method, target, { token: forno.staff, body: " ".repeat(65_537) }),
  "rate-limited": async (forno) => {
    for (let count = 0; count < 10; count += 1) await forno.call("POST", "/api/tokens");
    return forno.call("POST", "/api/tokens");
  },
  "malformed-request": (forno, target, method) =>
    raw(forno, `${method} ${target} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`),
  "headers-too-large": (forno, target, method) =>
    raw(forno, `${method} ${target} HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`),
  "request-timeout": (forno, target, method) => raw(forno, `${method} ${target} HTTP/1.1\r\nHo`),
};

/** No request makes the server err, or its disk fail: other tests break these first. */
const notProvoked = ["internal", "storage-unavailable"];

function examplesAt(target: string): ReturnType<typeof examplesOf> {
  const kind = kinds.find(({ name }) => target.startsWith(`/api/${name}`));
  assert.ok(kind, target);
  return examplesOf(kind);
}

function isOpen(target: string, method: string): boolean {
  return method === "GET" && !/backup|metrics/.test(target);
}

async function raw({ port }: Forno, bytes: string): Promise<Answer> {
  const [head = "", text = ""] = (await rawExchange(port, bytes)).split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]));
  const json: unknown = JSON.parse(text);
  return { status: Number(statusLine.split(" ")[1]), headers, text, json };
}

test("the examples of problems are what the service answers", async (t) => {
  const env = { GUEST_ORDERS: "on" };
  const forno = await startForno(t, { env, timeouts: { headersMs: 500, bodyMs: 5_000 } });
  const document = await fetchDescription(forno);
  for (const kind of kinds) {
    const body: Body = examplesOf(kind).create;
    await forno.call("POST", `/api/${kind.name}`, { token: forno.staff, body });
  }
  const seen = new Set<string>();
  for (const operation of operationsOf(document)) {
    const { method, path, row } = operation;
    if (method === "HEAD" || method === "OPTIONS" || path === "/api/events") continue;
    const kind = kinds.find(({ name }) => path.startsWith(`/api/${name}`));
    const target = path.replace("{id}", String(kind && examplesOf(kind).create["id"])).replace("{name}", "x");
    for (const [status, response] of Object.entries<Schema>(row["responses"])) {
      const media = resolve(response, document)["content"]?.["application/problem+json"];
      // Each once: operations share what is the same for all of them.
      if (media === undefined || seen.has(response["$ref"])) continue;
      seen.add(response["$ref"]);
      for (const [name, { value }] of Object.entries<Schema>(media.examples)) {
        if (notProvoked.includes(name)) continue;
        const provoke = provocations[name];
        assert.ok(provoke, `nothing provokes ${name}`);
        const answer = await provoke(forno, target, method);
        const what = `${method} ${path} ${name}`;
        assert.equal(answer.status, Number(status), `${what} ${answer.text}`);
        assert.deepEqual(settled(answer.json), settled(value), what);
        assertDescribed(answer, name === "rate-limited" ? tokens(document) : operation, document);
      }
    }
  }
});

function tokens(document: Schema): Operation {
  return operationAt(document, "POST", "/api/tokens");
}

test("every answer beside the resources' is as described", async (t) => {
  const env = { GUEST_ORDERS: "on", ORDER_READS: "own", CORS_ORIGIN: "https://pizza.example" };
  const forno = await startForno(t, { env });
  const document = await fetchDescription(forno);
  const headers = {
    origin: "https://pizza.example",
    "access-control-request-method": "PUT",
  };
  const { call, staff: token } = forno;
  const body = examplesOf(kinds[3]!).create;
  assert.equal((await call("POST", "/api/orders", { token, body })).status, 201);
  for (const { method, path, row } of operationsOf(document)) {
    if (path === "/api/events" || /\{/.test(path) || path === "/board" || method === "POST") continue;
    const answer = await call(method, path, { token, headers });
    const operation = { method, path, row };
    assertDescribed(answer, operation, document);
    const { examples } = Object.values<Schema>(row["responses"]["200"]?.content ?? {})[0] ?? {};
    if (examples === undefined || path.startsWith("/api/")) continue;
    const [{ value }] = Object.values<Schema>(examples) as [Schema];
    assert.deepEqual(answer.json, value, path);
  }
  assertDescribed(await call("POST", "/api/tokens", { headers }), tokens(document), document);
});
