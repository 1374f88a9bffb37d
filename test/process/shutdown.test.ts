/**
 * SIGTERM (contract part 6): no new connections, answers to requests in flight, exit code 0.
 * durability/kill.test.ts stops it under load, with streams, and start.test.ts by Ctrl-C
 * (SIGINT).
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { needsBuild } from "../helpers/node.ts";
import { bearer, holdBody, rawExchange, requestText } from "../helpers/raw-http.ts";
import { root } from "../helpers/readme.ts";
import { topping } from "../helpers/samples.ts";
import { cleanEnvironment } from "../helpers/run.ts";

const clean = { code: 0, signal: null };

/** True if a new connection is answered. */
async function isTaken(port: number): Promise<boolean> {
  return await rawExchange(port, requestText("GET /healthz", "Connection: close\r\n")) !== "";
}

test("SIGTERM, whatever follows, lets no one in and answers the request in flight", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const forno = await spawnForno(t, { dataDir });
  const finish =
    await holdBody(t, forno.port, "POST /api/toppings", bearer(forno.staff), topping());
  forno.child.kill("SIGTERM");
  while (await isTaken(forno.port)) { /* It has yet to see the signal. */ }
  for (const signal of ["SIGINT", "SIGTERM"] as const) forno.child.kill(signal);
  const { status, headers } = await finish();
  assert.deepEqual([status, headers.get("connection")?.toLowerCase()], [201, "close"]);
  assert.deepEqual(await forno.exited, clean);
  assert.equal(forno.stderr(), "");

  const again = await startForno(t, { dataDir });
  assert.deepEqual((await again.call("GET", "/api/toppings/tartufo")).json, topping());
});

test("npm start hands the signal on: no server is left behind", { skip: needsBuild }, async (t) => {
  const env = cleanEnvironment({ PORT: "0", DATA_DIR: join(temporaryFolder(t), "store") });
  // Without the build before it: other tests are using what is built.
  const args = ["start", "--silent", "--ignore-scripts"];
  const npm = spawn("npm", args, { cwd: root, env, stdio: "pipe" });
  t.after(() => void npm.kill("SIGKILL"));
  const [line] = await once(npm.stdout, "data");
  const { port } = new URL(JSON.parse(String(line)).url);
  npm.kill("SIGTERM");
  const [code, signal] = await once(npm, "close");
  assert.deepEqual({ code, signal }, clean);
  assert.equal(await isTaken(Number(port)), false);
});

test("a slow disk holds it up for nine seconds: every answered write is on disk", async (t) => {
  const forno = await startForno(t);
  const close = t.mock.method(forno.store, "close", () => new Promise(() => {}));
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isStopped = false;
  const stopped = forno.close().then(() => (isStopped = true));
  t.mock.timers.tick(8_999);
  await setImmediate();
  assert.equal(isStopped, false);
  t.mock.timers.tick(1);
  await stopped;
  assert.equal(close.mock.callCount(), 1);
  close.mock.restore();
  await forno.store.close();
});
