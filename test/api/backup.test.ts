/**
 * Copies of the store's file (contract parts 1, 3 and 6): GET /api/backup sends it as it is at one
 * moment, and `node dist/server.js --check FILE` says what a copy holds.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { type Forno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { hasTools } from "../helpers/machine.ts";
import { blocksOf } from "../helpers/readme.ts";
import { runToExit } from "../helpers/run.ts";
import { order, topping } from "../helpers/samples.ts";
import { strongTag } from "./assertions.ts";
import { beginRead, openStream, startLarge } from "./streams.ts";

async function backupOf(forno: Forno): Promise<string> {
  const { status, text } = await forno.asStaff("GET", "/api/backup");
  assert.equal(status, 200);
  return text;
}

test("a backup is the file: menu, orders as answered, and what the store knows", async (t) => {
  const forno = await startForno(t);
  const placed = await forno.call("POST", "/api/orders", { token: forno.customer, body: order() });
  const shop = await forno.asStaff("PATCH", "/api/shop", { notice: "Fish on Fridays 🐟" });
  await forno.write("DELETE", "/api/toppings/funghi");
  const backup = await backupOf(forno);
  assert.equal(backup, readFileSync(join(forno.dataDir, "store.ndjson"), "utf8"));
  for (const { text } of [placed, shop]) assert.ok(backup.includes(`,"data":${text.trimEnd()},`));
  assert.match(backup, /"kept":\{"placedBy":"carla","isCustomers":true\}/);
  assert.match(backup, /"event":"toppings.deleted","data":\{"id":"funghi"\}.*\n$/);
});

test("a backup is a file to keep and nothing for a cache", async (t) => {
  const forno = await startForno(t);
  const { headers, text } = await forno.asStaff("GET", "/api/backup");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("content-type"), "application/x-ndjson");
  assert.equal(headers.get("content-length"), `${Buffer.byteLength(text)}`);
  const name = /^attachment; filename="forno-backup-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.ndjson"$/;
  assert.match(headers.get("content-disposition") ?? "", name);
  const head = await forno.asStaff("HEAD", "/api/backup");
  assert.deepEqual([head.status, head.text], [200, ""]);
  for (const name of ["etag", "content-length"]) {
    assert.equal(head.headers.get(name), headers.get(name), name);
  }
});

test("If-None-Match spares an unchanged backup, and a range gets the whole", async (t) => {
  const forno = await startForno(t);
  const tag = strongTag(await forno.asStaff("GET", "/api/backup"));
  const ask = () => forno.asStaff("GET", "/api/backup", undefined, {
    "if-none-match": tag, range: "bytes=5-", "if-range": tag,
  });
  const { status, text, headers } = await ask();
  assert.deepEqual([status, text, headers.get("etag")], [304, "", tag]);
  await forno.write("POST", "/api/toppings", topping());
  const whole = await ask();
  assert.deepEqual([whole.status, whole.text], [200, await backupOf(forno)]);
});

test("a backup is of one moment, read as it is taken, and breaks off with its file", async (t) => {
  const forno = await startLarge(t);
  const before = await backupOf(forno);
  const readOn = await beginRead(forno, "/api/backup");
  await forno.write("PATCH", "/api/orders/o999", { status: "Delivered" });
  await forno.write("DELETE", "/api/orders/o998");
  await forno.write("POST", "/api/toppings", topping({ id: "late" }));
  assert.ok((await readOn()).equals(Buffer.from(before)));
  assert.match(await backupOf(forno), /"late"/);
  const readOther = await beginRead(forno, "/api/backup");
  truncateSync(join(forno.dataDir, "store.ndjson"), 1_000);
  await assert.rejects(readOther(), TypeError);
});

test("curl copies what has changed, and a broken transfer leaves the last copy", {
  skip: hasTools("bash", "curl") ? false : "needs bash and curl",
}, async (t) => {
  const forno = await startForno(t);
  const path = join(forno.dataDir, "store.ndjson");
  const cwd = temporaryFolder(t);
  const copy = join(cwd, "copy.ndjson");
  const recipe = blocksOf("data/README.md").find(({ text }) => text.startsWith("curl"))?.text ?? "";
  const command = recipe.replace("https://orders.pizza.example", forno.origin);
  const options = { cwd, env: { ...process.env, TOKEN: forno.reader } };
  const runCommand = () => promisify(execFile)("bash", ["-c", command], options);
  await runCommand();
  const { ino } = statSync(copy);
  await runCommand();
  assert.equal(statSync(copy).ino, ino, "nothing has changed");
  await forno.write("POST", "/api/toppings", topping());
  await runCommand();
  const last = readFileSync(copy);
  assert.deepEqual(last, readFileSync(path));
  await forno.write("DELETE", "/api/toppings/tartufo");
  truncateSync(path, 1_000);
  await assert.rejects(runCommand());
  assert.deepEqual(readFileSync(copy), last);
});

test("a folder with a backup in it is an equal store, with a past of its own", async (t) => {
  const old = await startForno(t);
  await old.call("POST", "/api/orders", { token: old.customer, body: order({ id: "first" }) });
  await old.write("POST", "/api/orders", order({ id: "second" }));
  await old.write("PATCH", "/api/orders/first", { status: "Delivered" });
  await old.write("DELETE", "/api/pizzasizes/grande");
  const closed = { notice: "Fridays: fish", isOpen: false, soldOut: { beverages: ["birra"] } };
  await old.write("PATCH", "/api/shop", closed);
  const backup = await backupOf(old);
  const known = String(old.store.history.last);
  await old.write("POST", "/api/toppings", topping({ id: "lost" }));
  const lostTag = strongTag(await old.asStaff("GET", "/api/backup"));
  const replaced = String(old.store.history.last);

  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 60_000 });
  const forno = await startForno(t, { store: backup });
  assert.equal(await backupOf(forno), backup);
  for (const path of ["/api/shop", "/api/orders/first", "/api/orders?limit=1"]) {
    const [one, other] = [await old.call("GET", path), await forno.call("GET", path)];
    assert.deepEqual([other.text, other.headers.get("link")], [one.text, one.headers.get("link")]);
    if (!path.includes("limit")) assert.equal(strongTag(other), strongTag(one));
  }
  await forno.write("POST", "/api/toppings", topping({ id: "next" }));
  const newTag = strongTag(await forno.asStaff("GET", "/api/backup"));
  assert.notEqual(newTag, lostTag, "also if both pasts are equally long");
  const resumed = await openStream(t, forno, { lastEventId: known });
  assert.equal((await resumed.next()).data.id, "next");
  const reset = await (await openStream(t, forno, { lastEventId: replaced })).next();
  assert.equal(reset.event, "reset");
  assert.ok(Number(reset.id) > Number(replaced), "numbers of the replaced past never come again");
});

test("--check says what a copy holds, and ends with 1 if it is damaged", async (t) => {
  const forno = await startForno(t);
  for (const id of ["a", "b"]) await forno.write("POST", "/api/orders", order({ id }));
  const { json: { updatedAt } } = await forno.call("GET", "/api/orders/b");
  const text = await backupOf(forno);
  const copy = join(temporaryFolder(t), "copy of a shop.ndjson");
  const held = `${copy} holds 16 toppings, 4 pizza sizes, 6 beverages`;
  for (const [content, expected] of [
    [text, RegExp(`^0 ${held}, 2 orders, last changed at ${updatedAt}\\.$`)],
    [text.slice(0, -9), RegExp(`^0 ${held}, 1 order, last changed at 20\\S+\\.\n`
      + "From line \\d+ on, \\d+ bytes are a torn end: a start cuts it off\\.$")],
    [text.replace('"id":"a"', '"id":"A"'),
      RegExp(`^1 forno: ${copy}, line \\d+, with the id "A": its checksum .*$`)],
  ] as const) {
    writeFileSync(copy, content);
    const { code, lines } = await runToExit(t, "server", ["--check", copy]);
    assert.match(`${code} ${lines.join("\n")}`, expected);
    assert.equal(readFileSync(copy, "utf8"), content);
  }
  const none = await runToExit(t, "server", ["--check", `${copy}.none`]);
  assert.deepEqual([none.code, none.lines.length], [1, 1]);
});
