/**
 * A copy elsewhere by forno-copy and the real curl (contract part 6): through kills, restarts,
 * broken downloads and replaced files it is the shop's file, byte for byte.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanUp, type FornoProcess, spawnForno, temporaryFolder } from "../helpers/forno.ts";
import { hasTools } from "../helpers/machine.ts";
import { fileOf } from "../helpers/node.ts";

const skip = hasTools("curl") ? false : "needs curl";

/** A shop whose address stays the same over its restarts, and its copier as the unit starts it. */
class Copied {
  readonly #t: TestContext;
  readonly #dataDir: string;
  readonly #path: string;
  /** Where the copier keeps the copy. */
  readonly folder: string;
  /** The copier's. */
  token: string | undefined;
  /** The next connection breaks off after so many bytes. */
  cutAfter = Infinity;
  server!: FornoProcess;
  #url = "";

  constructor(t: TestContext) {
    this.#t = t;
    this.#dataDir = join(temporaryFolder(t), "store");
    this.#path = join(this.#dataDir, "store.ndjson");
    this.folder = temporaryFolder(t);
  }

  async startShop(): Promise<void> {
    this.server = await spawnForno(this.#t, { dataDir: this.#dataDir });
    if (this.#url !== "") return;
    this.token = this.server.reader;
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
    this.#url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  }

  async place(...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const body = { id, pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
      assert.equal((await this.server.asStaff("POST", "/api/orders", body)).status, 201);
    }
  }

  /** The shop's file. */
  get file(): Buffer {
    return fs.readFileSync(this.#path);
  }

  set file(content: Buffer | string) {
    fs.writeFileSync(this.#path, content);
  }

  /** Starts forno-copy. `ended`: its exit code and its last words; "" if it is killed. */
  startCopier(): { readonly ended: Promise<string>; kill(): void } {
    const env = {
      PATH: process.env["PATH"],
      STATE_DIRECTORY: this.folder,
      FORNO_URL: this.#url,
      FORNO_TOKEN: this.token,
    };
    const child = spawn(fileOf("data/deploy/bin/forno-copy"), { env, detached: true });
    let text = "";
    child.stderr.on("data", (piece: Buffer) => (text += piece.toString()));
    const kill = (): void => {
      const isRunning = child.exitCode === null && child.signalCode === null;
      // With its curl and its sleep.
      if (isRunning) process.kill(-child.pid!, "SIGKILL");
    };
    cleanUp(this.#t, kill);
    const ended = once(child, "close").then(([code]) => (code === null ? "" : `${code}: ${text}`));
    return { ended, kill };
  }

  /** Empty while there is none, as between a replaced copy and the next one. */
  copy(name = "copy.ndjson"): Buffer {
    try {
      return fs.readFileSync(join(this.folder, name));
    } catch {
      return Buffer.alloc(0);
    }
  }

  /** The contents of the copies that were replaced. */
  replaced(): Buffer[] {
    const names = fs.readdirSync(this.folder).filter((name) => name.startsWith("replaced-"));
    return names.map((name) => this.copy(name));
  }

  /**
   * Resolves when the copy is the shop's file and has its tag. A kill between the two is no loss,
   * but makes the next start keep this copy as a replaced one and begin anew.
   */
  async settled(): Promise<void> {
    const { headers } = await this.server.asStaff("HEAD", "/api/backup");
    const tag = headers.get("etag");
    assert.ok(tag);
    while (this.copy("tag").toString().trim() !== tag || !this.copy().equals(this.file)) {
      await sleep(20);
    }
  }
}

test("forno-copy has the shop's file, through kills, restarts and broken downloads", {
  skip,
}, async (t) => {
  const copied = new Copied(t);
  await copied.startShop();
  await copied.place("a", "b");
  copied.cutAfter = 3_000;
  assert.match(await copied.startCopier().ended, /^18: curl: \(18\)/);
  assert.ok(copied.copy().length > 1_000);
  const second = copied.startCopier();
  await copied.settled();
  await copied.place("c");
  await copied.settled();
  second.kill();
  assert.equal(await second.ended, "");
  await copied.server.end("SIGKILL");
  assert.match(await copied.startCopier().ended, /^52: curl: /);
  await copied.startShop();
  await copied.place("d");
  copied.startCopier();
  await copied.settled();
  assert.deepEqual(copied.replaced(), []);
});

const replacements: readonly (readonly [what: string, replace: (backup: Buffer) => string])[] = [
  // The same header and, when it is written on, the same length.
  ["restored", (backup) => backup.toString()],
  ["edited", (backup) => backup.toString().replace(/,"crc":"\w+"\}\n$/, "}\n")],
];

for (const [what, replace] of replacements) {
  test(`forno-copy keeps what it had when the shop's file was ${what}`, { skip }, async (t) => {
    const copied = new Copied(t);
    await copied.startShop();
    await copied.place("a");
    const backup = copied.file;
    await copied.place("b");
    const first = copied.startCopier();
    await copied.settled();
    first.kill();
    await first.ended;
    const before = copied.copy();
    await copied.server.end();
    copied.file = replace(backup);
    await copied.startShop();
    await copied.place("c");
    copied.startCopier();
    await copied.settled();
    assert.notDeepEqual(copied.copy(), before);
    assert.deepEqual(copied.replaced(), [before]);
  });
}

test("forno-copy fails, and says why, without a token or a shop", { skip }, async (t) => {
  const copied = new Copied(t);
  await copied.startShop();
  copied.token = "x";
  assert.match(await copied.startCopier().ended, /^22: curl: \(22\) .*401/);
  copied.token = undefined;
  assert.match(await copied.startCopier().ended, /^1: .*FORNO_TOKEN/);
  assert.equal(copied.copy().length, 0);
});
