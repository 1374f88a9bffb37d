import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openStream } from "../api/streams.ts";
import { cleanUp, spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { checkAll, storm, Writer } from "./writers.ts";

const names = ["anna", "bert", "carl", "dora", "emil", "fred"];

test("killed in a storm of writes, again and again, it has all it answered", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const writers = names.map((name) => new Writer(name));
  let total = 0;
  for (let cycle = 1; cycle <= (isLong ? 12 : 3); cycle++) {
    const server = await spawnForno(t, { dataDir });
    await checkAll(server, writers);
    let left = cycle * 60;
    await storm(server, writers, () => {
      total += 1;
      left -= 1;
      if (left === 0) server.child.kill("SIGKILL");
    });
    assert.deepEqual(await server.exited, { code: null, signal: "SIGKILL" });
  }
  await checkAll(await spawnForno(t, { dataDir }), writers);
  t.diagnostic(`${total} writes were answered`);
});

/** A folder whose file is so large, with so few resources, that a start rewrites it. */
async function largeFolder(t: TestContext): Promise<string> {
  const dataDir = join(temporaryFolder(t), "store");
  await (await startForno(t, { dataDir })).close();
  const path = join(dataDir, "store.ndjson");
  const lines = fs.readFileSync(path, "utf8").split("\n").slice(0, -2);
  const { seq: last } = JSON.parse(lines[0] ?? "");
  const at = "2026-11-23T12:00:00.000Z";
  const order = {
    pizzaSize: { id: "grande" },
    toppings: Array.from({ length: 40 }, () => ({ id: "funghi" })),
    ...{ beverages: [], status: "Delivered", placedAt: at, updatedAt: at, statusSince: at },
  };
  const names = { pizzaSize: "Large", toppings: order.toppings.map(() => "F"), beverages: [] };
  for (let count = 1; count <= 20_000; count += 1) {
    const data = { id: `old-${count}`, ...order };
    const seq = last + count;
    const line = { seq, after: last, event: "orders.created", data, kept: { names } };
    lines.push(JSON.stringify(line));
  }
  fs.writeFileSync(path, `${lines.join("\n")}\n`);
  return dataDir;
}

test("killed in the middle of a rewrite, it has all it answered", async (t) => {
  for (const after of isLong ? [1, 10, 40, 80, 160] : [1, 40]) {
    const dataDir = await largeFolder(t);
    const temporary = join(dataDir, "store.ndjson.tmp");
    const server = await spawnForno(t, { dataDir });
    const writers = names.map((name) => new Writer(name));
    let left = after;
    let wasThere = false;
    await storm(server, writers, () => {
      const isThere = fs.existsSync(temporary);
      if (isThere) left -= 1;
      // On a slow machine the rewrite may end first.
      if (left <= 0 || (wasThere && !isThere)) server.child.kill("SIGKILL");
      wasThere ||= isThere;
    });
    t.diagnostic(`killed ${fs.existsSync(temporary) ? "in" : "after"} the rewrite`);
    const again = await spawnForno(t, { dataDir });
    const found = await checkAll(again, writers);
    assert.equal([...found.keys()].filter((id) => id.startsWith("old-")).length, 20_000);
    await again.end();
    assert.ok(!fs.existsSync(temporary));
  }
});

/** Sends what it is told, and then neither reads nor closes. */
async function stuckClient(t: TestContext, port: number, text: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  cleanUp(t, () => socket.destroy());
  socket.on("error", () => {});
  socket.pause();
  await once(socket, "connect");
  socket.write(text);
}

test("told to stop under load, with stuck clients, it has all it answered", {
  timeout: 60_000,
}, async (t) => {
  const server = await spawnForno(t);
  const events = (await openStream(t, server)).ended();
  const half = "POST /api/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 90\r\n\r\n{";
  await stuckClient(t, server.port, half);
  await stuckClient(t, server.port, "GET /api/toppings HTTP/1.1\r\nHost: a\r\n\r\n".repeat(400));
  const writers = names.map((name) => new Writer(name));
  let left = 300;
  await storm(server, writers, () => {
    left -= 1;
    if (left === 0) server.child.kill("SIGTERM");
  });
  const stopped = performance.now();
  assert.deepEqual(await server.exited, { code: 0, signal: null }, server.stdout());
  assert.ok(performance.now() - stopped < 10_000, "in time");
  assert.ok((await events).includes("orders.created"), "the stream had what was written");
  await checkAll(await spawnForno(t, { dataDir: server.dataDir }), writers);
});

/** A file system of 1 MiB; undefined where this user may not mount one. */
function smallDisk(t: TestContext): string | undefined {
  const folder = temporaryFolder(t);
  try {
    const options = ["-t", "tmpfs", "-o", "size=1m", "forno-test", folder];
    execFileSync("mount", options, { stdio: "ignore" });
  } catch {
    return undefined;
  }
  cleanUp(t, () => execFileSync("umount", ["-l", folder]));
  return folder;
}

test("on a full disk writes answer 503, reads go on, and room heals it", async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip("no small file system can be mounted here");
  const dataDir = join(disk, "store");
  const server = await spawnForno(t, { dataDir });
  const writers = names.map((name) => new Writer(name));
  const ballast = join(disk, "ballast");
  let left = 60;
  await storm(server, writers, () => {
    left -= 1;
    if (left === 0) fillDisk(ballast);
  });
  assert.deepEqual(writers.map(({ refused }) => refused), names.map(() => 1));

  await checkAll(server, writers);
  const create = (id: string) => {
    const body = { id, pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
    return server.asStaff("POST", "/api/orders", body);
  };
  // The rest of the file's last page may hold a few short orders.
  let count = 1;
  while (count < 40 && (await create(`late-${count}`)).status === 201) count += 1;
  const refused = await create(`late-${count}`);
  assert.equal(refused.status, 503);
  assert.equal(refused.json.type, "/problems/storage-unavailable");
  assert.equal((await server.call("GET", `/api/orders/late-${count}`)).status, 404);
  assert.equal((await server.call("GET", "/readyz")).status, 503);

  fs.unlinkSync(ballast);
  assert.equal((await create(`late-${count}`)).status, 201);
  assert.equal((await server.call("GET", "/readyz")).status, 200);
  await server.end("SIGKILL");
  const again = await spawnForno(t, { dataDir });
  const after = await checkAll(again, writers);
  for (let number = 1; number <= count; number++) {
    assert.equal(after.get(`late-${number}`), "Preparing");
  }
});

function fillDisk(path: string): void {
  const file = fs.openSync(path, "w");
  try {
    for (;;) fs.writeSync(file, Buffer.alloc(4_096));
  } catch {
    // Full, which is what was wanted.
  } finally {
    fs.closeSync(file);
  }
}
