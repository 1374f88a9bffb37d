/** POST /api/orders with an array (contract part 3): all of its orders are stored, or none. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, type Response, startForno } from "../helpers/forno.ts";
import { holdTime } from "../helpers/patience.ts";
import { type Body, order } from "../helpers/samples.ts";
import { assertFaults, assertProblem, content, ids } from "./assertions.ts";
import { openStream } from "./streams.ts";

const path = "/api/orders";
const group = "K7QX3M";

/** So many orders, "p0" and on, of one group. */
function several(count: number, fields: Body = {}): Body[] {
  return Array.from({ length: count }, (_, index) => order({ id: `p${index}`, group, ...fields }));
}

function post(forno: Client, body: unknown, token = forno.staff): Promise<Response> {
  return forno.call("POST", path, { token, body });
}

async function assertNoOrders(forno: Client): Promise<void> {
  assert.deepEqual(ids(await forno.asStaff("GET", path)), []);
}

for (const role of ["staff", "customer"] as const) {
  test(`${role} place 1 to 12 orders at once, and get them in the order sent`, async (t) => {
    const forno = await startForno(t);
    for (const count of [1, 2, 12]) {
      const sent = several(count).map((one, index) => ({ ...one, id: `n${count}-${11 - index}` }));
      const response = await post(forno, sent, forno[role]);
      assert.equal(response.status, 201, response.text);
      assert.deepEqual(response.json.map(content), sent);
      assert.equal(response.headers.get("location"), `/api/orders?group=${group}`);
      assert.equal(response.headers.get("etag"), undefined);
      const list = await forno.call("GET", path);
      assert.deepEqual(list.json.slice(-count), response.json);
      const { placedAt } = response.json[0];
      assert.ok(response.json.every((one: Body) => one["placedAt"] === placedAt));
    }
  });
}

test("orders get ids and a status, and a Location if they have one group", async (t) => {
  const forno = await startForno(t);
  const bare = (fields: Body): Body => order({ id: undefined, status: undefined, ...fields });
  for (const [groups, location] of [
    [["a:b", "a:b"], "/api/orders?group=a%3Ab"],
    [["a", "b"], undefined],
    [["a", undefined], undefined],
    [[undefined, undefined], undefined],
  ] as const) {
    const response = await post(forno, groups.map((one) => bare({ group: one })));
    assert.equal(response.status, 201, response.text);
    assert.equal(response.headers.get("location"), location);
    assert.equal(new Set(response.json.map(({ id }: Body) => id)).size, 2);
    for (const { id, status } of response.json) {
      assert.match(id, /^[A-Z][0-9A-Z]{5}$/);
      assert.equal(status, "Preparing");
    }
    if (location === undefined) continue;
    assert.deepEqual((await forno.call("GET", location)).json, response.json);
  }
});

test("every fault of every element has its pointer, and nothing is stored", async (t) => {
  const forno = await startForno(t);
  const [first = {}, second = {}, third = {}] = several(3);
  const nowhere = [{ id: "funghi" }, { id: "nowhere" }];
  for (const [body, pointers] of [
    [[], ["#"]],
    [several(13), ["#"]],
    [[first, [second]], ["#/1"]],
    [[first, null, { ...third, note: 7, size: 1 }], ["#/1", "#/2/note", "#/2/size"]],
    // An id that is there twice is told beside all other faults.
    [[first, second, { ...first, status: "Hot" }], ["#/2/id", "#/2/status"]],
    [[first, { ...first, id: "." }, { ...first, id: "." }], ["#/1/id", "#/2/id"]],
    [[first, { ...second, toppings: nowhere }, { ...third, pizzaSize: { id: "xxl" } }],
      ["#/1/toppings/1/id", "#/2/pizzaSize/id"]],
  ] as const) {
    assertFaults(await post(forno, body), pointers);
    await assertNoOrders(forno);
  }
  assertFaults(await forno.asStaff("POST", "/api/toppings", []), ["#"]);
  const { detail } = assertFaults(await post(forno, []), ["#"]);
  assert.match(detail, /expected one order, or an array of 1 to 12 orders, got an array of 0$/);
});

test("a customer's rules hold for each element", async (t) => {
  const forno = await startForno(t);
  const [first, second] = several(2);
  const place = (body: unknown) => post(forno, body, forno.customer);
  assertFaults(await place([first, { ...second, status: "Ready" }]), ["#/1/status"]);
  const soldOut = { toppings: ["funghi"], pizzasizes: ["piccola"], beverages: [] };
  await forno.write("PATCH", "/api/shop", { soldOut });
  const other = { ...second, pizzaSize: { id: "piccola" }, toppings: [] };
  const { errors } = assertProblem(await place([first, other]), "sold-out");
  const pointers = errors?.map(({ pointer }) => pointer);
  assert.deepEqual(pointers, ["#/0/toppings/0/id", "#/1/pizzaSize/id"]);
  await forno.write("PATCH", "/api/shop", { isOpen: false });
  assertProblem(await place([other]), "shop-closed");
  await assertNoOrders(forno);
  assert.equal((await post(forno, [first, other])).status, 201);
});

test("a retry of an array is 409 and identical, and a part or a change of it is not", async (t) => {
  const forno = await startForno(t, { env: { ORDER_READS: "own" } });
  const token = forno.customer;
  const sent = several(3, { wantedAt: "2026-01-31T20:00:00+01:00" });
  const [first = {}, second = {}, third = {}] = sent;
  assert.equal((await post(forno, sent, token)).status, 201);
  await forno.write("PATCH", `${path}/p1`, { status: "Ready" });
  const location = `/api/orders?group=${group}`;
  const other = forno.token({ role: "customer", sub: "carlo" });
  const foreign = order({ id: "foreign", group });
  assert.equal((await post(forno, foreign, other)).status, 201);
  for (const [body, taken, identical, caller = token] of [
    [sent, [0, 1, 2], true],
    [[second, first], [0, 1], true],
    [[first, { ...second, note: "no salt" }, third], [0, 1, 2], false],
    [[order({ id: "new", group }), third], [1], false],
    // Nobody learns of orders that are not theirs.
    [sent, [0, 1, 2], false, other],
    [[first, foreign], [0, 1], false],
  ] as const) {
    const response = await post(forno, body, caller);
    const problem = assertProblem(response, "id-taken");
    assert.equal(problem.identical, identical);
    const pointers = problem.errors?.map(({ pointer }) => pointer);
    assert.deepEqual(pointers, taken.map((index) => `#/${index}/id`));
    assert.equal(response.headers.get("location"), identical ? location : undefined);
  }
  assert.deepEqual(ids(await forno.asStaff("GET", path)), ["p0", "p1", "p2", "foreign"]);
});

test("of two arrays with one id in common, one is stored whole and the other not", async (t) => {
  const forno = await startForno(t);
  for (let round = 0; round < 20; round += 1) {
    const [one, two] = [0, 1].map((side) =>
      [`left-${round}`, `both-${round}`, `right-${round}`].map((id, index) =>
        order({ id: index === 1 ? id : `${id}-${side}`, group: `g${round}-${side}` })));
    const answers = await Promise.all([post(forno, one), post(forno, two)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
    for (const [side, { status }] of answers.entries()) {
      const list = await forno.call("GET", `${path}?group=g${round}-${side}`);
      assert.equal(list.json.length, status === 201 ? 3 : 0);
    }
  }
});

test("the events of an array come one behind the other", async (t) => {
  const forno = await startForno(t);
  const stream = await openStream(t, forno);
  const groups = ["a", "b", "c", "d"];
  await Promise.all(groups.flatMap((one) => [
    post(forno, several(5).map((sent, index) => ({ ...sent, id: `${one}${index}`, group: one }))),
    post(forno, order({ id: undefined })),
  ]));
  const events = await stream.take(24);
  assert.ok(events.every(({ event }) => event === "orders.created"));
  for (const one of groups) {
    const at = events.findIndex(({ data }) => data.group === one);
    const found = events.slice(at, at + 5).map(({ data }) => data.id);
    assert.deepEqual(found, [0, 1, 2, 3, 4].map((index) => `${one}${index}`));
  }
});

test("an array takes one place of a guest, and gives it back if it is not stored", async (t) => {
  holdTime(t);
  const forno = await startForno(t, { env: { GUEST_ORDERS: "on" } });
  const place = (index: number): Promise<Response> => {
    const two = several(2).map((one, side) => ({ ...one, id: `o${index}-${side}` }));
    return post(forno, two, forno.customer);
  };
  for (let index = 0; index < 29; index += 1) assert.equal((await place(index)).status, 201);
  assertProblem(await place(0), "id-taken");
  assert.equal((await place(29)).status, 201);
  assertProblem(await place(30), "rate-limited");
});
