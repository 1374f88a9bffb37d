/**
 * The order of checks (contract part 3): requests with two faults, for each pair of neighbors and
 * some pairs further apart. The earlier check of the two gives the answer. A stored resource is
 * checked when the write is decided, not when its header is read.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemType } from "../../src/problems/problem.ts";
import { type Response, startForno } from "../helpers/forno.ts";
import { bearer, holdBody } from "../helpers/raw-http.ts";
import { assertFaults, assertProblem, assertResource, strongTag } from "./assertions.ts";
import { type Body, order, topping } from "../helpers/samples.ts";

type Row = readonly [
  wins: ProblemType,
  why: string,
  line: string,
  caller: "staff" | "customer" | "bad" | "nobody",
  headers?: Readonly<Record<string, string>>,
  body?: string,
];

const large = " ".repeat(70_000);
const html = { "content-type": "text/html" };
const stale = { "if-match": '"stale"' };
const streamed = { "transfer-encoding": "chunked" };
const list = "/api/toppings";
const known = `${list}/funghi`;
const none = `${list}/nothing`;
const impossible = `${list}/a%20b`;
const takenAndBad = JSON.stringify(topping({ id: "funghi", name: "" }));

const rows: readonly Row[] = [
  ["method-not-allowed", "method before a bad token", `POST ${known}`, "bad"],
  ["not-authenticated", "token before role", `PUT ${known}`, "nobody"],
  ["forbidden", "role before impossible id", `PATCH ${impossible}`, "customer"],
  ["forbidden", "role before query", `DELETE ${known}?dryRun=true`, "customer"],
  ["invalid-query", "query before id", `DELETE ${none}?dryRun=true`, "staff"],
  ["invalid-query", "query before impossible id", `PUT ${impossible}?dryRun=true`, "staff"],
  ["not-found", "id before media type", `PUT ${none}`, "staff", html, "x"],
  ["not-found", "id before precondition", `PATCH ${none}`, "staff", stale, "{}"],
  ["not-found", "id before If-None-Match", `DELETE ${none}`, "staff", { "if-none-match": "*" }],
  ["unsupported-media-type", "media type before length", `POST ${list}`, "staff", html, large],
  ["unsupported-media-type", "media type before precondition", `PUT ${known}`, "staff",
    { ...html, ...stale }, "x"],
  ["body-too-large", "declared length before precondition", `PUT ${known}`, "staff", stale, large],
  ["precondition-failed", "precondition before streamed length", `PUT ${known}`, "staff",
    { ...stale, ...streamed }, large],
  ["precondition-failed", "precondition before shape", `PATCH ${known}`, "staff", stale,
    '{"name":7}'],
  ["body-too-large", "declared length before JSON", `POST ${list}`, "staff", {}, `{${large}`],
  ["body-too-large", "streamed length before JSON", `POST ${list}`, "staff", streamed, `{${large}`],
  ["invalid-body", "shape before taken id", `POST ${list}`, "staff", {}, takenAndBad],
];

test("a request with two faults gets the answer of the earlier check", async (t) => {
  const forno = await startForno(t);
  const before = await forno.call("GET", list);
  for (const [wins, why, line, caller, headers = {}, body] of rows) {
    const [method = "", path = ""] = line.split(" ");
    const token = caller === "nobody" || caller === "bad" ? caller : forno[caller];
    const authorization = token === "nobody" ? {} : { authorization: `Bearer ${token}` };
    const init = { headers: { ...authorization, ...headers }, body };
    const response = await forno.call(method, path, init);
    assert.equal(response.json?.type, `/problems#${wins}`, why);
    assertProblem(response, wins);
  }
  assert.equal((await forno.call("GET", list)).text, before.text);
});

test("shape and references come before the life cycle", async (t) => {
  const forno = await startForno(t);
  const delivered = order({ status: "Delivered" });
  await forno.write("POST", "/api/orders", delivered);
  for (const [fields, pointer] of [
    [{ status: "Lost", pizzaSize: { id: "piccola" } }, "#/status"],
    [{ status: "Cancelled", toppings: [{ id: "ananas" }] }, "#/toppings/0/id"],
    [{ toppings: [], id: "x" }, "#/id"],
  ] as const) {
    const body = { ...delivered, ...fields };
    assertFaults(await forno.asStaff("PUT", "/api/orders/tavolo-4", body), [pointer]);
  }
});

const tartufo = "/api/toppings/tartufo";
const tavolo = "/api/orders/tavolo-4";
const porcini = topping({ id: "funghi", name: "Porcini" });
const merged = topping({ name: "Ceps", isVegan: false });
const closed = order({ status: "Delivered" });

/** A write that another one overtakes while its body is on its way. */
interface Overtaken {
  readonly promise: string;
  /** The write whose body stays back, until this other one of staff is answered. */
  readonly held: readonly [line: string, body: Body, header?: string];
  readonly meanwhile: readonly [line: string, body?: Body];
  readonly answer: (response: Response) => unknown;
  /** The held write's path and its resource in the end; undefined: none. */
  readonly then: readonly [path: string, resource?: Body];
}

const overtaken: readonly Overtaken[] = [
  ...["PUT", "PATCH"].map((method): Overtaken => ({
    promise: `${method} with an If-Match that held for the header is 412`,
    held: [`${method} ${known}`, topping({ id: "funghi" }), "If-Match: TAG\r\n"],
    meanwhile: [`PUT ${known}`, porcini],
    answer: (response) => assertProblem(response, "precondition-failed"),
    then: [known, porcini],
  })),
  ...["PUT", "PATCH"].map((method): Overtaken => ({
    promise: `${method} of what is deleted meanwhile is 404 and brings nothing back`,
    held: [`${method} ${known}`, topping({ id: "funghi" })],
    meanwhile: [`DELETE ${known}`],
    answer: (response) => assertProblem(response, "not-found"),
    then: [known],
  })),
  {
    promise: "a merge patch is merged with what is stored when it is decided",
    held: [`PATCH ${tartufo}`, { name: "Ceps" }],
    meanwhile: [`PATCH ${tartufo}`, { isVegan: false }],
    answer: (response) => assertResource(response, 200, merged),
    then: [tartufo, merged],
  },
  {
    promise: "a topping deleted meanwhile cannot be ordered any more",
    held: ["POST /api/orders", order({ id: "new" })],
    meanwhile: [`DELETE ${known}`],
    answer: (response) => assertFaults(response, ["#/toppings/0/id"]),
    then: ["/api/orders/new"],
  },
  {
    promise: "an order closed meanwhile is locked",
    held: [`PATCH ${tavolo}`, { toppings: [] }],
    meanwhile: [`PUT ${tavolo}`, closed],
    answer: (response) => assertProblem(response, "order-closed"),
    then: [tavolo, closed],
  },
];

for (const { promise, held: [line, body, header = ""], meanwhile, answer, then } of overtaken) {
  test(promise, async (t) => {
    const forno = await startForno(t);
    await forno.write("POST", "/api/orders", order());
    await forno.write("POST", "/api/toppings", topping());
    const tag = strongTag(await forno.call("GET", known));
    const fields = bearer(forno.staff) + header.replace("TAG", tag);
    const finish = await holdBody(t, forno.port, line, fields, body);
    const [method = "", path = ""] = meanwhile[0].split(" ");
    await forno.write(method, path, meanwhile[1]);
    answer(await finish());
    const [target, resource] = then;
    const stored = await forno.call("GET", target);
    if (resource === undefined) assertProblem(stored, "not-found");
    else assertResource(stored, 200, resource);
  });
}
