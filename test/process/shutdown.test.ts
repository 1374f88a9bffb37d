/**
 * SIGTERM and SIGINT (contract part 6): no new connections, answers to requests in flight,
 * exit code 0. A stop under load, with streams: durability/kill.test.ts.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { topping } from "../api/kinds.ts";
import { spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { needsBuild } from "../helpers/node.ts";
import { bearer, holdBody } from "../helpers/raw-http.ts";
import { cleanEnvironment } from "./run.ts";

const clean = { code: 0, signal: null };

/** Whether a new connection is answered. */
function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    socket.on("data", () => resolve(true));
    socket.on("error", () => {}).on("close", () => resolve(false));
  });
}

for (const [signal, ...more] of [
  ["SIGTERM"], ["SIGINT", "SIGINT", "SIGTERM"],
] as const) {
  const impatient = more.length > 0 ? ", whatever follows," : "";
  test(`${signal}${impatient} lets no one in and answers the request in flight`, async (t) => {
    const dataDir = join(temporaryFolder(t), "store");
    const forno = await spawnForno(t, { dataDir });
    const line = "POST /api/toppings";
    const finish = await holdBody(t, forno.port, line, bearer(forno.staff), topping());
    forno.child.kill(signal);
    while (await isTaken(forno.port)) { /* It has yet to see the signal. */ }
    for (const one of more) forno.child.kill(one);
    const { status, headers } = await finish();
    assert.deepEqual([status, headers.get("connection")?.toLowerCase()], [201, "close"]);
    assert.deepEqual(await forno.exited, clean);
    assert.equal(forno.stderr(), "");

    const again = await startForno(t, { dataDir });
    assert.deepEqual((await again.call("GET", "/api/toppings/tartufo")).json, topping());
  });
}

test("npm start hands the signal on: no server is left behind", { skip: needsBuild }, async (t) => {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const env = cleanEnvironment({ PORT: "0", DATA_DIR: join(temporaryFolder(t), "store") });
  // Without the build before it: other tests are using what is built.
  const npm = spawn("npm", ["start", "--silent", "--ignore-scripts"], { cwd, env, stdio: "pipe" });
  t.after(() => void npm.kill("SIGKILL"));
  const [line] = await once(npm.stdout, "data");
  const { port } = new URL(JSON.parse(String(line)).url);
  npm.kill("SIGTERM");
  const [code, signal] = await once(npm, "close");
  assert.deepEqual({ code, signal }, clean);
  assert.equal(await isTaken(Number(port)), false);
});

test("a slow disk does not hold it up: every answered write is on disk", async (t) => {
  const forno = await startForno(t, { stopMs: 50 });
  const close = t.mock.method(forno.store, "close", () => new Promise(() => {}));
  await forno.close();
  assert.equal(close.mock.callCount(), 1);
  close.mock.restore();
  await forno.store.close();
});
