/** 503: what a client is told of a write that the store refuses, and when to come back (part 6). */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { signToken } from "../../dist/auth/jws.js";
import type { Log, LogFields, LogLevel } from "../../dist/log/log.js";
import { startService } from "../../dist/commands/service.js";
import { readSettings } from "../../dist/settings.js";
import { diskFileSystem } from "../../dist/store/file-system.js";
import { StoreError, type StoreErrorCode } from "../../dist/store/store-error.js";
import { cleanUp, startForno, temporaryFolder } from "../helpers/forno.ts";
import { assertProblem } from "./assertions.ts";

const rows: readonly [StoreErrorCode, detail: RegExp, retryAfter: string][] = [
  ["write-failed", /is not in the store; try again later/, "10"],
  ["full", /is not in the store; try again later/, "10"],
  ["busy", /nothing was stored, try again shortly/, "1"],
  ["untrusted", /a restart will show whether this write is stored/, "60"],
  ["refused", /nothing is stored until the server is restarted/, "60"],
  ["closed", /nothing was stored, send it again/, "5"],
];

for (const [code, detail, retryAfter] of rows) {
  test(`a write that the store refuses as "${code}" is 503 with what became of it`, async (t) => {
    const forno = await startForno(t);
    t.mock.method(forno.store, "write", async () => {
      throw new StoreError(code, "a secret of the disk's");
    });
    const body = { name: "Rocket", isVegetarian: true, isVegan: true };
    const answer = await forno.asStaff("POST", "/api/toppings", body);
    assertProblem(answer, "storage-unavailable");
    assert.match(answer.json.detail, detail);
    assert.equal(answer.headers.get("retry-after"), retryAfter);
    assert.doesNotMatch(answer.text, /secret/);
  });
}

test("after a failed fsync every write is 503, also one that would change nothing", async (t) => {
  let fails = false;
  const { open } = diskFileSystem;
  t.mock.method(diskFileSystem, "open", async (...args: Parameters<typeof open>) => {
    const file = await open(...args);
    const sync = async (): Promise<void> => {
      if (fails) throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
      await file.sync();
    };
    return { ...file, sync };
  });
  const forno = await startForno(t);
  const body = { id: "rocket", name: "Rocket", isVegetarian: true, isVegan: true };
  const path = "/api/toppings/rocket";
  await forno.asStaff("POST", "/api/toppings", body);
  await forno.store.snapshot(); // The first fsync that fails is then that of the write.
  fails = true;
  const lost = await forno.asStaff("PATCH", path, { name: "Arugula" });
  assert.match(assertProblem(lost, "storage-unavailable").detail, /a restart will show/);
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
  for (const method of ["PATCH", "PUT", "DELETE"]) {
    const sent = method === "DELETE" ? undefined : body;
    assertProblem(await forno.asStaff(method, "/api/toppings/none", sent), "not-found");
  }
  assert.equal((await forno.call("GET", path)).json.name, "Rocket");
});

test("each write that the store refuses, and each /readyz, is a line at info", async (t) => {
  const lines: Record<string, unknown>[] = [];
  const at = (level: LogLevel) => (msg: string, fields?: LogFields) =>
    void lines.push({ level, msg, ...fields });
  const levels = { debug: at("debug"), info: at("info"), error: at("error") };
  const log: Log = { ...levels, enabled: () => true };
  const settings = readSettings({ PORT: "0", DATA_DIR: join(temporaryFolder(t), "store") });
  const service = await startService(settings, log);
  cleanUp(t, () => service.stop());
  const failure = new StoreError("refused", "the disk is broken");
  t.mock.method(service.store, "write", async () => Promise.reject(failure));
  t.mock.method(service.store, "requireWritable", async () => Promise.reject(failure));
  const token = signToken({ role: "staff", exp: Date.now() / 1_000 + 60 }, service.signingKey);
  const headers = { Authorization: `Bearer ${token}` };
  for (let asked = 0; asked < 10; asked += 1) {
    const init = { method: "DELETE", headers };
    const { status } = await fetch(`${service.url}/api/toppings/funghi`, init);
    assert.equal(status, 503);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
  }
  const refused = lines.filter(({ method }) => method === "DELETE");
  assert.equal(refused.length, 10);
  for (const { level, msg, detail } of refused) {
    assert.deepEqual([level, msg], ["info", "request"]);
    assert.match(`${detail}`, /nothing is stored until the server is restarted/);
  }
  const told = lines.filter(({ path, level }) => path === "/readyz" && level !== "debug");
  assert.equal(told.length, 10);
  assert.match(`${told[0]?.["detail"]}`, /the disk is broken/);
  assert.deepEqual(lines.filter(({ level }) => level === "error"), []);
});
