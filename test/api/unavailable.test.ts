/**
 * The 503 for a write that the store refuses: its words, and when to try again (contract part 6).
 */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { StoreError, type StoreErrorCode } from "../../src/store/store-error.ts";
import { startForno } from "../helpers/forno.ts";
import { holdTime } from "../helpers/patience.ts";
import { startLogged } from "../helpers/recorded-log.ts";
import { assertProblem } from "./assertions.ts";
import { topping } from "../helpers/samples.ts";

const rows: readonly [StoreErrorCode, detail: RegExp, retryAfter: string][] = [
  ["write-failed", /is not in the store; try again later/, "10"],
  ["busy", /nothing was stored, try again shortly/, "1"],
  ["unconfirmed", /not confirmed: only a restart can tell/, "60"],
  ["refused", /nothing is stored until the server is restarted/, "60"],
  ["closed", /nothing was stored, send it again/, "5"],
];

test("a write that the store refuses is 503 with what became of it", async (t) => {
  const forno = await startForno(t);
  for (const [code, detail, retryAfter] of rows) {
    t.mock.method(forno.store, "writeAll", async () => {
      throw new StoreError(code, "a secret of the disk's");
    });
    const response = await forno.asStaff("POST", "/api/toppings", topping());
    assert.match(assertProblem(response, "storage-unavailable").detail, detail);
    assert.equal(response.headers.get("retry-after"), retryAfter);
    assert.doesNotMatch(response.text, /secret/);
    t.mock.restoreAll();
  }
});

test("after the file is gone every valid write is 503, even one without a change", async (t) => {
  const pass = holdTime(t);
  const forno = await startForno(t);
  const path = "/api/toppings/tartufo";
  await forno.write("POST", "/api/toppings", topping());
  rmSync(join(forno.dataDir, "store.ndjson"));
  pass(2_000);
  for (const [type, line, sent] of [
    ["storage-unavailable", `PATCH ${path}`, { name: "Arugula" }],
    ["storage-unavailable", `PATCH ${path}`, { name: "Truffle" }],
    ["storage-unavailable", `PUT ${path}`, topping()],
    ["storage-unavailable", "POST /api/toppings", topping()],
    ["storage-unavailable", "POST /api/toppings", topping({ id: "another" })],
    ["storage-unavailable", `DELETE ${path}`],
    ...[`PATCH ${path}`, `PUT ${path}`, "POST /api/toppings"].map((line) =>
      ["invalid-body", line, { name: 5 }] as const),
    ...["PATCH", "PUT", "DELETE"].map((method) =>
      ["not-found", `${method} /api/toppings/none`, topping()] as const),
  ] as const) {
    const [method = "", target = ""] = line.split(" ");
    assertProblem(await forno.asStaff(method, target, sent), type);
  }
  assert.equal((await forno.call("GET", path)).json.name, "Truffle");
});

test("each write that the store refuses, and each /readyz, is a line at info", async (t) => {
  const forno = await startLogged(t, "info");
  const failure = new StoreError("refused", "the disk is broken");
  for (const name of ["write", "requireWritable"] as const) {
    t.mock.method(forno.store, name, () => Promise.reject(failure));
  }
  for (const line of ["DELETE /api/toppings/funghi", "GET /readyz"]) {
    const [method = "", path = ""] = line.split(" ");
    for (const _ of [1, 2]) assert.equal((await forno.asStaff(method, path)).status, 503);
  }
  const lines = forno.logLines().filter(({ msg }) => msg === "request");
  assert.deepEqual(lines.map(({ level, path }) => `${level} ${path}`), [
    "info /api/toppings/funghi", "info /api/toppings/funghi", "info /readyz", "info /readyz",
  ]);
  assert.match(`${lines[0]?.["detail"]}`, /nothing is stored until the server is restarted/);
  assert.match(`${lines[2]?.["detail"]}`, /the disk is broken/);
});
