/**
 * Copies of a shop's file (contract part 6). By rsync, under load and over kills: each copy opens,
 * and has every order that was answered before it was made. By curl: also if a transfer breaks off.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ids } from "../api/assertions.ts";
import { type Client, spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { hasTools } from "../helpers/machine.ts";
import { blocksOf } from "../helpers/readme.ts";
import { order, topping } from "../helpers/samples.ts";

const run = promisify(execFile);

test("rsync copies the shop's file under load and over kills", {
  skip: hasTools("rsync") ? false : "needs rsync",
}, async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const copy = join(temporaryFolder(t), "store.ndjson");
  const placed: string[] = [];
  /** Places orders until the server is gone. */
  const placeMany = async (server: Client): Promise<void> => {
    for (;;) {
      const sent = server.asStaff("POST", "/api/orders", order({ id: undefined }));
      const response = await sent.catch(() => undefined);
      if (response === undefined) return;
      assert.equal(response.status, 201);
      placed.push(response.json.id);
    }
  };
  const copyAndOpen = async (): Promise<void> => {
    const before = [...placed];
    await run("rsync", ["-a", join(dataDir, "store.ndjson"), copy]);
    const forno = await startForno(t, { store: fs.readFileSync(copy) });
    const found = new Set(ids(await forno.asStaff("GET", "/api/orders")));
    assert.deepEqual(before.filter((id) => !found.has(id)), []);
    await forno.close();
  };
  for (let round = 0; round < (isLong ? 20 : 2); round += 1) {
    const server = await spawnForno(t, { dataDir });
    const writers = Array.from({ length: 4 }, () => placeMany(server));
    for (let count = 0; count < 3; count += 1) await copyAndOpen();
    await server.end("SIGKILL");
    await Promise.all(writers);
    await copyAndOpen();
  }
});

test("curl copies what has changed, and a broken transfer leaves the last copy", {
  skip: hasTools("bash", "curl") ? false : "needs bash and curl",
}, async (t) => {
  const forno = await startForno(t);
  const path = join(forno.dataDir, "store.ndjson");
  const cwd = temporaryFolder(t);
  const copy = join(cwd, "copy.ndjson");
  const recipe = blocksOf("data/README.md").find(({ text }) => text.startsWith("curl"))?.text ?? "";
  const command = recipe.replace("https://orders.pizza.example", forno.origin);
  const options = { cwd, env: { ...process.env, TOKEN: forno.reader } };
  const runCommand = () => run("bash", ["-c", command], options);
  await runCommand();
  const { ino } = fs.statSync(copy);
  await runCommand();
  assert.equal(fs.statSync(copy).ino, ino, "nothing has changed");
  await forno.write("POST", "/api/toppings", topping());
  await runCommand();
  const last = fs.readFileSync(copy);
  assert.deepEqual(last, fs.readFileSync(path));
  await forno.write("DELETE", "/api/toppings/tartufo");
  fs.truncateSync(path, 1_000);
  await assert.rejects(runCommand());
  assert.deepEqual(fs.readFileSync(copy), last);
});
