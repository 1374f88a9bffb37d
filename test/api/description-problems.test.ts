/** The problems in the description are real answers: each is provoked where it is described. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { listedKinds } from "../../dist/resources/kinds.js";
import type { Body } from "../../dist/resources/kind.js";
import { type Answer, type Forno, startForno } from "../helpers/forno.ts";
import { assertDescribed, fetchDescription, type Operation, operationsOf } from "./description.ts";
import { resolve, type Schema } from "./json-schema.ts";

const kinds = listedKinds;

type Provoke = (forno: Forno, target: string, method: string) => Promise<Answer>;

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
async function orderWhile(forno: Forno, patch: object): Promise<Answer> {
  const { json: before } = await forno.call("GET", "/api/shop");
  await forno.asStaff("PATCH", "/api/shop", patch);
  const body = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };
  const answer = await forno.call("POST", "/api/orders", { token: forno.customer, body });
  await forno.asStaff("PUT", "/api/shop", before);
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
    const body = kind.examples.create;
    await forno.asStaff("POST", `/api/${kind.name}`, body);
  }
  const problems = describedProblems(document).filter(({ type }) => !notProvoked.includes(type));
  for (const { operation, status, type } of problems) {
    const { method, path } = operation;
    const provoke = provocations[type];
    assert.ok(provoke, `nothing provokes ${type}`);
    const answer = await provoke(forno, targetOf(operation), method);
    const what = `${method} ${path} ${type}: ${answer.text}`;
    assert.equal(answer.json.type, `/problems/${type}`, what);
    assert.equal(answer.status, Number(status), what);
    assertDescribed(answer, operation, document);
  }
  assert.ok(problems.length > 100, `${problems.length} problems`);
});
