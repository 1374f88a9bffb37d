/** The problems in the description are real answers: each is provoked, and compared. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { kindsFor } from "../../dist/pizzeria/kinds.js";
import { examplesOf } from "../../dist/describe/examples.js";
import { mistakenShop } from "../../dist/describe/problem-examples.js";
import { type Answer, type Forno, rawExchange, startForno } from "../helpers/forno.ts";
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

type Provoke = (forno: Forno, target: string, method: string) => Promise<Answer>;

/** How to get each problem from an operation, given the examples are stored. */
const provocations: Readonly<Record<string, Provoke>> = {
  "invalid-body": (forno, target, method) =>
    forno.call(method, target, { token: forno.staff, body: invalidAt(target) }),
  "invalid-body-1": (forno, target, method) => {
    const body = { ...examplesAt(target).create, pizzaSize: { id: "ananas" }, id: undefined };
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
  "shop-closed": (forno) => orderWhile(forno, { isOpen: false, notice: "Back at 18:00" }),
  "sold-out": (forno) => orderWhile(forno, { soldOut: { toppings: ["funghi"] } }),
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

/** No request makes the server err, or its disk fail. */
const notProvoked = ["internal", "storage-unavailable"];

function invalidAt(target: string): unknown {
  return target === "/api/shop" ? mistakenShop : examplesAt(target).invalid;
}

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
  const headers = new Map(lines.map((line) => {
    const [name = "", value = ""] = line.split(": ");
    return [name.toLowerCase(), value];
  }));
  const json: unknown = JSON.parse(text);
  return { status: Number(statusLine.split(" ")[1]), headers, text, json };
}

interface Described {
  readonly operation: Operation;
  readonly status: number;
  /** The example's name. */
  readonly name: string;
  readonly value: unknown;
}

/** Each once, as operations share it; 415 for each method, as a PATCH's says what it takes. */
function describedProblems(document: Schema): readonly Described[] {
  const seen = new Set<string>();
  return operationsOf(document).flatMap((operation) =>
    Object.entries<Schema>(operation.row["responses"]).flatMap(([status, response]) => {
      const media = resolve(response, document)["content"]?.["application/problem+json"];
      const key = `${status === "415" ? operation.method : ""} ${response["$ref"]}`;
      if (media === undefined || seen.has(key)) return [];
      seen.add(key);
      return Object.entries<Schema>(media.examples)
        .filter(([name]) => !notProvoked.includes(name))
        .map(([name, { value }]) => ({ operation, status: Number(status), name, value }));
    }),
  );
}

/** The path of a resource that is there, or of a file that is not. */
function targetOf({ path }: Operation): string {
  const kind = kinds.find(({ name }) => path.startsWith(`/api/${name}`));
  const id = String(kind && examplesOf(kind).create["id"]);
  return path.replace("{id}", id).replace("{name}", "x");
}

test("the examples of problems are what the service answers", async (t) => {
  const env = { GUEST_ORDERS: "on" };
  const forno = await startForno(t, { env, timeouts: { headersMs: 500, bodyMs: 5_000 } });
  const document = await fetchDescription(forno);
  for (const kind of kinds) {
    const body = examplesOf(kind).create;
    await forno.call("POST", `/api/${kind.name}`, { token: forno.staff, body });
  }
  // That of too many requests last: nothing can be placed after it.
  const isLast = ({ name }: Described): number => Number(name === "rate-limited");
  const problems = describedProblems(document).toSorted((a, b) => isLast(a) - isLast(b));
  for (const { operation, status, name, value } of problems) {
    const { method, path } = operation;
    const provoke = provocations[name];
    assert.ok(provoke, `nothing provokes ${name}`);
    const answer = await provoke(forno, targetOf(operation), method);
    const what = `${method} ${path} ${name}: ${answer.text}`;
    assert.equal(answer.status, status, what);
    assert.deepEqual(settled(answer.json), settled(value), what);
    const isTokens = name === "rate-limited";
    const asked = isTokens ? operationAt(document, "POST", "/api/tokens") : operation;
    assertDescribed(answer, asked, document);
  }
  assert.ok(problems.length > 40, `${problems.length} problems`);
});
