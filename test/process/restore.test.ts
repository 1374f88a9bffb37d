/**
 * `node dist/restore.js FILE` (contract parts 1 and 6) and MENU_FILE: a whole document goes into an
 * empty store, or nothing. Which documents are refused: store/restoring.test.ts. A backup as
 * MENU_FILE: api/backup.test.ts.
 */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type Client, contentOf, startForno, temporaryFolder } from "../helpers/forno.ts";
import { type Run, runToExit } from "./run.ts";

const topping = { id: "basil", name: "Basil", isVegetarian: true, isVegan: true };
const pizzaSize = { id: "large", name: "Large", diameterInInches: 14 };
const order = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };

function write(t: TestContext, document: unknown): string {
  const file = join(temporaryFolder(t), "document.json");
  writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document, null, 1));
  return file;
}

function restore(t: TestContext, folder: string, ...args: string[]): Promise<Run> {
  return runToExit(t, "restore.js", args, { DATA_DIR: folder });
}

async function backupOf(forno: Client): Promise<Record<string, unknown>> {
  const { json } = await forno.asStaff("GET", "/api/backup");
  return contentOf(json);
}

function assertRefused({ exit, lines, stdout }: Run, reason: RegExp): void {
  assert.deepEqual(exit, { code: 1, signal: null });
  assert.equal(stdout, "");
  assert.equal(lines.length, 1, lines.join("\n"));
  assert.match(lines[0] ?? "", reason);
}

/** Name and content of everything in a folder. */
function filesOf(folder: string): unknown {
  return readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]);
}

test("a backup that is restored makes an equal store", async (t) => {
  const old = await startForno(t);
  for (const token of [old.customer, old.staff]) {
    const { status } = await old.call("POST", "/api/orders", { token, body: order });
    assert.equal(status, 201);
  }
  await old.asStaff("DELETE", "/api/toppings/funghi");
  const { text } = await old.asStaff("GET", "/api/backup");
  const expected = await backupOf(old);
  const file = write(t, text);

  const dataDir = join(temporaryFolder(t), "restored");
  const { exit, lines } = await restore(t, dataDir, file);
  assert.deepEqual(exit, { code: 0, signal: null }, lines.join("\n"));
  const { takenAt } = JSON.parse(text);
  const counts = "15 toppings, 4 pizza sizes, 6 beverages, 2 orders";
  assert.deepEqual(lines, [`restored ${counts} into ${dataDir}, as of ${takenAt}`]);
  assert.deepEqual(await backupOf(await startForno(t, { dataDir })), expected);
});

test("a restored store is in store.json", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const { lines } = await restore(t, dataDir, write(t, { toppings: [topping] }));
  assert.deepEqual(lines, [
    `restored 1 topping, 0 pizza sizes, 0 beverages, 0 orders into ${dataDir}; ` +
      "the file has no shop, no pizzasizes, no beverages, no orders",
  ]);
  const document = JSON.parse(readFileSync(join(dataDir, "store.json"), "utf8"));
  assert.deepEqual(contentOf(document).toppings, [topping]);
});

test("a store that is not empty is refused and left as it is", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  await (await startForno(t, { dataDir })).close();
  const before = filesOf(dataDir);
  const run = await restore(t, dataDir, write(t, { toppings: [topping] }));
  assertRefused(run, /not empty/);
  assert.ok(run.stderr.includes(dataDir), run.stderr);
  assert.deepEqual(filesOf(dataDir), before);
});

test("a store that a server has open is refused", async (t) => {
  const forno = await startForno(t, { env: { MENU_FILE: "" } });
  assertRefused(await restore(t, forno.dataDir, write(t, { toppings: [topping] })), /process/);
  assert.deepEqual((await forno.call("GET", "/api/toppings")).json, []);
});

test("a store that is there but empty is filled, and its folder stays the same one", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  await (await startForno(t, { dataDir, env: { MENU_FILE: "", TOKEN_SECRET: "" } })).close();
  const key = readFileSync(join(dataDir, "token-secret"), "utf8");
  const { ino } = statSync(dataDir);
  const { exit } = await restore(t, dataDir, write(t, { toppings: [topping] }));
  assert.equal(exit.code, 0);
  assert.equal(statSync(dataDir).ino, ino);
  assert.equal(readFileSync(join(dataDir, "token-secret"), "utf8"), key);
  const forno = await startForno(t, { dataDir });
  assert.deepEqual((await forno.call("GET", "/api/toppings")).json, [topping]);
});

test("a document that is wrong at its very end leaves nothing behind", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const toppings = Array.from({ length: 20_000 }, (_, index) => ({ ...topping, id: `t${index}` }));
  const bad = { toppings, pizzasizes: [pizzaSize, { ...pizzaSize, id: "a b" }] };
  const run = await restore(t, dataDir, write(t, bad));
  assertRefused(run, /document\.json: pizzasizes\[1\]/);
  assert.deepEqual(journalsAndDocuments(dataDir), []);

  await restore(t, dataDir, write(t, { toppings: [topping] }));
  const forno = await startForno(t, { dataDir });
  assert.deepEqual((await forno.call("GET", "/api/toppings")).json, [topping]);
  assert.deepEqual((await forno.call("GET", "/api/pizzasizes")).json, []);
});

function journalsAndDocuments(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => /\.(nd)?json/.test(name)) : [];
}

test("a bad MENU_FILE stops the start and leaves no store behind", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const bad = write(t, { toppings: [topping, { ...topping, id: "b", name: "" }] });
  const reason = /document\.json: toppings\[1\]: #\/name: expected .*, got the string ""$/;
  await assert.rejects(startForno(t, { dataDir, env: { MENU_FILE: bad } }), reason);
  assert.deepEqual(journalsAndDocuments(dataDir), []);

  const MENU_FILE = write(t, { toppings: [topping] });
  const forno = await startForno(t, { dataDir, env: { MENU_FILE } });
  assert.deepEqual((await forno.call("GET", "/api/toppings")).json, [topping]);
});

const mistakes: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
  [[], /expected a FILE.*none.*Usage: node dist\/restore\.js FILE/],
  [["a.json", "b.json"], /expected one FILE.*got 2.*Usage: /],
];

test("a mistake on the command line is one line, and no folder is made", async (t) => {
  for (const [args, reason] of mistakes) {
    const dataDir = join(temporaryFolder(t), "store");
    assertRefused(await restore(t, dataDir, ...args), reason);
    assert.equal(existsSync(dataDir), false);
  }
});

test("a folder that cannot be used, and a bad setting, are told in one line", async (t) => {
  const folder = temporaryFolder(t);
  const file = write(t, { toppings: [topping] });
  writeFileSync(join(folder, "file"), "");
  assertRefused(await restore(t, join(folder, "file"), file), /cannot use the folder/);
  const run = await runToExit(t, "restore.js", [file], { DATA_DIR: folder, ORDER_READS: "none" });
  assertRefused(run, /ORDER_READS/);
});

test("a damaged store is refused with the file, and not overwritten", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "store.json"), "{\n}\n");
  const run = await restore(t, dataDir, write(t, { toppings: [topping] }));
  assertRefused(run, /store\.json: expected a journal beside it, found none.*restore\.js FILE/);
  assert.equal(readFileSync(join(dataDir, "store.json"), "utf8"), "{\n}\n");
  assert.deepEqual(journalsAndDocuments(dataDir), ["store.json"]);
});

test("--help says what the command does", async (t) => {
  const { exit, stdout, stderr } = await runToExit(t, "restore.js", ["--help"]);
  assert.deepEqual([exit.code, stderr], [0, ""]);
  assert.match(stdout, /node dist\/restore\.js FILE/);
});
