/**
 * The start without a terminal (contract part 1): one JSON line, and the folder that DATA_DIR
 * names, in any working directory. api/log.test.ts tests the log.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { spawnForno } from "../helpers/forno.ts";
import { runToExit } from "../helpers/run.ts";

test("--help is an answer, and nothing is served", async (t) => {
  const { code, lines } = await runToExit(t, "server", ["--help"]);
  assert.equal(code, 0);
  assert.match(lines.join("\n"), /^Serves Forno: settings .*PORT=8080 node dist\/server\.js/);
});

test("from any folder, the start is one JSON line, and the menu is served", async (t) => {
  const forno = await spawnForno(t, { cwd: "/", env: { LOG_LEVEL: "silent", TRUST_PROXY: "on" } });
  const { time: _, ...line } = JSON.parse(forno.stdout());
  assert.deepEqual(line, {
    level: "info", msg: "listening", url: forno.origin, data: forno.dataDir, new: true,
    orderReads: "own", rateLimit: 100, guestOrders: "off", trustProxy: "on",
  });
  const { json } = await forno.call("GET", "/api/toppings/funghi");
  assert.equal(json.name, "Mushrooms");
  assert.equal(forno.stderr(), "");
});

test("without a terminal it outlives the one that started it, as below nohup", async (t) => {
  const forno = await spawnForno(t);
  forno.child.kill("SIGHUP");
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
  await forno.end();
});
