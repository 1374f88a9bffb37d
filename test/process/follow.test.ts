/** A server that is gone for good, and its follower's copy, from which another takes its place. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openStream } from "../api/event-client.ts";
import { follow } from "../api/follow-client.ts";
import { contentOf, spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { runToExit } from "./run.ts";

const order = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };

test("a follower's copy of a killed server makes the same store elsewhere", async (t) => {
  const lost = await spawnForno(t);
  const copy = await follow(t, lost);
  for (const id of ["one", "two", "three"]) {
    const body = { ...order, id };
    const placed = await lost.call("POST", "/api/orders", { token: lost.customer, body });
    assert.equal(placed.status, 201);
  }
  await lost.asStaff("PATCH", "/api/orders/two", { status: "Ready" });
  await lost.asStaff("DELETE", "/api/toppings/funghi");
  const { json } = await lost.asStaff("GET", "/api/backup");
  const events = await openStream(t, lost, { lastEventId: String(json.lastChange - 1) });
  const { id: lastEventId } = await events.next();
  const text = await copy.until((all) => all.includes('"event":"toppings.deleted"'));
  await lost.end("SIGKILL");

  const file = join(temporaryFolder(t), "copy.ndjson");
  writeFileSync(file, `${text.slice(0, text.lastIndexOf("\n") + 1)}{"seq":12`);
  const dataDir = join(temporaryFolder(t), "store");
  const { exit, lines } = await runToExit(t, "restore.js", [file], { DATA_DIR: dataDir });
  assert.deepEqual(exit, { code: 0, signal: null }, lines.join("\n"));
  assert.equal(lines.length, 1);
  const said = /^restored 15 toppings, .*, 3 orders into .*, as of 20.*; left out the last 9 bytes/;
  assert.match(lines[0] ?? "", said);

  const next = await startForno(t, { dataDir });
  const backup = await next.asStaff("GET", "/api/backup");
  assert.deepEqual(contentOf(backup.json), contentOf(json));
  const resumed = await openStream(t, next, { lastEventId });
  const reset = await resumed.next();
  assert.deepEqual([reset.event, Number(reset.id) > Number(lastEventId)], ["reset", true]);
});
