/** data/README.md describes the store's file: its example is opened, and its jq lines run. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { startForno, temporaryFolder } from "./helpers/forno.ts";
import { hasTools } from "./helpers/machine.ts";
import { blocksOf, root } from "./helpers/readme.ts";
import { orderLine, storeFile } from "./helpers/store-file.ts";

const page = readFileSync(join(root, "data/README.md"), "utf8");
const blocks = blocksOf("data/README.md");
const example = blocks.find(({ language }) => language === "json")?.text ?? "";
const commands = blocks.find(({ language }) => language === "sh")?.text ?? "";

test("the page's example is a store that is opened, and its checksums hold", async (t) => {
  const lines = example.trimEnd().split("\n");
  for (const line of lines) {
    const [, before = "", crc] = /^(.*)"crc":"(\w{8})"\}$/.exec(line) ?? [];
    assert.equal(crc, crc32(before).toString(16).padStart(8, "0"), line);
  }
  const forno = await startForno(t, { store: example });
  assert.deepEqual((await forno.call("GET", "/api/toppings")).json, []);
  const order = JSON.parse(lines[6] ?? "").data;
  assert.deepEqual((await forno.call("GET", "/api/orders")).json, [order]);
  const file = readFileSync(join(forno.dataDir, "store.ndjson"), "utf8");
  assert.equal(file, example, "a start copies it as it is");
});

test("a stored time has the page's form, and is a day that there is", async (t) => {
  const leapDay = "2028-02-29T18:00:00.000Z";
  const forno = await startForno(t, { store: storeFile([orderLine("o1", leapDay)]) });
  assert.equal((await forno.call("GET", "/api/orders/o1")).json.placedAt, leapDay);
  for (const bad of ["2026-02-29T18:00:00.000Z", "2026-01-15T18:00:00Z", "2026-01-15", ""]) {
    await assert.rejects(startForno(t, { store: storeFile([orderLine("o1", bad)]) }), {
      code: "damaged",
      line: 2,
      message: /#\/placedAt: expected a string with a time such as/,
    });
  }
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

test("the page's lines of jq say what they promise", { skip: !hasTools("jq") }, (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "store.ndjson"), example);
  const lines = commands.split("\n").filter((line) => line.startsWith("jq "));
  const outputs = lines.map((line) =>
    execFileSync("bash", ["-c", line], { cwd: folder, encoding: "utf8" }).trimEnd());
  assert.deepEqual(outputs.slice(0, 2), [
    '["orders.created","Preparing","2026-11-23T16:01:00.000Z"]\n' +
      '["orders.updated","Ready","2026-11-23T16:09:00.000Z"]',
    "2026-11-23T16:01:00.000Z\tK7QX3M\tanna",
  ]);
  assert.equal(JSON.parse(outputs[2] ?? "").status, "Ready");
});
