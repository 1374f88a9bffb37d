/**
 * A real process that is killed, told to stop, or runs out of disk, while six writers load it
 * (contract part 6).
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openStream } from "../api/streams.ts";
import { cleanUp, spawnForno, temporaryFolder } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { hasTools } from "../helpers/machine.ts";
import { startPatience } from "../helpers/patience.ts";
import { topping } from "../helpers/samples.ts";
import { checkAll, storm, Writer } from "./writers.ts";

const sixWriters = (): Writer[] =>
  ["anna", "bert", "carl", "dora", "emil", "fred"].map((name) => new Writer(name));

/** Calls `task` with the nth call. */
function nth(count: number, task: () => unknown): () => void {
  let left = count;
  return () => void ((left -= 1) === 0 && task());
}

test("killed in a storm of writes, again and again, it has all it answered", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const writers = sixWriters();
  for (let cycle = 1; cycle <= (isLong ? 12 : 3); cycle++) {
    const server = await spawnForno(t, { dataDir });
    await checkAll(server, writers);
    await storm(server, writers, nth(cycle * 60, () => server.child.kill("SIGKILL")));
    assert.deepEqual(await server.exited, { code: null, signal: "SIGKILL" });
  }
  await checkAll(await spawnForno(t, { dataDir }), writers);
  const answered = writers.reduce((sum, writer) => sum + writer.answered, 0);
  t.diagnostic(`${answered} writes were answered`);
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

test("told to stop under load, with stuck clients, it has all it answered", async (t) => {
  const server = await spawnForno(t);
  const events = (await openStream(t, server)).ended();
  const half = "POST /api/orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n{";
  await stuckClient(t, server.port, half);
  const whole = "GET /api/toppings HTTP/1.1\r\nHost: localhost\r\n\r\n";
  await stuckClient(t, server.port, whole.repeat(400));
  const writers = sixWriters();
  await storm(server, writers, nth(300, () => server.child.kill("SIGTERM")));
  // Though the stuck clients never leave. The seconds are those of process/shutdown.test.ts.
  const patience = startPatience(() => server.child.kill("SIGKILL"));
  assert.deepEqual(await server.exited, { code: 0, signal: null }, server.stdout());
  clearTimeout(patience);
  assert.ok((await events).includes("orders.created"), "the stream had what was written");
  await checkAll(await spawnForno(t, { dataDir: server.dataDir }), writers);
});

/** A file system of these options; undefined where this user may not mount one. */
function mounted(t: TestContext, ...options: readonly string[]): string | undefined {
  const folder = temporaryFolder(t);
  try {
    execFileSync("mount", [...options, folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  cleanUp(t, () => execFileSync("umount", ["-l", folder]));
  return folder;
}

/** A disk that can be frozen, as for a snapshot; undefined where this user may not mount one. */
function freezableDisk(t: TestContext): string | undefined {
  if (!hasTools("mkfs.ext4", "fsfreeze")) return undefined;
  const image = join(temporaryFolder(t), "image");
  fs.writeFileSync(image, "");
  fs.truncateSync(image, 33_554_432);
  execFileSync("mkfs.ext4", ["-q", image]);
  return mounted(t, "-o", "loop", image);
}

test("a frozen disk delays writes and nothing else", async (t) => {
  const disk = freezableDisk(t);
  if (disk === undefined) return t.skip("no disk can be frozen here");
  const server = await spawnForno(t, { dataDir: join(disk, "store") });
  const create = (id: string) => server.asStaff("POST", "/api/toppings", topping({ id }));
  assert.equal((await create("before")).status, 201);
  let isFrozen = true;
  const thaw = (): void => {
    if (isFrozen) execFileSync("fsfreeze", ["-u", disk]);
    isFrozen = false;
  };
  execFileSync("fsfreeze", ["-f", disk]);
  cleanUp(t, thaw);
  const patience = startPatience(thaw);
  const delayed = create("delayed").then(({ status }) => [status, isFrozen]);
  for (const path of ["/healthz", "/readyz", "/api/toppings", "/api/backup", "/board"]) {
    const { status, text } = await server.asStaff("GET", path);
    assert.equal(status, 200, path);
    assert.ok(!text.includes("delayed"), path);
    assert.ok(isFrozen, `${path} waited for the disk`);
  }
  clearTimeout(patience);
  thaw();
  assert.deepEqual(await delayed, [201, false]);
});

test("on a full disk writes answer 503, reads go on, no start, and room heals it", async (t) => {
  const disk = mounted(t, "-t", "tmpfs", "-o", "size=1m", "forno-test");
  if (disk === undefined) return t.skip("no small file system can be mounted here");
  const dataDir = join(disk, "store");
  const server = await spawnForno(t, { dataDir });
  const writers = sixWriters();
  const ballast = join(disk, "ballast");
  await storm(server, writers, nth(60, () => fillDisk(ballast)));
  assert.deepEqual(writers.map(({ refused }) => refused), writers.map(() => 1));

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
  assert.equal(refused.json.type, "/problems#storage-unavailable");
  assert.equal((await server.call("GET", `/api/orders/late-${count}`)).status, 404);
  assert.equal((await server.call("GET", "/readyz")).status, 503);

  fs.unlinkSync(ballast);
  assert.equal((await create(`late-${count}`)).status, 201);
  await server.end("SIGKILL");

  const path = join(dataDir, "store.ndjson");
  const before = fs.readFileSync(path);
  fillDisk(ballast);
  const refusal = new RegExp(`needs ${before.length} bytes on its disk, and \\d+ are free`);
  await assert.rejects(spawnForno(t, { dataDir }), refusal);
  assert.deepEqual(fs.readFileSync(path), before);
  fs.unlinkSync(ballast);
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
