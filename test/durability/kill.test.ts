/**
 * A real process that is killed, told to stop, copied, or runs out of disk, while six clients place
 * orders (contract part 6).
 */

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import { openStream } from "../api/streams.ts";
import { cleanUp, type Client, spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { hasTools } from "../helpers/machine.ts";
import { startPatience, until } from "../helpers/patience.ts";
import { openWire, requestText } from "../helpers/raw-http.ts";
import { type Body, order, topping } from "../helpers/samples.ts";

/** The orders of six clients. Each places one after the other; three place five at a time. */
class Orders {
  /** By id, as they were answered. */
  readonly answered = new Map<string, object>();
  refused = 0;
  #count = 0;
  /** The number of toppings of each order that was sent, refused ones left out. */
  readonly #sent = new Map<string, number>();

  /** Resolves when the server is gone or refuses orders. `onAnswer`: with the number of answers. */
  async place(client: Client, onAnswer: (count: number) => void = () => {}): Promise<void> {
    let answers = 0;
    const placeMany = async (size: number): Promise<void> => {
      for (;;) {
        const group = `${size}-of-${this.#count}`;
        const bodies = Array.from({ length: size }, () => this.#order(group));
        const body = size === 1 ? bodies[0] : bodies;
        const response = await client.asStaff("POST", "/api/orders", body).catch(() => undefined);
        if (response === undefined) return;
        if (response.status === 503) {
          this.refused += 1;
          for (const { id } of bodies) this.#sent.delete(String(id));
          return;
        }
        assert.equal(response.status, 201, response.text);
        for (const one of [response.json].flat()) this.answered.set(one.id, one);
        onAnswer((answers += 1));
      }
    };
    await Promise.all([1, 5, 1, 5, 1, 5].map(placeMany));
  }

  #order(group: string): Body {
    const count = (this.#count += 1) % 20;
    const id = `order-${this.#count}`;
    this.#sent.set(id, count);
    return order({ id, group, toppings: Array(count).fill({ id: "funghi" }) });
  }

  /** Every answered order is there as it was answered, of the others some, and each write whole. */
  async check(client: Client, answered = new Map(this.answered)): Promise<void> {
    const { json } = await client.asStaff("GET", "/api/orders");
    const found = new Map<string, { toppings: unknown[]; group: string }>(
      json.map((one: { id: string }) => [one.id, one]));
    for (const [id, one] of answered) assert.deepEqual(found.get(id), one);
    const sizes = new Map<string, number>();
    for (const [id, { toppings, group }] of found) {
      assert.equal(toppings.length, this.#sent.get(id), id);
      sizes.set(group, (sizes.get(group) ?? 0) + 1);
    }
    for (const [group, size] of sizes) assert.equal(size, Number(group[0]), group);
  }
}

test("killed in a storm of writes, and copied by rsync, it has all it answered", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const copy = join(temporaryFolder(t), "store.ndjson");
  const orders = new Orders();
  /** A copy has all that was answered before it was begun. */
  const checkCopy = async (): Promise<void> => {
    const before = new Map(orders.answered);
    await promisify(execFile)("rsync", ["-a", join(dataDir, "store.ndjson"), copy]);
    const forno = await startForno(t, { store: fs.readFileSync(copy) });
    await orders.check(forno, before);
    await forno.close();
  };
  for (let cycle = 1; cycle <= (isLong ? 12 : 3); cycle++) {
    const server = await spawnForno(t, { dataDir });
    await orders.check(server);
    let answers = 0;
    const placed = orders.place(server, (count) => (answers = count));
    await until(() => answers >= cycle * 20);
    if (hasTools("rsync")) await checkCopy();
    await server.end("SIGKILL");
    await placed;
  }
  await orders.check(await spawnForno(t, { dataDir }));
  if (hasTools("rsync")) await checkCopy();
  t.diagnostic(`${orders.answered.size} orders were answered`);
});

/** Sends this, and then neither reads nor closes. */
function leaveStuck(t: TestContext, port: number, text: string): void {
  const wire = openWire(t, port);
  wire.pause();
  wire.send(text);
}

test("told to stop under load, with stuck clients, it has all it answered", async (t) => {
  const server = await spawnForno(t);
  const events = (await openStream(t, server)).ended();
  leaveStuck(t, server.port, requestText("POST /api/orders", "Content-Length: 90\r\n"));
  leaveStuck(t, server.port, requestText("GET /api/toppings").repeat(400));
  const orders = new Orders();
  await orders.place(server, (count) => count === 300 && server.child.kill("SIGTERM"));
  // Though the stuck clients never leave. The seconds are those of process/shutdown.test.ts.
  const patience = startPatience(() => server.child.kill("SIGKILL"));
  assert.deepEqual(await server.exited, { code: 0, signal: null }, server.stdout());
  clearTimeout(patience);
  assert.ok((await events).includes("orders.created"), "the stream had what was written");
  await orders.check(await spawnForno(t, { dataDir: server.dataDir }));
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

test("on a full disk writes answer 503, reads and starts go on, and room heals it", async (t) => {
  const disk = mounted(t, "-t", "tmpfs", "-o", "size=1m", "forno-test");
  if (disk === undefined) return t.skip("no small file system can be mounted here");
  const dataDir = join(disk, "store");
  const server = await spawnForno(t, { dataDir });
  const ballast = join(disk, "ballast");
  const orders = new Orders();
  await orders.place(server, (count) => count === 60 && fillDisk(ballast));
  assert.equal(orders.refused, 6);
  await orders.check(server);
  assert.equal((await server.call("GET", "/readyz")).status, 503);

  fs.unlinkSync(ballast);
  await server.write("POST", "/api/toppings", topping());
  await server.end("SIGKILL");
  const path = join(dataDir, "store.ndjson");
  const before = fs.statSync(path);
  fillDisk(ballast);
  const full = await spawnForno(t, { dataDir });
  const said = new RegExp(`needs ${before.size} bytes on its disk, and \\d+ are free`);
  assert.match(full.stdout(), said);
  assert.equal(fs.statSync(path).ino, before.ino);
  await orders.check(full);
  assert.equal((await full.call("GET", "/readyz")).status, 503);
  fs.unlinkSync(ballast);
  await full.write("DELETE", "/api/toppings/tartufo");
  await full.end();
  const again = await spawnForno(t, { dataDir });
  await orders.check(again);
  assert.equal((await again.call("GET", "/api/toppings/tartufo")).status, 404);
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
