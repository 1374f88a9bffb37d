/**
 * SIGTERM (contract part 6): no new connections, answers to requests in flight, exit code 0.
 * durability/kill.test.ts stops it under load, with streams, and start.test.ts by Ctrl-C
 * (SIGINT).
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { spawnForno, startForno, temporaryFolder, type FornoProcess } from "../helpers/forno.ts";
import { needsBuild } from "../helpers/node.ts";
import { openWire, type Wire } from "../helpers/raw-http.ts";
import { root } from "../helpers/readme.ts";
import { topping } from "../helpers/samples.ts";
import { cleanEnvironment } from "../helpers/run.ts";

const body = JSON.stringify(topping());
const clean = { code: 0, signal: null };

/** A create whose headers the server has read, and whose body it waits for. */
async function createInFlight(t: TestContext, forno: FornoProcess): Promise<Wire> {
  const wire = openWire(t, forno.port);
  wire.send("POST /api/toppings HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
    + `Authorization: Bearer ${forno.staff}\r\nContent-Length: ${body.length}\r\n\r\n`);
  assert.equal((await wire.responses(1))[0]?.status, 100);
  return wire;
}

/** True if a new connection is answered. */
function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    socket.on("data", () => resolve(true));
    socket.on("error", () => {}).on("close", () => resolve(false));
  });
}

test("SIGTERM, whatever follows, lets no one in and answers the request in flight", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const forno = await spawnForno(t, { dataDir });
  const wire = await createInFlight(t, forno);
  forno.child.kill("SIGTERM");
  while (await isTaken(forno.port)) { /* It has yet to see the signal. */ }
  for (const signal of ["SIGINT", "SIGTERM"] as const) forno.child.kill(signal);
  wire.send(body);
  const [, response] = await wire.closed();
  assert.equal(response?.status, 201);
  assert.equal(response?.headers.get("connection")?.toLowerCase(), "close");
  assert.deepEqual(await forno.exited, clean);
  assert.equal(forno.stderr(), "");

  const again = await startForno(t, { dataDir });
  const { text } = await again.call("GET", "/api/toppings/tartufo");
  assert.equal(text.trim(), body);
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
