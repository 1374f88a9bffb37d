/**
 * Writes that another write overtakes while their body is on its way: 404, 412, references and the
 * life cycle are checked when the write is decided, not when its header is read (contract parts 2
 * and 3).
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Response, startForno } from "../helpers/forno.ts";
import { bearer, holdBody } from "../helpers/raw-http.ts";
import { assertFaults, assertProblem, assertResource, strongTag } from "./assertions.ts";
import { type Body, order, topping } from "../helpers/samples.ts";

const funghi = "/api/toppings/funghi";
const tartufo = "/api/toppings/tartufo";
const tavolo = "/api/orders/tavolo-4";
const porcini = topping({ id: "funghi", name: "Porcini" });
const merged = topping({ name: "Ceps", isVegan: false });
const closed = order({ status: "Delivered" });

interface Row {
  readonly promise: string;
  /** The write whose body stays back, until this other one of staff is answered. */
  readonly held: readonly [line: string, body: Body, header?: string];
  readonly meanwhile: readonly [line: string, body?: Body];
  readonly answer: (response: Response) => unknown;
  /** The held write's path and its resource in the end; undefined: none. */
  readonly then: readonly [path: string, resource?: Body];
}

const rows: readonly Row[] = [
  ...["PUT", "PATCH"].map((method): Row => ({
    promise: `${method} with an If-Match that held for the header is 412`,
    held: [`${method} ${funghi}`, topping({ id: "funghi" }), "If-Match: TAG\r\n"],
    meanwhile: [`PUT ${funghi}`, porcini],
    answer: (response) => assertProblem(response, "precondition-failed"),
    then: [funghi, porcini],
  })),
  ...["PUT", "PATCH"].map((method): Row => ({
    promise: `${method} of what is deleted meanwhile is 404 and brings nothing back`,
    held: [`${method} ${funghi}`, topping({ id: "funghi" })],
    meanwhile: [`DELETE ${funghi}`],
    answer: (response) => assertProblem(response, "not-found"),
    then: [funghi],
  })),
  {
    promise: "a create whose id is taken meanwhile is 409",
    held: ["POST /api/toppings", topping({ id: "new" })],
    meanwhile: ["POST /api/toppings", topping({ id: "new", name: "First" })],
    answer: (response) => assert.equal(assertProblem(response, "id-taken").identical, false),
    then: ["/api/toppings/new", topping({ id: "new", name: "First" })],
  },
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
    meanwhile: [`DELETE ${funghi}`],
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

for (const { promise, held: [line, body, header = ""], meanwhile, answer, then } of rows) {
  test(promise, async (t) => {
    const forno = await startForno(t);
    await forno.write("POST", "/api/orders", order());
    await forno.write("POST", "/api/toppings", topping());
    const tag = strongTag(await forno.call("GET", funghi));
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
