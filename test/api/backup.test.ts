/** GET /api/backup (contract parts 3 and 6): everything, of one moment, for staff alone. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { test, type TestContext } from "node:test";
import { contentOf, type Forno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { order } from "./kinds.ts";

const starterMenu = JSON.parse(
  readFileSync(new URL("../../data/starter-menu.json", import.meta.url), "utf8"),
);

async function backupOf(forno: Forno): Promise<any> {
  const { json } = await forno.asStaff("GET", "/api/backup");
  return contentOf(json);
}

/** A document with so many orders, of 17 kB each: what they hold has the longest id and name. */
function largeDocument(t: TestContext, count: number): string {
  const topping = { id: "i".repeat(128), name: "n".repeat(200), isVegetarian: true, isVegan: true };
  const toppings = Array.from({ length: 50 }, () => ({ id: topping.id }));
  const orders = Array.from({ length: count }, (_, index) => order({ id: `o${index}`, toppings }));
  const file = join(temporaryFolder(t), "large.json");
  const menu = { ...starterMenu, toppings: [...starterMenu.toppings, topping] };
  writeFileSync(file, JSON.stringify({ ...menu, orders }));
  return file;
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
  assert.deepEqual(await backupOf(forno), {
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

test("a backup has one resource per line, each with its place, and checksums", async (t) => {
  const forno = await startForno(t, { env: { MENU_FILE: "" } });
  const body = { id: "a", name: "A", isVegetarian: true, isVegan: true };
  await forno.asStaff("POST", "/api/toppings", body);
  await forno.asStaff("POST", "/api/toppings", { ...body, id: "b" });
  const { text, json } = await forno.asStaff("GET", "/api/backup");
  assert.equal(new Date(json.takenAt).toISOString(), json.takenAt);
  const [a, b] = json.toppings;
  assert.ok(json.seq >= json.lastChange && json.lastChange === b.seq && a.seq === b.seq - 1);
  const lines = [
    "{", '"forno":1,', `"seq":${json.seq},`, `"lastChange":${b.seq},`,
    `"takenAt":"${json.takenAt}",`, `"shop":${JSON.stringify(json.shop)},`, '"toppings":[',
    `${JSON.stringify({ ...body, seq: a.seq, crc: a.crc })},`,
    JSON.stringify({ ...body, id: "b", seq: b.seq, crc: b.crc }), "],",
    '"pizzasizes":[', "],", '"beverages":[', "],", '"orders":[', "],", `"crc":"${json.crc}"`, "}",
    "",
  ];
  assert.deepEqual(text.split("\n"), lines);
  for (const crc of [json.shop.crc, a.crc, b.crc, json.crc]) {
    const before = text.slice(0, text.lastIndexOf(`"crc":"${crc}"`));
    assert.equal(crc, crc32(before).toString(16).padStart(8, "0"));
  }
});

test("store.json is the same document, and says what a backup of that moment says", async (t) => {
  const forno = await startForno(t);
  await forno.call("POST", "/api/orders", { token: forno.customer, body: order({ id: "one" }) });
  await forno.store.snapshot();
  const file = readFileSync(join(forno.dataDir, "store.json"), "utf8");
  const { text } = await forno.asStaff("GET", "/api/backup");
  // The journal may have written a mark since the snapshot: a record that changes nothing.
  const lasting = (one: string): string =>
    one
      .replace(/^"seq":\d+,$/m, "")
      .replace(/"takenAt":"[^"]*"/, "")
      .replace(/"crc":"\w{8}"/g, "");
  assert.equal(lasting(file), lasting(text));
});

test("a backup is a file to keep and nothing for a cache", async (t) => {
  const forno = await startForno(t);
  const get = await forno.asStaff("GET", "/api/backup");
  assert.equal(get.status, 200);
  assert.equal(get.headers.get("cache-control"), "no-store");
  assert.match(get.headers.get("content-type") ?? "", /^application\/json\b/);
  const name = get.headers.get("content-disposition") ?? "";
  const minute = String(get.json.takenAt).slice(0, 16).replace(":", "-");
  assert.match(name, /^attachment; filename="forno-backup-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.json"$/);
  assert.ok(name.includes(minute), name);
  const head = await forno.asStaff("HEAD", "/api/backup");
  assert.deepEqual([head.status, head.text], [200, ""]);
  for (const field of ["cache-control", "content-type"]) {
    assert.equal(head.headers.get(field), get.headers.get(field), field);
  }
});

test("a backup is of one moment, whatever is written while it is read", async (t) => {
  const forno = await startForno(t, { env: { MENU_FILE: largeDocument(t, 1_000) } });
  const before = await backupOf(forno);
  const token = forno.staff;
  const response = await fetch(`${forno.origin}/api/backup`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const reader = response.body?.getReader() ?? assert.fail("no body");
  const pieces = [(await reader.read()).value ?? assert.fail("no bytes")];
  // The rest of it waits for its reader: some 17 MB, more than the sockets hold.
  await forno.asStaff("PATCH", "/api/orders/o999", { status: "Ready" });
  await forno.asStaff("DELETE", "/api/orders/o998");
  await forno.asStaff("POST", "/api/orders", order({ id: "late" }));
  await forno.asStaff("DELETE", "/api/toppings/funghi");
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
  }
  assert.deepEqual(contentOf(JSON.parse(Buffer.concat(pieces).toString())), before);
  assert.deepEqual((await backupOf(forno)).orders.at(-1).id, "late");
});

test("a new store with a backup as its MENU_FILE is equal to the old one", async (t) => {
  const old = await startForno(t);
  await old.call("POST", "/api/orders", { token: old.customer, body: order({ id: "first" }) });
  await old.asStaff("POST", "/api/orders", order({ id: "second" }));
  await old.asStaff("PATCH", "/api/orders/first", { status: "Delivered" });
  await old.asStaff("DELETE", "/api/pizzasizes/grande");
  const closed = { notice: "Fridays: fish", isOpen: false, soldOut: { beverages: ["birra"] } };
  await old.asStaff("PATCH", "/api/shop", closed);
  const { text, json } = await old.asStaff("GET", "/api/backup");
  const file = join(temporaryFolder(t), "backup.json");
  writeFileSync(file, text);

  const forno = await startForno(t, { env: { MENU_FILE: file } });
  const copy = await forno.asStaff("GET", "/api/backup");
  assert.deepEqual(contentOf(copy.json), contentOf(json));
  const places = ({ orders }: any): number[] => orders.map(({ seq }: { seq: number }) => seq);
  assert.deepEqual(places(copy.json), places(json), "old cursors lead to the same place");
  assert.ok(copy.json.lastChange > json.seq, "the ids of events go on rising");
  for (const path of ["/api/shop", "/api/orders/first?embed=names"]) {
    const [one, other] = [await old.call("GET", path), await forno.call("GET", path)];
    assert.equal(other.text, one.text);
    assert.equal(other.headers.get("etag"), one.headers.get("etag"));
  }
});
