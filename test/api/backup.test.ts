/** GET /api/backup (contract parts 3 and 6): the store's file, of one moment. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { contentOf, type Forno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { openStream } from "./event-client.ts";
import { order } from "./kinds.ts";

const starterMenu = JSON.parse(
  readFileSync(new URL("../../data/starter-menu.json", import.meta.url), "utf8"),
);

/** A folder with this text as its store. */
function folderWith(t: TestContext, backup: string): string {
  const dataDir = join(temporaryFolder(t), "store");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "store.ndjson"), backup);
  return dataDir;
}

async function backupOf(forno: Forno): Promise<string> {
  const { status, text } = await forno.asStaff("GET", "/api/backup");
  assert.equal(status, 200);
  return text;
}

const shop = {
  name: "Forno",
  isOpen: true,
  notice: "",
  soldOut: { toppings: [], pizzasizes: [], beverages: [] },
};

test("a backup holds the menu and every order, with what only the store knows of it", async (t) => {
  const forno = await startForno(t);
  const placed = await forno.call("POST", "/api/orders", { token: forno.customer, body: order() });
  await forno.asStaff("DELETE", "/api/toppings/funghi");
  assert.deepEqual(contentOf(await backupOf(forno)), {
    shop,
    ...starterMenu,
    toppings: starterMenu.toppings.filter(({ id }: { id: string }) => id !== "funghi"),
    orders: [{ ...placed.json, placedBy: "carla", names: namesOnMenu() }],
  });
});

/** The names of the sample order's items on the starter menu. */
function namesOnMenu(): object {
  const name = (kind: string, id: string): string =>
    starterMenu[kind].find((item: { id: string }) => item.id === id).name;
  return {
    pizzaSize: name("pizzasizes", "grande"),
    toppings: [name("toppings", "funghi"), name("toppings", "rucola")],
    beverages: [name("beverages", "chinotto")],
  };
}

test("a backup is the store's file, byte for byte", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("POST", "/api/orders", order({ id: "one" }));
  const file = readFileSync(join(forno.dataDir, "store.ndjson"), "utf8");
  assert.equal(await backupOf(forno), file);
});

test("data is byte for byte the response", async (t) => {
  const forno = await startForno(t);
  const { text } = await forno.asStaff("POST", "/api/orders", order({ id: "one" }));
  const update = { notice: "Fish on Fridays 🐟" };
  const shop = await forno.asStaff("PATCH", "/api/shop", update);
  const [placed = "", changed = ""] = (await backupOf(forno)).split("\n").slice(-3);
  assert.ok(placed.includes(`,"data":${text.trimEnd()},"kept":{`), placed);
  assert.ok(changed.includes(`,"data":${shop.text.trimEnd()},"crc":`), changed);
});

test("a backup is a file to keep and nothing for a cache", async (t) => {
  const forno = await startForno(t);
  const get = await forno.asStaff("GET", "/api/backup");
  assert.equal(get.headers.get("cache-control"), "no-store");
  assert.equal(get.headers.get("content-type"), "application/x-ndjson");
  assert.equal(get.headers.get("content-length"), `${Buffer.byteLength(get.text)}`);
  const name = get.headers.get("content-disposition") ?? "";
  const pattern = /^attachment; filename="forno-backup-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.ndjson"$/;
  assert.match(name, pattern);
  const head = await forno.asStaff("HEAD", "/api/backup");
  assert.deepEqual([head.status, head.text], [200, ""]);
  for (const field of ["cache-control", "content-type", "content-length"]) {
    assert.equal(head.headers.get(field), get.headers.get(field), field);
  }
});

/** A server with some 17 MB, more than the sockets hold. */
async function startLarge(t: TestContext): Promise<Forno> {
  const id = "i".repeat(128);
  const topping = { id, name: "n".repeat(200), isVegetarian: true, isVegan: true };
  const toppings = Array.from({ length: 50 }, () => ({ id }));
  const orders = Array.from({ length: 1_000 }, (_, index) => order({ id: `o${index}`, toppings }));
  const file = join(temporaryFolder(t), "large.json");
  const menu = { ...starterMenu, toppings: [...starterMenu.toppings, topping] };
  writeFileSync(file, JSON.stringify({ ...menu, orders }));
  return startForno(t, { env: { MENU_FILE: file } });
}

/** A backup of which the first bytes have been read. */
async function beginBackup(forno: Forno): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const headers = { authorization: `Bearer ${forno.staff}` };
  const response = await fetch(`${forno.origin}/api/backup`, { headers });
  return response.body?.getReader() ?? assert.fail("no body");
}

test("a backup is of one moment, whatever is written while it is read", async (t) => {
  const forno = await startLarge(t);
  const before = await backupOf(forno);
  const reader = await beginBackup(forno);
  const pieces = [(await reader.read()).value ?? assert.fail("no bytes")];
  // The rest of it waits for its reader.
  await forno.asStaff("PATCH", "/api/orders/o999", { status: "Ready" });
  await forno.asStaff("DELETE", "/api/orders/o998");
  await forno.store.rewrite();
  await forno.asStaff("POST", "/api/orders", order({ id: "late" }));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
  }
  assert.ok(Buffer.concat(pieces).equals(Buffer.from(before)));
  assert.equal(contentOf(await backupOf(forno)).orders.at(-1).id, "late");
});

test("a backup is read from the file as its client takes it, and breaks off with it", async (t) => {
  const forno = await startLarge(t);
  const reader = await beginBackup(forno);
  await reader.read();
  truncateSync(join(forno.dataDir, "store.ndjson"), 1_000);
  const readOn = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  await assert.rejects(readOn(), TypeError);
});

test("a folder with a backup in it is an equal store, with a past of its own", async (t) => {
  const old = await startForno(t);
  await old.call("POST", "/api/orders", { token: old.customer, body: order({ id: "first" }) });
  await old.asStaff("POST", "/api/orders", order({ id: "second" }));
  await old.asStaff("PATCH", "/api/orders/first", { status: "Delivered" });
  await old.asStaff("DELETE", "/api/pizzasizes/grande");
  const closed = { notice: "Fridays: fish", isOpen: false, soldOut: { beverages: ["birra"] } };
  await old.asStaff("PATCH", "/api/shop", closed);
  const backup = await backupOf(old);
  const known = String(old.store.history.last);
  await old.asStaff("POST", "/api/toppings", newTopping("lost"));
  const replaced = String(old.store.history.last);

  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 60_000 });
  const forno = await startForno(t, { dataDir: folderWith(t, backup) });
  assert.equal(await backupOf(forno), backup);
  for (const path of ["/api/shop", "/api/orders/first?embed=names", "/api/orders?limit=1"]) {
    const [one, other] = [await old.call("GET", path), await forno.call("GET", path)];
    assert.deepEqual([other.text, other.headers.get("link")], [one.text, one.headers.get("link")]);
    if (path.includes("first")) assert.equal(other.headers.get("etag"), one.headers.get("etag"));
  }
  await forno.asStaff("POST", "/api/toppings", newTopping("new"));
  const resumed = await openStream(t, forno, { lastEventId: known });
  assert.equal((await resumed.next()).data.id, "new");
  const reset = await (await openStream(t, forno, { lastEventId: replaced })).next();
  assert.equal(reset.event, "reset");
  assert.ok(Number(reset.id) > Number(replaced), "numbers of the replaced past never come again");
});

function newTopping(id: string): object {
  return { id, name: "New", isVegetarian: true, isVegan: true };
}

test("a backup cut among the resources is refused, and one cut behind them is not", async (t) => {
  const forno = await startForno(t);
  for (const id of ["one", "two"]) await forno.asStaff("POST", "/api/orders", order({ id }));
  const backup = await backupOf(forno);
  const lines = backup.split("\n");
  const half = lines.slice(0, 12).join("\n");
  const cut = startForno(t, { dataDir: folderWith(t, half) });
  await assert.rejects(cut, { code: "damaged", line: 12 });
  const shorter = await startForno(t, { dataDir: folderWith(t, backup.slice(0, -20)) });
  const orders = (await shorter.asStaff("GET", "/api/orders")).json;
  assert.deepEqual(orders.map(({ id }: { id: string }) => id), ["one"]);
});
