/**
 * The order of checks (contract part 3): requests with two faults, one of each neighbouring pair
 * and some pairs further apart. The earlier check of the two gives the answer.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Forno } from "../helpers/forno.ts";
import { assertFaults, assertProblem } from "./assertions.ts";
import type { ProblemType } from "./assertions.ts";
import { order, topping } from "./kinds.ts";
import { sendRaw } from "../helpers/raw-http.ts";
import type { RawRequest } from "../helpers/raw-http.ts";

type Caller = "staff" | "customer" | "bad" | "nobody";
/** Two checks, a request that fails both, and the problem that must be the answer. */
type Case = readonly [
  why: string,
  requestLine: string,
  by: Caller,
  request: RawRequest,
  wins: ProblemType,
];

const large = " ".repeat(70_000);
const html = { "Content-Type": "text/html" };
const gzip = { "Content-Encoding": "gzip" };
const stale = { "If-Match": '"stale"' };
const toppings = "/api/toppings";
const known = `${toppings}/funghi`;
const unknown = `${toppings}/nothing`;
const impossible = `${toppings}/a%20b`;
const taken = JSON.stringify(topping({ id: "funghi" }));
const takenAndBad = JSON.stringify(topping({ id: "funghi", name: "" }));

const cases: readonly Case[] = [
  ["path before method", "PROPFIND /nowhere", "nobody", {}, "not-found"],
  ["path before token", "GET /api/pizzas", "bad", {}, "not-found"],
  ["method before token", `DELETE ${toppings}`, "nobody", {}, "method-not-allowed"],
  ["method before a bad token", `POST ${known}`, "bad", {}, "method-not-allowed"],
  ["method before role", `PUT ${toppings}`, "customer", {}, "method-not-allowed"],
  ["method before id", `POST ${impossible}`, "staff", {}, "method-not-allowed"],
  ["token before role", `PUT ${known}`, "nobody", {}, "not-authenticated"],
  ["token before id", `PUT ${unknown}`, "bad", {}, "not-authenticated"],
  ["token before id on a read", `GET ${unknown}`, "bad", {}, "not-authenticated"],
  ["token before media type", `POST ${toppings}`, "nobody",
    { headers: html, body: "x" }, "not-authenticated"],
  ["token before length", `POST ${toppings}`, "nobody", { body: large }, "not-authenticated"],
  ["role before unknown id", `DELETE ${unknown}`, "customer", {}, "forbidden"],
  ["role before impossible id", `PATCH ${impossible}`, "customer", {}, "forbidden"],
  ["role before media type", `POST ${toppings}`, "customer",
    { headers: html, body: "x" }, "forbidden"],
  ["role before body", `POST ${toppings}`, "customer", { body: "{" }, "forbidden"],
  ["role before query", `DELETE ${known}?dryRun=true`, "customer", {}, "forbidden"],
  ["id before query", `DELETE ${unknown}?dryRun=true`, "staff", {}, "not-found"],
  ["id before query on a read", `GET ${unknown}?embed=names`, "nobody", {}, "not-found"],
  ["query before media type", `PUT ${known}?force=1`, "staff",
    { headers: html, body: "x" }, "invalid-query"],
  ["query before precondition", `DELETE ${known}?dryRun=true`, "staff",
    { headers: stale }, "invalid-query"],
  ["id before media type", `PUT ${unknown}`, "staff", { headers: html, body: "x" }, "not-found"],
  ["impossible id before coding", `PUT ${impossible}`, "staff",
    { headers: gzip, body: "x" }, "not-found"],
  ["id before declared length", `PUT ${unknown}`, "staff", { body: large }, "not-found"],
  ["id before precondition", `PATCH ${unknown}`, "staff",
    { headers: stale, body: "{}" }, "not-found"],
  ["id before If-None-Match", `DELETE ${unknown}`, "staff",
    { headers: { "If-None-Match": "*" } }, "not-found"],
  ["id before body", `PUT ${unknown}`, "staff", { body: "{" }, "not-found"],
  ["media type before declared length", `POST ${toppings}`, "staff",
    { headers: html, body: large }, "unsupported-media-type"],
  ["coding before declared length", `POST ${toppings}`, "staff",
    { headers: gzip, body: large }, "unsupported-media-type"],
  ["media type before precondition", `PUT ${known}`, "staff",
    { headers: { ...html, ...stale }, body: "x" }, "unsupported-media-type"],
  ["declared length before precondition", `PUT ${known}`, "staff",
    { headers: stale, body: large }, "body-too-large"],
  ["precondition before streamed length", `PUT ${known}`, "staff",
    { headers: stale, body: large, chunked: true }, "precondition-failed"],
  ["precondition before JSON", `PUT ${known}`, "staff",
    { headers: stale, body: "{" }, "precondition-failed"],
  ["precondition before shape", `PATCH ${known}`, "staff",
    { headers: stale, body: '{"name":7}' }, "precondition-failed"],
  ["streamed length before JSON", `POST ${toppings}`, "staff",
    { body: `{${large}`, chunked: true }, "body-too-large"],
  ["declared length before JSON", `POST ${toppings}`, "staff",
    { body: `{${large}` }, "body-too-large"],
  ["shape before taken id", `POST ${toppings}`, "staff", { body: takenAndBad }, "invalid-body"],
  ["a taken id at all", `POST ${toppings}`, "staff", { body: taken }, "id-taken"],
];

test("of two faults the earlier check answers", async (t) => {
  const forno = await startForno(t);
  const before = await forno.call("GET", toppings);
  for (const [why, requestLine, by, request, wins] of cases) {
    const [method = "", path = ""] = requestLine.split(" ");
    const token = tokenOf(forno, by);
    const sent = token === undefined ? request : { ...request, token };
    const response = await sendRaw(forno.port, method, path, sent);
    assert.equal(response.json?.type, `/problems/${wins}`, why);
    assertProblem(response, wins);
  }
  assert.equal((await forno.call("GET", toppings)).text, before.text);
});

function tokenOf(forno: Forno, by: Caller): string | undefined {
  if (by === "nobody") return undefined;
  return by === "bad" ? "not.a.token" : forno[by];
}

test("shape and references come before the life cycle", async (t) => {
  const forno = await startForno(t);
  const delivered = order({ status: "Delivered" });
  await forno.asStaff("POST", "/api/orders", delivered);
  const path = "/api/orders/tavolo-4";
  const badStatus = { ...delivered, status: "Lost", pizzaSize: { id: "piccola" } };
  assertFaults(await forno.asStaff("PUT", path, badStatus), ["#/status"]);
  const unknownTopping = { ...delivered, status: "Cancelled", toppings: [{ id: "ananas" }] };
  assertFaults(await forno.asStaff("PUT", path, unknownTopping), ["#/toppings/0/id"]);
  assertFaults(await forno.asStaff("PUT", path, { ...delivered, id: "x" }), ["#/id"]);
});
