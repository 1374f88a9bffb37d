/** 503: what a client is told of a write that the store refuses, and when to come back (part 6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { diskFileSystem } from "../../src/store/file-system.ts";
import { StoreError, type StoreErrorCode } from "../../src/store/store-error.ts";
import { startForno } from "../helpers/forno.ts";
import { startLogged } from "../helpers/recorded-log.ts";
import { assertProblem } from "./assertions.ts";
import { topping } from "./kinds.ts";

const rows: readonly [StoreErrorCode, detail: RegExp, retryAfter: string][] = [
  ["write-failed", /is not in the store; try again later/, "10"],
  ["busy", /nothing was stored, try again shortly/, "1"],
  ["unconfirmed", /not confirmed: only a restart can tell/, "60"],
  ["refused", /nothing is stored until the server is restarted/, "60"],
  ["closed", /nothing was stored, send it again/, "5"],
];

for (const [code, detail, retryAfter] of rows) {
  test(`a write that the store refuses as "${code}" is 503 with what became of it`, async (t) => {
    const forno = await startForno(t);
    t.mock.method(forno.store, "write", async () => {
      throw new StoreError(code, "a secret of the disk's");
    });
    const response = await forno.asStaff("POST", "/api/toppings", topping());
    assert.match(assertProblem(response, "storage-unavailable").detail, detail);
    assert.equal(response.headers.get("retry-after"), retryAfter);
    assert.doesNotMatch(response.text, /secret/);
  });
}

test("after a failed fsync every valid write is 503, even one that changes nothing", async (t) => {
  let fails = false;
  const { create } = diskFileSystem;
  t.mock.method(diskFileSystem, "create", async (...args: Parameters<typeof create>) => {
    const file = await create(...args);
    const sync = async (): Promise<void> => {
      if (fails) throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
      await file.sync();
    };
    return { ...file, sync };
  });
  const forno = await startForno(t);
  const body = topping({ name: "Rocket" });
  const path = "/api/toppings/tartufo";
  await forno.write("POST", "/api/toppings", body);
  fails = true;
  const lost = await forno.asStaff("PATCH", path, { name: "Arugula" });
  assert.match(assertProblem(lost, "storage-unavailable").detail, /only a restart can tell/);
  fails = false;
  for (const [method, target, sent] of [
    ["PATCH", path, { name: "Rocket" }],
    ["PUT", path, body],
    ["POST", "/api/toppings", body],
    ["DELETE", path, undefined],
    ["POST", "/api/toppings", { ...body, id: "another" }],
  ] as const) {
    assertProblem(await forno.asStaff(method, target, sent), "storage-unavailable");
  }
  for (const [method, target] of [
    ["PATCH", path], ["PUT", path], ["POST", "/api/toppings"],
  ] as const) {
    assertProblem(await forno.asStaff(method, target, { name: 5 }), "invalid-body");
  }
  for (const method of ["PATCH", "PUT", "DELETE"]) {
    assertProblem(await forno.asStaff(method, "/api/toppings/none", body), "not-found");
  }
  assert.equal((await forno.call("GET", path)).json.name, "Rocket");
});

test("each write that the store refuses, and each /readyz, is a line at info", async (t) => {
  const forno = await startLogged(t, "info");
  const failure = new StoreError("refused", "the disk is broken");
  t.mock.method(forno.store, "write", async () => Promise.reject(failure));
  t.mock.method(forno.store, "requireWritable", async () => Promise.reject(failure));
  for (let asked = 0; asked < 3; asked += 1) {
    assert.equal((await forno.asStaff("DELETE", "/api/toppings/funghi")).status, 503);
    assert.equal((await forno.call("GET", "/readyz")).status, 503);
  }
  const lines = forno.logLines().filter(({ msg }) => msg === "request");
  assert.deepEqual(lines.map(({ level, path }) => [level, path]), Array(3).fill([
    ["info", "/api/toppings/funghi"], ["info", "/readyz"],
  ]).flat());
  assert.match(`${lines[0]?.["detail"]}`, /nothing is stored until the server is restarted/);
  assert.match(`${lines[1]?.["detail"]}`, /the disk is broken/);
});
