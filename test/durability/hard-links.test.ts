/** Copies of a folder that share its files, as `cp -al` makes them: none is written through. */

import assert from "node:assert/strict";
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type Client, spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";

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

async function create(server: Client, id: string): Promise<void> {
  const body = { id, pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
  const { status } = await server.asStaff("POST", "/api/orders", body);
  assert.equal(status, 201);
}

async function idsOf(server: Client): Promise<string[]> {
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
    const before = contentOf(other);
    const first = await spawnForno(t, { dataDir: one });
    await create(first, "first");
    assert.deepEqual(contentOf(other), before);
    // A dead server's socket is linked too.
    const second = await startForno(t, { dataDir: other });
    for (const count of [1, 2, 3]) {
      await create(first, `first-${count}`);
      await create(second, `second-${count}`);
    }
    await first.end("SIGKILL");
    await second.close();
    const again = await startForno(t, { dataDir: one });
    assert.deepEqual(await idsOf(again), ["before", "first", "first-1", "first-2", "first-3"]);
    for (const name of filesIn(one)) assert.equal(statSync(join(one, name)).nlink, 1, name);
    const copy = await startForno(t, { dataDir: other });
    assert.deepEqual(await idsOf(copy), ["before", "second-1", "second-2", "second-3"]);
  });
}
