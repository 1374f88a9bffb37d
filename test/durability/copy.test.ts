/**
 * A copy elsewhere, by the real curl (contract part 6): through kills, restarts, broken downloads
 * and replaced files it is the shop's file, byte for byte.
 */

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanUp, type FornoProcess, spawnForno, temporaryFolder } from "../helpers/forno.ts";
import { fileOf } from "../helpers/node.ts";
import { hasTools } from "../helpers/machine.ts";

const skip = hasTools("curl") ? false : "needs curl";

/** A shop whose address stays the same over its restarts. */
class Shop {
  readonly dataDir: string;
  readonly path: string;
  /** The next connection breaks off after so many bytes. */
  cutAfter = Infinity;
  url = "";
  server!: FornoProcess;
  readonly #t: TestContext;

  constructor(t: TestContext) {
    this.#t = t;
    this.dataDir = join(temporaryFolder(t), "store");
    this.path = join(this.dataDir, "store.ndjson");
  }

  async start(): Promise<void> {
    this.server = await spawnForno(this.#t, { dataDir: this.dataDir });
    if (this.url !== "") return;
    const relay = createServer((client) => {
      const server = connect(this.server.port, "127.0.0.1");
      let left = this.cutAfter;
      this.cutAfter = Infinity;
      server.on("data", (piece: Buffer) => {
        client.write(piece.subarray(0, left));
        left -= piece.length;
        if (left <= 0) client.end();
      });
      client.on("data", (piece) => server.write(piece));
      for (const [one, other] of [[client, server], [server, client]] as const) {
        one.on("error", () => {});
        one.on("close", () => other.destroy());
      }
    });
    relay.listen(0, "127.0.0.1");
    await once(relay, "listening");
    cleanUp(this.#t, () => relay.close());
    this.url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  }

  async place(...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const body = { id, pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
      assert.equal((await this.server.asStaff("POST", "/api/orders", body)).status, 201);
    }
  }

  file(): Buffer {
    return fs.readFileSync(this.path);
  }
}

test("curl goes on with a copy, and its exit code and the status say what came", {
  skip,
}, async (t) => {
  const shop = new Shop(t);
  await shop.start();
  const folder = temporaryFolder(t);
  const copy = join(folder, "copy");
  let tag = "";
  const ask = async (): Promise<string> => {
    const etag = join(folder, "etag");
    const args = [
      ...["-f", "-s", "-C", "-", "-o", copy, "--etag-save", etag, "-w", "%{http_code}"],
      ...["-H", `If-Range: ${tag}`, "-H", `Authorization: Bearer ${shop.server.reader}`],
    ];
    const outcome = await new Promise<string>((resolve) => {
      execFile("curl", [...args, `${shop.url}/api/backup`], (error, status) => {
        resolve(`exit ${error?.code ?? 0}, status ${status}`);
      });
    });
    tag = fs.readFileSync(etag, "utf8").trim();
    return outcome;
  };
  const isSame = (): boolean => fs.readFileSync(copy).equals(shop.file());

  shop.cutAfter = 2_000;
  assert.equal(await ask(), "exit 18, status 200");
  assert.ok(fs.statSync(copy).size < 2_000);
  await shop.place("while-it-is-broken");
  assert.equal(await ask(), "exit 0, status 206");
  assert.ok(isSame());
  assert.equal(await ask(), "exit 22, status 416");
  await shop.place("a", "b");
  await shop.server.end("SIGKILL");
  await shop.start();
  await shop.place("c");
  assert.equal(await ask(), "exit 0, status 206");
  assert.ok(isSame());
  const backup = shop.file();
  await shop.place("d");
  assert.equal(await ask(), "exit 0, status 206");

  // A restored backup has the same header, and may be as long when it is written on.
  await shop.server.end();
  fs.writeFileSync(shop.path, backup);
  await shop.start();
  assert.equal(await ask(), "exit 33, status 200");
  await shop.place("e");
  assert.equal(fs.statSync(copy).size, shop.file().length);
  assert.equal(await ask(), "exit 0, status 200");
  assert.ok(!isSame(), "so the status counts");
  fs.rmSync(copy);
  assert.equal(await ask(), "exit 0, status 200");
  assert.ok(isSame());
  await shop.place("f");
  assert.equal(await ask(), "exit 0, status 206");
  assert.ok(isSame());
});

/** forno-copy as its unit starts it. */
class Copier {
  readonly folder: string;
  token: string | undefined;
  readonly #t: TestContext;
  readonly #shop: Shop;

  constructor(t: TestContext, shop: Shop) {
    this.#t = t;
    this.#shop = shop;
    this.folder = temporaryFolder(t);
    this.token = shop.server.reader;
  }

  /** Starts it. Resolves to its exit code and its last words; "" if it is killed. */
  start(): { readonly ended: Promise<string>; kill(): void } {
    const env = {
      PATH: process.env["PATH"],
      STATE_DIRECTORY: this.folder,
      FORNO_URL: this.#shop.url,
      FORNO_TOKEN: this.token,
    };
    const child = spawn(fileOf("data/deploy/bin/forno-copy"), { env, detached: true });
    let text = "";
    child.stderr.on("data", (piece: Buffer) => (text += piece.toString()));
    const kill = (): void => {
      // With its curl and its sleep.
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL");
    };
    cleanUp(this.#t, kill);
    const ended = once(child, "close").then(([code]) => (code === null ? "" : `${code}: ${text}`));
    return { ended, kill };
  }

  /** Empty while there is none, as between a replaced copy and the next one. */
  file(name = "copy.ndjson"): Buffer {
    try {
      return fs.readFileSync(join(this.folder, name));
    } catch {
      return Buffer.alloc(0);
    }
  }

  replaced(): string[] {
    return fs.readdirSync(this.folder).filter((name) => name.startsWith("replaced-"));
  }

  /**
   * Resolves when the copy is the shop's file and has its tag. A kill between the two is no loss,
   * but makes the next start keep this copy as a replaced one and begin anew.
   */
  async settled(): Promise<void> {
    const { server } = this.#shop;
    const { headers } = await server.call("HEAD", "/api/backup", { token: server.reader });
    const tag = headers.get("etag");
    assert.ok(tag);
    while (this.file("tag").toString().trim() !== tag || !this.file().equals(this.#shop.file())) {
      await sleep(20);
    }
  }
}

test("forno-copy has the shop's file, through kills, restarts and broken downloads", {
  skip,
}, async (t) => {
  const shop = new Shop(t);
  await shop.start();
  await shop.place("a", "b");
  const copier = new Copier(t, shop);
  shop.cutAfter = 3_000;
  assert.match(await copier.start().ended, /^18: curl: \(18\)/);
  assert.ok(copier.file().length > 1_000);
  const second = copier.start();
  await copier.settled();
  await shop.place("c");
  await copier.settled();
  second.kill();
  assert.equal(await second.ended, "");
  await shop.server.end("SIGKILL");
  assert.match(await copier.start().ended, /^52: curl: /);
  await shop.start();
  await shop.place("d");
  copier.start();
  await copier.settled();
  assert.deepEqual(copier.replaced(), []);
});

test("forno-copy keeps what it had when the shop's file was replaced", { skip }, async (t) => {
  const shop = new Shop(t);
  await shop.start();
  await shop.place("a", "b");
  const copier = new Copier(t, shop);
  const first = copier.start();
  await copier.settled();
  const before = shop.file();
  first.kill();
  await first.ended;
  await shop.server.end();
  fs.writeFileSync(shop.path, before.toString().replace(/,"crc":"\w+"\}\n$/, "}\n"));
  await shop.start();
  assert.notDeepEqual(shop.file(), before);
  copier.start();
  await copier.settled();
  const [name = "", ...others] = copier.replaced();
  assert.deepEqual(others, []);
  assert.ok(fs.readFileSync(join(copier.folder, name)).equals(before));
});

test("forno-copy fails, and says why, without a token or a shop", { skip }, async (t) => {
  const shop = new Shop(t);
  await shop.start();
  const copier = new Copier(t, shop);
  copier.token = "x";
  assert.match(await copier.start().ended, /^22: curl: \(22\) .*401/);
  copier.token = undefined;
  assert.match(await copier.start().ended, /^1: .*FORNO_TOKEN/);
  assert.equal(copier.file().length, 0);
});
