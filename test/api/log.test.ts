/**
 * The log of a server (contract part 1): the lines of each LOG_LEVEL, and the secrets it never
 * writes.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { holdTime, until } from "../helpers/patience.ts";
import { bearer, openWire, requestText } from "../helpers/raw-http.ts";
import { startLogged } from "../helpers/recorded-log.ts";
import { topping } from "../helpers/samples.ts";

test("the log is JSON lines and holds no token, good or bad, at any level", async (t) => {
  const forno = await startLogged(t, "debug");
  const { staff, customer } = forno;
  const bad = `${staff.slice(0, -4)}AAAA`;
  const body = topping();
  await forno.call("POST", "/api/toppings", { token: staff, body });
  await forno.call("POST", "/api/toppings", { token: customer, body });
  await forno.call("POST", "/api/toppings", { token: bad, body });
  await forno.call("GET", `/api/toppings?access_token=${staff}`);
  await forno.call("GET", `/api/toppings/${staff}`);
  await forno.call("GET", "/api/toppings", { headers: { cookie: `token=${staff}` } });
  await forno.call("POST", "/api/toppings", { token: staff, body: `{"token":"${staff}"` });
  await forno.call("GET", "/api/toppings/a%0A%7B%22msg%22%3A%22forged%22%7D%0Ab%1b[31m");
  await forno.close();
  const lines = forno.logLines();
  assert.equal(lines.filter(({ msg }) => msg === "request").length, 8);
  assert.ok(lines.every(({ msg }) => msg !== "forged"));
  for (const part of [staff, customer, bad].flatMap((token) => token.split(".").slice(1))) {
    assert.ok(!forno.logText().includes(part), `${part} was written`);
  }
  assert.ok(!forno.logText().includes(forno.secret));
});

test("LOG_LEVEL=info says who wrote what and how it went, no reads, no bodies", async (t) => {
  const forno = await startLogged(t, "info");
  const body = topping({ name: "Unmistakable" });
  await forno.call("GET", "/api/toppings/funghi");
  await forno.write("POST", "/api/toppings", body, { "x-request-id": "log-test-0001" });
  await forno.asStaff("PUT", `/api/toppings/${forno.staff}%2F${"x".repeat(9_000)}`, body);
  await forno.close();
  assert.doesNotMatch(forno.logText(), /funghi|Unmistakable/);
  const [write, unknown, ...others] = forno.logLines().filter(({ msg }) => msg === "request");
  const { method, path, status, role, sub, requestId } = write ?? {};
  assert.deepEqual([method, path, status, role, sub, requestId],
    ["POST", "/api/toppings", 201, "staff", "rosa", "log-test-0001"]);
  assert.match(String(unknown?.["path"]), /^\/.{100,500}…$/, "long unknown paths are cut");
  assert.ok(!forno.logText().includes(forno.staff.slice(0, 30)));
  assert.deepEqual(others, []);
});

test("refusals that any guest can cause are logged at debug, those of staff at info", async (t) => {
  holdTime(t);
  for (const level of ["info", "debug"] as const) {
    const forno = await startLogged(t, level, { RATE_LIMIT: "0.2", TRUST_PROXY: "on" });
    const from = (client: string) => ({ "x-forwarded-for": client });
    const [one, other, third] = [from("203.0.113.7"), from("::1"), from("203.0.113.8")];
    for (const [line, status, init] of [
      ["GET /nothing-here", 404, { headers: one }],
      ["POST /api/toppings", 401, { headers: one }],
      ["GET /api/toppings", 429, { headers: one }],
      ["POST /api/toppings", 403, { headers: other, token: forno.customer }],
      ["GET /api/orders/none", 404, { headers: third, token: forno.customer }],
      ["GET /api/orders/none", 404, { headers: third, token: forno.staff }],
    ] as const) {
      const [method = "", path = ""] = line.split(" ");
      assert.equal((await forno.call(method, path, init)).status, status, line);
    }
    await forno.close();
    const failed = forno.logLines().filter(({ status }) => Number(status) >= 400);
    const ofGuests = level === "debug" ? [404, 401, 429, 403, 404] : [];
    assert.deepEqual(failed.map((line) => [line["status"], line["level"]]),
      [...ofGuests.map((status) => [status, "debug"]), [404, "info"]]);
    const [{ client } = {}] = failed.filter(({ status }) => status === 429);
    assert.equal(client, level === "debug" ? "203.0.113.7" : undefined);
  }
});

test("a write whose client has left is carried out and logged", async (t) => {
  const forno = await startLogged(t, "info");
  const wire = openWire(t, forno.port);
  const write = forno.store.write.bind(forno.store);
  t.mock.method(forno.store, "write", (...args: Parameters<typeof write>) => {
    wire.destroy();
    return write(...args);
  });
  wire.send(requestText("POST /api/toppings", bearer(forno.staff), topping()));
  await until(async () => (await forno.call("GET", "/api/toppings/tartufo")).status === 200);
  await forno.close();
  const lines = forno.logLines().filter(({ method }) => method === "POST");
  assert.deepEqual(lines.map(({ path, status }) => [path, status]), [["/api/toppings", 201]]);
});
