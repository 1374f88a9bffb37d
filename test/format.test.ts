/**
 * Folders and copies of this version and earlier ones are opened: those in test/fixtures,
 * which a built server left there and which are never made anew; the examples of data/README.md.
 */

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { contentOf, type Forno, spawnForno, startForno, temporaryFolder } from "./helpers/forno.ts";
import { runToExit } from "./process/run.ts";

const root = new URL("../", import.meta.url);
const fixtures = fileURLToPath(new URL("test/fixtures/format-1/", root));
const page = readFileSync(new URL("data/README.md", root), "utf8");

const large = { id: "large", name: "Large", diameterInInches: 14.5 };
const basil = { id: "basil", name: "Basil ☘", isVegetarian: true, isVegan: true };
const cola = { id: "cola", name: "Cola", isCarbonated: true, sizeOptions: ["0.33 l", "½ l"] };
const nothing = { toppings: [], pizzasizes: [], beverages: [] };

function order(id: string, status: string, placedBy?: string): object {
  return {
    id,
    pizzaSize: { id: "large" },
    toppings: [{ id: "basil" }, { id: "basil" }],
    beverages: [{ id: "cola" }],
    status,
    ...(placedBy !== undefined && { placedBy }),
    names: { pizzaSize: "Large", toppings: ["Basil ☘", "Basil ☘"], beverages: ["Cola"] },
  };
}

const stopped = {
  shop: { name: "Forno", isOpen: true, notice: "", soldOut: nothing },
  toppings: [basil],
  pizzasizes: [large],
  beverages: [cola],
  orders: [order("one", "Preparing", "anna"), order("two", "Preparing", "anna")],
};

const killed = {
  shop: { name: "Forno", isOpen: false, notice: "Closed on Monday", soldOut: nothing },
  toppings: [],
  pizzasizes: [large],
  beverages: [{ ...cola, name: "Cola 🥤" }],
  orders: [order("one", "Delivered", "anna"), order("three", "Preparing", "anna")],
};

/** The store's content, without the times. */
async function heldBy(forno: Pick<Forno, "asStaff">): Promise<any> {
  const { json } = await forno.asStaff("GET", "/api/backup");
  const content = contentOf(json);
  const orders = content.orders.map((order: any) => {
    const { placedAt: _, updatedAt, statusSince, ...rest } = order;
    // That format has no statusSince.
    assert.equal(statusSince, updatedAt);
    return rest;
  });
  return { ...content, orders };
}

function copyOf(t: TestContext, name: string): string {
  const dataDir = join(temporaryFolder(t), "store");
  cpSync(join(fixtures, name), dataDir, { recursive: true });
  return dataDir;
}

for (const [name, expected] of [
  ["stopped", stopped],
  ["killed", killed],
  ["torn", killed],
] as const) {
  test(`a folder of format 1, ${name}, is opened with all it holds, and written on`, async (t) => {
    const dataDir = copyOf(t, name);
    const first = await spawnForno(t, { dataDir });
    assert.deepEqual(await heldBy(first), expected);
    assert.equal(first.stdout().includes("torn end"), name === "torn", first.stdout());
    const body = { ...basil, id: "rocket" };
    const { status } = await first.asStaff("POST", "/api/toppings", body);
    assert.equal(status, 201);
    await first.end("SIGKILL");
    const again = await startForno(t, { dataDir });
    assert.deepEqual(await heldBy(again), { ...expected, toppings: [...expected.toppings, body] });
  });
}

test("a followed copy of format 1 is restored with all it holds", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const file = join(fixtures, "followed.ndjson");
  const { exit, lines } = await runToExit(t, "restore.js", [file], { DATA_DIR: dataDir });
  assert.equal(exit.code, 0, lines.join("\n"));
  assert.match(lines[0] ?? "", /, 2 orders into .*, as of 2026-11-22T11:23:11\.447Z$/);
  assert.deepEqual(await heldBy(await startForno(t, { dataDir })), killed);
});

test("the page's examples are a folder that is opened, and their checksums hold", async (t) => {
  const [document = "", journal = ""] = [...page.matchAll(/^```json\n([^]*?)^```$/gm)].map(
    ([, text = ""]) => text,
  );
  const proofs = (text: string): RegExpExecArray[] => [...text.matchAll(/"crc":"(\w{8})"/g)];
  for (const { 1: crc, index } of proofs(document)) {
    assert.equal(crc, crc32(document.slice(0, index)).toString(16).padStart(8, "0"));
  }
  for (const line of journal.split("\n").slice(0, -1)) {
    const [proof] = proofs(line);
    const before = line.slice(0, proof?.index);
    assert.equal(proof?.[1], crc32(before).toString(16).padStart(8, "0"));
  }
  const dataDir = join(temporaryFolder(t), "store");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "store.json"), document);
  writeFileSync(join(dataDir, "journal-000002.ndjson"), journal);
  const { toppings, orders } = await heldBy(await startForno(t, { dataDir }));
  assert.deepEqual(toppings, []);
  assert.deepEqual(orders.map(({ id, status }: any) => [id, status]), [["K7QX3M", "Ready"]]);
});

test("the page names every member that Forno writes", async (t) => {
  const file = join(fixtures, "killed", "journal-000002.ndjson");
  const records = readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  const forno = await startForno(t);
  const { json } = await forno.asStaff("GET", "/api/backup");
  const kept = ["placedBy", "names"];
  for (const name of [...Object.keys(json), ...records.flatMap(Object.keys), ...kept]) {
    assert.ok(page.includes(`\`${name}\``), name);
  }
});
