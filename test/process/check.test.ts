/** `node dist/server.js --check FILE`: a whole copy, one that is cut, and a damaged one. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startForno, temporaryFolder } from "../helpers/forno.ts";
import { runToExit } from "../helpers/run.ts";
import { order } from "../helpers/samples.ts";

test("--check says what a copy holds, and ends with 1 if it is damaged", async (t) => {
  const forno = await startForno(t);
  for (const id of ["a", "b"]) await forno.write("POST", "/api/orders", order({ id }));
  const { json } = await forno.call("GET", "/api/orders/b");
  const copy = join(temporaryFolder(t), "copy of a shop.ndjson");
  const check = async (change: (text: string) => string) => {
    const text = change(readFileSync(join(forno.dataDir, "store.ndjson"), "utf8"));
    writeFileSync(copy, text);
    const { code, lines } = await runToExit(t, "server", ["--check", copy]);
    assert.equal(readFileSync(copy, "utf8"), text);
    return [code, ...lines];
  };
  const menu = "16 toppings, 4 pizza sizes, 6 beverages";
  const held = (count: string, at: string) =>
    `${copy} holds ${menu}, ${count}, last changed at ${at}.`;
  assert.deepEqual(await check((text) => text), [0, held("2 orders", json.updatedAt)]);
  const [code, first, second] = await check((text) => text.slice(0, -9));
  assert.match(`${code} ${first}`, /^0 .* holds .* 1 order, last changed at 20/);
  assert.match(`${second}`, /^From line \d+ on, \d+ bytes are a torn end: a start cuts it off\.$/);
  const [damaged, fault] = await check((text) => text.replace('"id":"a"', '"id":"A"'));
  assert.equal(damaged, 1);
  const place = /^forno: .*copy of a shop\.ndjson, line \d+, with the id "A": its checksum/;
  assert.match(`${fault}`, place);
  const none = await runToExit(t, "server", ["--check", join(forno.dataDir, "none")]);
  assert.deepEqual([none.code, none.lines.length], [1, 1]);
});
