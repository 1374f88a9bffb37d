/**
 * The order of checks (contract part 3): requests with two faults, for each pair of neighbors and
 * some pairs further apart. The earlier check of the two gives the answer. A stored resource is
 * checked when the write is decided, not when its header is read.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemType } from "../../src/problems/problem.ts";
import { startForno } from "../helpers/forno.ts";
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
const funghi = topping({ id: "funghi" });
const porcini = topping({ id: "funghi", name: "Porcini" });
const merged = topping({ name: "Ceps", isVegan: false });
const closed = order({ status: "Delivered" });
const ifMatch = "If-Match: TAG\r\n";

/** A write that another one overtakes while its body is on its way. */
type Overtaken = readonly [
  promise: string,
  /** The write whose body stays back, until the other one of staff is answered. */
  held: readonly [line: string, body: Body, header?: string],
  meanwhile: readonly [line: string, body?: Body],
  outcome: ProblemType | 200,
  /** The resource in the end; undefined: none. */
  stored?: Body,
];

const overtaken: readonly Overtaken[] = [
  ["PUT with an If-Match that held for the header is 412",
    [`PUT ${known}`, funghi, ifMatch], [`PUT ${known}`, porcini], "precondition-failed", porcini],
  ["PATCH with an If-Match that held for the header is 412",
    [`PATCH ${known}`, funghi, ifMatch], [`PUT ${known}`, porcini], "precondition-failed", porcini],
  ["PUT of an item that is deleted meanwhile is 404 and brings nothing back",
    [`PUT ${known}`, funghi], [`DELETE ${known}`], "not-found"],
  ["PATCH of an item that is deleted meanwhile is 404 and brings nothing back",
    [`PATCH ${known}`, funghi], [`DELETE ${known}`], "not-found"],
  ["a merge patch is merged with the resource that is stored when it is decided",
    [`PATCH ${tartufo}`, { name: "Ceps" }], [`PATCH ${tartufo}`, { isVegan: false }], 200, merged],
  ["a topping deleted meanwhile cannot be ordered any more",
    [`PUT ${tavolo}`, order({ toppings: [{ id: "grana" }] })], ["DELETE /api/toppings/grana"],
    "invalid-body", order()],
  ["an order closed meanwhile is locked",
    [`PATCH ${tavolo}`, { toppings: [] }], [`PUT ${tavolo}`, closed], "order-closed", closed],
];

for (const [promise, [line, body, header = ""], meanwhile, outcome, stored] of overtaken) {
  test(promise, async (t) => {
    const forno = await startForno(t);
    await forno.write("POST", "/api/orders", order());
    await forno.write("POST", "/api/toppings", topping());
    const tag = strongTag(await forno.call("GET", known));
    const fields = bearer(forno.staff) + header.replace("TAG", tag);
    const finish = await holdBody(t, forno.port, line, fields, body);
    const [method = "", path = ""] = meanwhile[0].split(" ");
    await forno.write(method, path, meanwhile[1]);
    const response = await finish();
    if (outcome === 200) assert.equal(response.status, 200, response.text);
    else assertProblem(response, outcome);
    const found = await forno.call("GET", line.split(" ")[1] ?? "");
    if (stored === undefined) assertProblem(found, "not-found");
    else assertResource(found, 200, stored);
  });
}
