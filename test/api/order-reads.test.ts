/** ORDER_READS (contract part 1): who sees which orders, one by one and in lists. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Client, type Forno, startForno } from "../helpers/forno.ts";
import { assertProblem, ids, strongTag } from "./assertions.ts";
import { order } from "../helpers/samples.ts";

const customerToken = ({ token }: Client, sub: string): string => token({ role: "customer", sub });

const group = "K7QX3M";

async function startWith(t: TestContext, reads: string): Promise<Forno> {
  const forno = await startForno(t, { env: { ORDER_READS: reads } });
  for (const [id, token] of [
    ["of-the-house", forno.staff],
    ["of-the-owner", forno.customer],
    ["of-another", customerToken(forno, "carlo")],
  ] as const) {
    await forno.call("POST", "/api/orders", { token, body: order({ id, group }) });
  }
  return forno;
}

const all = ["of-the-house", "of-the-owner", "of-another"];
/**
 * The ids that each sees, or the status of the refusal: staff, the owner, another customer, a
 * reader, nobody, a bad token.
 */
const matrix: Readonly<Record<string, readonly (readonly string[] | 401)[]>> = {
  public: [all, all, all, all, all, 401],
  authenticated: [all, all, all, all, 401, 401],
  own: [all, ["of-the-owner"], ["of-another"], all, 401, 401],
};

for (const [reads, row] of Object.entries(matrix)) {
  test(`ORDER_READS=${reads} shows each reader exactly the orders it should`, async (t) => {
    const forno = await startWith(t, reads);
    const another = customerToken(forno, "carlo");
    const tokens = [forno.staff, forno.customer, another, forno.reader, undefined, "not.a.token"];
    for (const [index, visible] of row.entries()) {
      const token = tokens[index];
      const init = token === undefined ? {} : { token };
      const list = await forno.call("GET", "/api/orders", init);
      if (visible === 401) assertProblem(list, "not-authenticated");
      else assert.deepEqual(ids(list), visible);
      const parts = await forno.call("GET", `/api/orders?group=${group}`, init);
      if (visible !== 401) assert.deepEqual(ids(parts), visible);
      for (const id of all) {
        const { status } = await forno.call("GET", `/api/orders/${id}`, init);
        assert.equal(status, visible === 401 ? 401 : visible.includes(id) ? 200 : 404);
      }
      const vary = list.headers.get("vary") ?? "";
      assert.equal(/\bauthorization\b/i.test(vary), reads !== "public", "refusals too");
    }
    assert.equal((await forno.call("GET", "/api/toppings")).status, 200);
    // Events without a token: of all, or of the menu and the shop alone.
    const { status, headers } = await forno.call("HEAD", "/api/events");
    const vary = reads === "public" ? "Accept" : "Accept, Authorization";
    assert.deepEqual([status, headers.get("vary")], [200, vary]);
  });
}

test("a hidden order looks as one that is not there, also when its id is taken", async (t) => {
  const forno = await startWith(t, "own");
  const token = forno.customer;
  const tag = strongTag(await forno.asStaff("GET", "/api/orders/of-another"));
  const read = (id: string) =>
    forno.call("GET", `/api/orders/${id}`, { token, headers: { "if-none-match": tag } });
  const [hidden, absent] = [await read("of-another"), await read("nowhere")];
  assertProblem(hidden, "not-found");
  assert.equal(hidden.text.replaceAll("of-another", "X"), absent.text.replaceAll("nowhere", "X"));
  for (const [id, identical, location] of [
    ["of-another", false, undefined],
    ["of-the-house", false, undefined],
    ["of-the-owner", true, "/api/orders/of-the-owner"],
  ] as const) {
    const response = await forno.call("POST", "/api/orders", { token, body: order({ id, group }) });
    assert.equal(assertProblem(response, "id-taken").identical, identical);
    assert.equal(response.headers.get("location"), location);
    assert.equal(response.headers.get("etag"), undefined);
  }
});

test("an order stays its customer's own when staff move it on", async (t) => {
  const forno = await startWith(t, "own");
  const { json } = await forno.asStaff("PATCH", "/api/orders/of-the-owner", { status: "Ready" });
  const read = await forno.call("GET", "/api/orders/of-the-owner", { token: forno.customer });
  assert.deepEqual([read.status, read.json], [200, json]);
  assert.equal("placedBy" in json, false);
});

test("pages, filters and tags of a list are of what the reader may see", async (t) => {
  const forno = await startWith(t, "own");
  const token = forno.customer;
  await forno.call("POST", "/api/orders", { token, body: order({ id: "second" }) });
  const page = await forno.call("GET", "/api/orders?limit=1&status=Preparing", { token });
  assert.deepEqual(ids(page), ["of-the-owner"]);
  const [, next = ""] = /^<(.*)>; rel="next"$/.exec(page.headers.get("link") ?? "") ?? [];
  const last = await forno.call("GET", next, { token });
  assert.deepEqual([ids(last), last.headers.get("link")], [["second"], undefined]);
  assert.deepEqual(ids(await forno.call("GET", "/api/orders?id=of-another", { token })), []);
  // No name makes one customer's list another's.
  const odd = customerToken(forno, "carla?_=b");
  assert.deepEqual(ids(await forno.call("GET", "/api/orders?_=b?", { token: odd })), []);
  const tag = strongTag(await forno.call("GET", "/api/orders", { token }));
  const headers = { "if-none-match": tag };
  for (const [reader, status] of [[token, 304], [forno.staff, 200], [odd, 200]] as const) {
    const list = await forno.call("GET", "/api/orders", { token: reader, headers });
    assert.equal(list.status, status);
  }
});
