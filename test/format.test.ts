/**
 * Folders of Forno 1 and 2 are opened: those in test/fixtures, which a built server left there and
 * which are never made anew. data/README.md describes today's format: its example is opened, and
 * its jq lines run.
 */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { contentOf, type Forno, spawnForno, startForno, temporaryFolder } from "./helpers/forno.ts";

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
  const content = contentOf((await forno.asStaff("GET", "/api/backup")).text);
  const orders = content.orders.map((order: any) => {
    const { placedAt: _, updatedAt, statusSince, ...rest } = order;
    // Format 1 has no statusSince.
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
    const body = { ...basil, id: "rocket" };
    const { status } = await first.asStaff("POST", "/api/toppings", body);
    assert.equal(status, 201);
    await first.end("SIGKILL");
    const again = await startForno(t, { dataDir });
    assert.deepEqual(await heldBy(again), { ...expected, toppings: [...expected.toppings, body] });
  });
}

test("a converted folder is refused by an older Forno, and not read again", async (t) => {
  const dataDir = copyOf(t, "killed");
  await (await startForno(t, { dataDir })).close();
  const names = readdirSync(dataDir).sort();
  assert.deepEqual(names, ["journal-000002.ndjson", "store-2.json", "store.ndjson"]);
  rmSync(join(dataDir, "store.ndjson"));
  const lost = startForno(t, { dataDir });
  await assert.rejects(lost, { code: "damaged", file: "store.ndjson", message: /missing/ });
});

test("an interrupted conversion is finished, unless an older Forno wrote on", async (t) => {
  const [dataDir, newer] = [copyOf(t, "killed"), copyOf(t, "stopped")];
  await (await startForno(t, { dataDir })).close();
  cpSync(join(dataDir, "store.ndjson"), join(newer, "store.ndjson"));
  renameSync(join(dataDir, "store-2.json"), join(dataDir, "store.json"));
  const forno = await startForno(t, { dataDir });
  assert.deepEqual(await heldBy(forno), killed);
  assert.ok(!readdirSync(dataDir).includes("store.json"));
  await assert.rejects(startForno(t, { dataDir: newer }), { code: "damaged", file: "store.json" });
});

test("damage in a folder of format 1 is refused with its place", async (t) => {
  const journal = "journal-000002.ndjson";
  for (const [name, from, to, place] of [
    ["store.json", "Large", "Small", /^store\.json: its checksum is wrong/],
    [journal, "Delivered", "Cancelled", /^journal-000002\.ndjson, line 4: /],
    [journal, "", "", /^store\.json: expected a journal beside it, found none/],
  ] as const) {
    const dataDir = copyOf(t, "killed");
    const path = join(dataDir, name);
    if (from === "") rmSync(path);
    else writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
    const before = readdirSync(dataDir);
    await assert.rejects(startForno(t, { dataDir }), { code: "damaged", message: place });
    assert.deepEqual(readdirSync(dataDir), before);
  }
});

test("a document of format 1 is a MENU_FILE", async (t) => {
  const MENU_FILE = join(fixtures, "stopped", "store.json");
  assert.deepEqual(await heldBy(await startForno(t, { env: { MENU_FILE } })), stopped);
});

/** The fenced blocks of the page in this language. */
function blocks(language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm");
  return [...page.matchAll(pattern)].map(([, text = ""]) => text);
}

/** A folder with the page's example in it. */
function exampleFolder(t: TestContext): string {
  const dataDir = join(temporaryFolder(t), "store");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "store.ndjson"), blocks("json")[0] ?? "");
  return dataDir;
}

test("the page's example is a store that is opened, and its checksums hold", async (t) => {
  for (const line of (blocks("json")[0] ?? "").trimEnd().split("\n")) {
    const [, before = "", crc] = /^(.*)"crc":"(\w{8})"\}$/.exec(line) ?? [];
    assert.equal(crc, crc32(before).toString(16).padStart(8, "0"), line);
  }
  const { toppings, orders } = await heldBy(await startForno(t, { dataDir: exampleFolder(t) }));
  assert.deepEqual(toppings, []);
  assert.deepEqual(orders.map(({ id, status }: any) => [id, status]), [["K7QX3M", "Ready"]]);
});

test("the page names every member that Forno writes", async (t) => {
  const forno = await startForno(t);
  await forno.call("POST", "/api/orders", {
    token: forno.customer,
    body: { pizzaSize: { id: "grande" }, toppings: [], beverages: [] },
  });
  await forno.close();
  const lines = readFileSync(join(forno.dataDir, "store.ndjson"), "utf8").trimEnd().split("\n");
  for (const { data: _, kept = {}, ...members } of lines.map((line) => JSON.parse(line))) {
    for (const name of [...Object.keys(members), ...Object.keys(kept)]) {
      assert.ok(page.includes(`\`${name}\``), name);
    }
  }
});

function isHere(program: string): boolean {
  return spawnSync(program, ["--version"]).error === undefined;
}

test("the page's lines of jq say what they promise", { skip: !isHere("jq") }, (t) => {
  const folder = exampleFolder(t);
  const lines = (blocks("sh")[0] ?? "").split("\n").filter((line) => line.startsWith("jq "));
  const outputs = lines.map((line) =>
    execFileSync("bash", ["-c", line], { cwd: folder, encoding: "utf8" }).trimEnd());
  assert.deepEqual(outputs.slice(0, 2), [
    '["orders.created","Preparing","2026-11-23T16:01:00.000Z"]\n' +
      '["orders.updated","Ready","2026-11-23T16:09:00.000Z"]',
    "2026-11-23T16:01:00.000Z\tK7QX3M\tanna",
  ]);
  assert.equal(JSON.parse(outputs[2] ?? "").status, "Ready");
});
