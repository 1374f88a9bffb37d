/**
 * X-Request-Id (contract part 5): every answer carries one; the client's own is taken when it is
 * sane, and replaced when it could forge a log line or fill one up.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";

const header = "x-request-id";

test("every answer carries an X-Request-Id of its own", async (t) => {
  const forno = await startForno(t);
  const ids = new Set<string>();
  const asks = [["GET", "/api/toppings"], ["GET", "/api/toppings"], ["GET", "/nothing-here"],
    ["POST", "/api/toppings"], ["OPTIONS", "/api/toppings"], ["HEAD", "/api"], ["PUT", "/api"],
    ["GET", "/healthz"]] as const;
  for (const [method, path] of asks) {
    const id = (await forno.call(method, path)).headers.get(header);
    assert.match(id ?? "", /^[!-~]{8,128}$/, `${method} ${path}`);
    ids.add(id ?? "");
  }
  assert.equal(ids.size, asks.length);
});

test("a sane X-Request-Id from the client comes back", async (t) => {
  const forno = await startForno(t);
  const sane = ["0f8fad5b-d9cb-469f-a165-70867728950e", "abc-123", "01HZXW8Q7R2Y3T4V5W6X7Y8Z9A"];
  for (const id of sane) {
    for (const path of ["/api/toppings", "/nothing-here"]) {
      const response = await forno.call("GET", path, { headers: { [header]: id } });
      assert.equal(response.headers.get(header), id);
    }
  }
});

test("an X-Request-Id that is a token is not echoed", async (t) => {
  const forno = await startForno(t);
  const id = forno.token({ role: "staff", exp: 9_999_999_999 });
  assert.ok(id.length <= 128);
  const response = await forno.call("GET", "/api/toppings", { headers: { [header]: id } });
  assert.notEqual(response.headers.get(header), id);
});

test("an X-Request-Id that is not sane is replaced", async (t) => {
  const forno = await startForno(t);
  const insane = ["x".repeat(1000), "a b", "a\tb", '"a"', "<script>", "{\"a\":1}", "é", "a,b c"];
  for (const id of insane) {
    const response = await forno.call("GET", "/api/toppings", { headers: { [header]: id } });
    assert.equal(response.status, 200);
    assert.match(response.headers.get(header) ?? "", /^[!-~]{8,128}$/, id);
    assert.notEqual(response.headers.get(header), id);
  }
});
