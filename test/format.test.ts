/** data/README.md describes the store's file: its example is opened, and its jq lines run. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { crc32 } from "node:zlib";
import { startForno, temporaryFolder } from "./helpers/forno.ts";

const page = readFileSync(new URL("../data/README.md", import.meta.url), "utf8");

/** The fenced blocks of the page in this language. */
function blocks(language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm");
  return [...page.matchAll(pattern)].map(([, text = ""]) => text);
}

function exampleLines(): string[] {
  return (blocks("json")[0] ?? "").trimEnd().split("\n");
}

/** A folder with the page's example in it. */
function exampleFolder(t: TestContext): string {
  const dataDir = join(temporaryFolder(t), "store");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "store.ndjson"), blocks("json")[0] ?? "");
  return dataDir;
}

test("the page's example is a store that is opened, and its checksums hold", async (t) => {
  for (const line of exampleLines()) {
    const [, before = "", crc] = /^(.*)"crc":"(\w{8})"\}$/.exec(line) ?? [];
    assert.equal(crc, crc32(before).toString(16).padStart(8, "0"), line);
  }
  const dataDir = exampleFolder(t);
  const forno = await startForno(t, { dataDir });
  assert.deepEqual((await forno.call("GET", "/api/toppings")).json, []);
  const order = JSON.parse(exampleLines()[6] ?? "").data;
  assert.deepEqual((await forno.call("GET", "/api/orders")).json, [order]);
  const file = readFileSync(join(dataDir, "store.ndjson"), "utf8");
  assert.equal(file, blocks("json")[0], "a start copies it as it is");
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
