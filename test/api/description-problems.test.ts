/** The problems in the description are real answers: each is provoked where it is described. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { kindsFor } from "../../dist/resources/kinds.js";
import type { Body } from "../../dist/resources/kind.js";
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

type Provoke = (forno: Forno, target: string, method: string) => Promise<Answer>;

/** How to get each problem from an operation, given the examples are stored. */
const provocations: Readonly<Record<string, Provoke>> = {
  "invalid-body": (forno, target, method) =>
    forno.call(method, target, { token: forno.staff, body: [] }),
  "invalid-json": (forno, target, method) =>
    forno.call(method, target, { token: forno.staff, body: '{"name":' }),
  "invalid-query": (forno, target, method) =>
    forno.call(method, `${target}?limit=0`, { token: forno.staff }),
  "not-authenticated": (forno, target, method) =>
    isOpen(target, method)
      ? forno.call(method, target, { headers: { authorization: "Bearer" } })
      : forno.call(method, target),
  forbidden: (forno, target, method) => {
    const reader = forno.token({ role: "reader", exp: Date.now() / 1_000 + 3_600 });
    const token = method === "GET" ? forno.customer : reader;
    return forno.call(method, target, { token });
  },
  "not-found": (forno, target, method) =>
    forno.call(method, target.replace(/[^/]+$/, "ananas"), { token: forno.staff }),
  "id-taken": (forno, target) =>
    forno.call("POST", target, { token: forno.staff, body: exampleAt(target) }),
  "precondition-failed": (forno, target, method) =>
    forno.call(method, target, { token: forno.staff, headers: { "if-match": '"other"' } }),
  "status-not-allowed": async (forno, target, method) => {
    const create = exampleAt(target);
    const token = forno.staff;
    await forno.call("PUT", target, { token, body: { ...create, status: "Delivered" } });
    return forno.call(method, target, { token, body: { ...create, status: "Cancelled" } });
  },
  "order-closed": async (forno, target, method) => {
    const body = { ...exampleAt(target), status: "Delivered" };
    await forno.call("PUT", target, { token: forno.staff, body });
    return forno.call(method, target, { token: forno.staff, body: { ...body, toppings: [] } });
  },
  "shop-closed": (forno) => orderWhile(forno, { isOpen: false, notice: "Back at 18:00" }),
  "sold-out": (forno) => orderWhile(forno, { soldOut: { toppings: ["funghi"] } }),
  "unsupported-media-type": (forno, target, method) => {
    const headers = { "content-type": "text/csv" };
    return forno.call(method, target, { token: forno.staff, headers, body: "a,b" });
  },
  "body-too-large": (forno, target, method) =>
    forno.call(method, target, { token: forno.staff, body: " ".repeat(65_537) }),
  "rate-limited": async (forno) => {
    const order = (): Promise<Answer> =>
      forno.call("POST", "/api/orders", { token: forno.customer, body: {} });
    for (let count = 0; count < 60; count += 1) await order();
    return order();
  },
  "malformed-request": (forno, target, method) =>
    raw(forno, `${method} ${target} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`),
  "headers-too-large": (forno, target, method) =>
    raw(forno, `${method} ${target} HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`),
  "request-timeout": (forno, target, method) => raw(forno, `${method} ${target} HTTP/1.1\r\nHo`),
};

/** No request makes the server err, or its disk fail. */
const notProvoked = ["internal", "storage-unavailable"];

/** A customer's order of one size with mushrooms, and everything as it was again after it. */
async function orderWhile(forno: Forno, patch: object): Promise<Answer> {
  const token = forno.staff;
  const { json: before } = await forno.call("GET", "/api/shop");
  await forno.call("PATCH", "/api/shop", { token, body: patch });
  const body = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };
  const answer = await forno.call("POST", "/api/orders", { token: forno.customer, body });
  await forno.call("PUT", "/api/shop", { token, body: before });
  return answer;
}

function exampleAt(target: string): Body {
  const kind = kinds.find(({ name }) => target.startsWith(`/api/${name}`));
  assert.ok(kind, target);
  return kind.examples.create;
}

function isOpen(target: string, method: string): boolean {
  return target === "/api/tokens" || (method === "GET" && !/backup|metrics/.test(target));
}

async function raw({ port }: Forno, bytes: string): Promise<Answer> {
  const [head = "", text = ""] = (await rawExchange(port, bytes)).split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = new Map(lines.map((line) => {
    const [name = "", value = ""] = line.split(": ");
    return [name.toLowerCase(), value];
  }));
  const json: unknown = JSON.parse(text);
  return { status: Number(statusLine.split(" ")[1]), headers, text, json };
}

interface Described {
  readonly operation: Operation;
  /** The status, or what is answered beside those that are listed. */
  readonly status: string;
  /** Such as "not-found". */
  readonly type: string;
}

/** Each that an operation lists, and once what any may answer. */
function describedProblems(document: Schema): readonly Described[] {
  const seen = new Set<string>();
  return operationsOf(document).flatMap((operation) =>
    Object.entries<Schema>(operation.row["responses"]).flatMap(([status, response]) => {
      const media = resolve(response, document)["content"]?.["application/problem+json"];
      const key = `${status} ${response["$ref"]}`;
      if (media === undefined || (status === "default" && seen.has(key))) return [];
      seen.add(key);
      return typesIn(media.schema, document).map((type) => ({ operation, status, type }));
    }),
  );
}

function typesIn(schema: Schema, document: Schema): readonly string[] {
  const { oneOf, properties } = resolve(schema, document);
  if (oneOf !== undefined) return oneOf.flatMap((one: Schema) => typesIn(one, document));
  return [properties.type.const.replace("/problems/", "")];
}

/** The path of a resource that is there, or of a file that is not. */
function targetOf({ path }: Operation): string {
  const id = path.includes("{id}") ? String(exampleAt(path)["id"]) : "";
  return path.replace("{id}", id).replace("{name}", "x");
}

test("the problems of the description are what the service answers", async (t) => {
  const env = { GUEST_ORDERS: "on" };
  const forno = await startForno(t, { env, timeouts: { headersMs: 500, bodyMs: 5_000 } });
  const document = await fetchDescription(forno);
  for (const kind of kinds) {
    const body = kind.examples.create;
    await forno.call("POST", `/api/${kind.name}`, { token: forno.staff, body });
  }
  const described = describedProblems(document).filter(({ type }) => !notProvoked.includes(type));
  // That of too many requests last: nothing can be placed after it.
  const isLast = ({ type }: Described): number => Number(type === "rate-limited");
  const problems = described.toSorted((one, other) => isLast(one) - isLast(other));
  for (const { operation, status, type } of problems) {
    const { method, path } = operation;
    const provoke = provocations[type];
    assert.ok(provoke, `nothing provokes ${type}`);
    const answer = await provoke(forno, targetOf(operation), method);
    const what = `${method} ${path} ${type}: ${answer.text}`;
    assert.equal(answer.json.type, `/problems/${type}`, what);
    if (status !== "default") assert.equal(answer.status, Number(status), what);
    const isOrders = type === "rate-limited";
    const asked = isOrders ? operationAt(document, "POST", "/api/orders") : operation;
    assertDescribed(answer, asked, document);
  }
  assert.ok(problems.length > 100, `${problems.length} problems`);
});
