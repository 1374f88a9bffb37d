/**
 * The order of checks (contract part 3): requests with two faults, for each pair of neighbors and
 * some pairs further apart. The earlier check of the two gives the answer.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { assertFaults, assertProblem, type ProblemType } from "./assertions.ts";
import { order, topping } from "../helpers/samples.ts";

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
const gzip = { "content-encoding": "gzip" };
const stale = { "if-match": '"stale"' };
const streamed = { "transfer-encoding": "chunked" };
const list = "/api/toppings";
const known = `${list}/funghi`;
const none = `${list}/nothing`;
const impossible = `${list}/a%20b`;
const taken = JSON.stringify(topping({ id: "funghi" }));
const takenAndBad = JSON.stringify(topping({ id: "funghi", name: "" }));

const rows: readonly Row[] = [
  ["not-found", "path before method", "PROPFIND /nowhere", "nobody"],
  ["not-found", "path before token", "GET /api/pizzas", "bad"],
  ["method-not-allowed", "method before token", `DELETE ${list}`, "nobody"],
  ["method-not-allowed", "method before a bad token", `POST ${known}`, "bad"],
  ["method-not-allowed", "method before id", `POST ${impossible}`, "staff"],
  ["not-authenticated", "token before role", `PUT ${known}`, "nobody"],
  ["not-authenticated", "token before id", `PUT ${none}`, "bad"],
  ["not-authenticated", "token before media type", `POST ${list}`, "nobody", html, "x"],
  ["forbidden", "role before unknown id", `DELETE ${none}`, "customer"],
  ["forbidden", "role before impossible id", `PATCH ${impossible}`, "customer"],
  ["forbidden", "role before query", `DELETE ${known}?dryRun=true`, "customer"],
  ["invalid-query", "query before id", `DELETE ${none}?dryRun=true`, "staff"],
  ["invalid-query", "query before impossible id", `PUT ${impossible}?dryRun=true`, "staff"],
  ["not-found", "id before media type", `PUT ${none}`, "staff", html, "x"],
  ["not-found", "impossible id before coding", `PUT ${impossible}`, "staff", gzip, "x"],
  ["not-found", "id before precondition", `PATCH ${none}`, "staff", stale, "{}"],
  ["not-found", "id before If-None-Match", `DELETE ${none}`, "staff", { "if-none-match": "*" }],
  ["invalid-query", "query before precondition", `DELETE ${known}?dryRun=true`, "staff", stale],
  ["unsupported-media-type", "media type before length", `POST ${list}`, "staff", html, large],
  ["unsupported-media-type", "coding before length", `POST ${list}`, "staff", gzip, large],
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
  ["id-taken", "a taken id at all", `POST ${list}`, "staff", {}, taken],
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
