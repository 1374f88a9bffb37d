/**
 * Copies of a shop's file (contract part 6). By rsync: under load, over kills, and after the file was
 * restored or edited. Each copy opens, and has every order that was answered before it was made. By
 * curl: also if a transfer breaks off.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { type FornoProcess, spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { hasTools } from "../helpers/machine.ts";
import { blocksOf } from "../helpers/readme.ts";
import { order } from "../helpers/samples.ts";

const run = promisify(execFile);

/** A shop and its copy. */
class Copied {
  readonly #t: TestContext;
  readonly #dataDir: string;
  readonly #copy: string;
  server!: FornoProcess;
  /** The orders that were answered. */
  readonly placed: string[] = [];
  #count = 0;

  constructor(t: TestContext) {
    this.#t = t;
    this.#dataDir = join(temporaryFolder(t), "store");
    this.#copy = join(temporaryFolder(t), "store.ndjson");
  }

  get path(): string {
    return join(this.#dataDir, "store.ndjson");
  }

  async start(): Promise<void> {
    this.server = await spawnForno(this.#t, { dataDir: this.#dataDir });
  }

  /** Places an order. False if the server is gone. */
  async place(note = ""): Promise<boolean> {
    const id = `order-${(this.#count += 1)}`;
    const sent = this.server.asStaff("POST", "/api/orders", order({ id, toppings: [], note }));
    const response = await sent.catch(() => undefined);
    if (response === undefined) return false;
    assert.equal(response.status, 201);
    this.placed.push(id);
    return true;
  }

  async placeMany(): Promise<void> {
    while (await this.place());
  }

  /** Copies the file, and opens the copy. */
  async copy(): Promise<Buffer> {
    const before = [...this.placed];
    await run("rsync", ["-a", this.path, this.#copy]);
    const copy = fs.readFileSync(this.#copy);
    const forno = await startForno(this.#t, { store: copy });
    const { json } = await forno.asStaff("GET", "/api/orders");
    const found = new Set(json.map(({ id }: { id: string }) => id));
    assert.deepEqual(before.filter((id) => !found.has(id)), []);
    await forno.close();
    return copy;
  }
}

const skip = hasTools("rsync") ? false : "needs rsync";

test("rsync copies the shop's file under load and over kills", { skip }, async (t) => {
  const copied = new Copied(t);
  for (let round = 0; round < (isLong ? 20 : 2); round += 1) {
    await copied.start();
    const writers = Array.from({ length: 4 }, () => copied.placeMany());
    for (let count = 0; count < 3; count += 1) await copied.copy();
    await copied.server.end("SIGKILL");
    await Promise.all(writers);
    await copied.copy();
  }
});

test("rsync copies a file that was restored or edited", { skip }, async (t) => {
  const copied = new Copied(t);
  await copied.start();
  await copied.place();
  const backup = await copied.copy();
  await copied.place();
  await copied.copy();
  for (const change of [
    (): void => {
      copied.placed.pop();
      fs.writeFileSync(copied.path, backup);
    },
    (): void => {
      const text = fs.readFileSync(copied.path, "utf8");
      fs.writeFileSync(copied.path, text.replace(/,"crc":"\w+"\}\n$/, "}\n"));
    },
  ]) {
    await copied.server.end();
    change();
    await copied.start();
    // rsync takes two files of one length and one second for the same.
    await copied.place("no salt");
    assert.deepEqual(await copied.copy(), fs.readFileSync(copied.path));
  }
});

test("curl copies what has changed, and a broken transfer leaves the last copy", {
  skip: hasTools("bash", "curl") ? false : "needs bash and curl",
}, async (t) => {
  let file = "first";
  let isBroken = false;
  const requests: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    requests.push(headers["if-none-match"]);
    response.writeHead(headers["if-none-match"] === `"${file}"` ? 304 : 200, {
      etag: `"${file}"`, "content-length": file.length,
    });
    if (isBroken) response.write("half", () => response.destroy());
    else response.end(file);
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const cwd = temporaryFolder(t);
  const recipe = blocksOf("data/README.md").find(({ text }) => text.startsWith("curl"))?.text ?? "";
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const command = recipe.replace("https://orders.pizza.example", origin);
  const copy = async (): Promise<string> => {
    await run("bash", ["-c", command], { cwd }).catch(() => {});
    return fs.readFileSync(join(cwd, "copy.ndjson"), "utf8");
  };
  assert.deepEqual([await copy(), await copy()], ["first", "first"]);
  [file, isBroken] = ["second", true];
  assert.equal(await copy(), "first");
  isBroken = false;
  assert.equal(await copy(), "second");
  assert.deepEqual(requests.slice(1), Array(3).fill('"first"'));
});
