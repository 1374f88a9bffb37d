/** Copies of a folder that share its files, as `cp -al` makes them: none is written through. */

import assert from "node:assert/strict";
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type FornoProcess, spawnForno, temporaryFolder } from "../helpers/forno.ts";

/** As `cp -al` does. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) linkSync(join(from, name), join(to, name));
}

/** Without the sockets of the lock. */
function filesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /\.(nd)?json$/.test(name));
}

function contentOf(folder: string): ReadonlyMap<string, string> {
  const entries = filesIn(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  return new Map(entries as [string, string][]);
}

async function create(server: FornoProcess, id: string): Promise<void> {
  const body = { id, pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
  const { status } = await server.asStaff("POST", "/api/orders", body);
  assert.equal(status, 201);
}

async function idsOf(server: FornoProcess): Promise<string[]> {
  const { json } = await server.call("GET", "/api/orders");
  return json.map(({ id }: { id: string }) => id);
}

/** A folder with an order in it, whose server was told to stop, or was killed. */
async function usedFolder(t: TestContext, signal?: "SIGKILL"): Promise<string> {
  const dataDir = join(temporaryFolder(t), "store");
  const server = await spawnForno(t, { dataDir });
  await create(server, "before");
  await server.end(signal);
  return dataDir;
}

for (const signal of [undefined, "SIGKILL"] as const) {
  test(`two servers on linked folders share nothing, after a ${signal ?? "SIGTERM"}`, async (t) => {
    const one = await usedFolder(t, signal);
    const other = `${one}-copy`;
    linkFolder(one, other);
    // A dead server's socket is linked too.
    const servers = [];
    for (const dataDir of [one, other]) servers.push(await spawnForno(t, { dataDir }));
    for (const count of [1, 2, 3]) {
      for (const [index, server] of servers.entries()) await create(server, `${index}-${count}`);
    }
    for (const server of servers) await server.end("SIGKILL");
    for (const [index, dataDir] of [one, other].entries()) {
      const again = await spawnForno(t, { dataDir });
      const own = [1, 2, 3].map((count) => `${index}-${count}`);
      assert.deepEqual(await idsOf(again), ["before", ...own]);
      await again.end();
    }
  });

  test(`a linked copy is not written to, after a ${signal ?? "SIGTERM"}`, async (t) => {
    const dataDir = await usedFolder(t, signal);
    const copy = `${dataDir}-copy`;
    linkFolder(dataDir, copy);
    const before = contentOf(copy);
    const server = await spawnForno(t, { dataDir });
    await create(server, "after");
    await server.end();
    await (await spawnForno(t, { dataDir })).end("SIGKILL");
    assert.deepEqual(contentOf(copy), before);
    const restored = await spawnForno(t, { dataDir: copy });
    assert.deepEqual(await idsOf(restored), ["before"]);
    for (const name of filesIn(dataDir)) {
      assert.equal(statSync(join(dataDir, name)).nlink, 1, name);
    }
  });
}
