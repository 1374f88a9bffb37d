/** GET /api/backup?follow=true (contract part 6): everything, then every write as it happens. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { RecentRecords } from "../../dist/api/backup.js";
import { contentOf, type Forno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { assertQueryFault } from "./assertions.ts";
import { follow, partsOf } from "./follow-client.ts";
import { order } from "./kinds.ts";

const names = ["anna", "bert", "carl", "dora", "emil", "fred", "gina", "hans"];

/** A store's content, restored from the text of a copy. */
async function contentOfCopy(t: TestContext, text: string): Promise<any> {
  const file = join(temporaryFolder(t), "copy.ndjson");
  writeFileSync(file, text);
  return backupOf(await startForno(t, { env: { MENU_FILE: file } }));
}

async function backupOf(forno: Forno): Promise<any> {
  const { json } = await forno.asStaff("GET", "/api/backup");
  return contentOf(json);
}

test("the document is followed by every write, none twice and none left out", async (t) => {
  const forno = await startForno(t);
  let isOver = false;
  const storm = names.map(async (name) => {
    for (let count = 0; !isOver || count < 12; count++) {
      const id = `${name}-${count}`;
      await forno.call("POST", "/api/orders", { token: forno.customer, body: order({ id }) });
      if (count % 3 === 0) {
        await forno.asStaff("PATCH", `/api/orders/${id}`, { status: "Ready" });
      }
      if (count % 4 === 0) await forno.asStaff("DELETE", `/api/orders/${id}`);
    }
  });
  const copies = [];
  for (let count = 0; count < 5; count++) {
    copies.push(await follow(t, forno));
    await forno.asStaff("PATCH", "/api/shop", { notice: `after ${count}` });
  }
  isOver = true;
  await Promise.all(storm);
  await forno.asStaff("PATCH", "/api/shop", { notice: "the end" });
  const expected = await backupOf(forno);
  for (const copy of copies) {
    const text = await copy.until((all) => /"notice":"the end"[^]*\n$/.test(all));
    const { document, records } = partsOf(text);
    const seqs = records.map(({ seq }) => seq);
    assert.deepEqual(seqs, seqs.map((_, index) => document.seq + 1 + index));
    assert.deepEqual(await contentOfCopy(t, text), expected);
  }
});

test("an item that is sold out and then deleted is not in the copy's shop", async (t) => {
  const forno = await startForno(t);
  const copy = await follow(t, forno);
  const soldOut = { toppings: ["funghi"], pizzasizes: [], beverages: [] };
  await forno.asStaff("PATCH", "/api/shop", { soldOut });
  await forno.asStaff("DELETE", "/api/toppings/funghi");
  const text = await copy.until((all) => all.includes('"event":"toppings.deleted"'));
  const lines = text.split("\n");
  const cut = lines.findIndex((line) => line.includes('"toppings.deleted"')) + 1;
  const content = await contentOfCopy(t, `${lines.slice(0, cut).join("\n")}\n`);
  assert.deepEqual(content, await backupOf(forno));
});

test("its header says how to pass it on, and HEAD has the same", async (t) => {
  const forno = await startForno(t);
  const { response, close } = await follow(t, forno);
  assert.equal(response.headers["content-type"], "application/x-ndjson");
  assert.equal(response.headers["cache-control"], "no-store");
  assert.equal(response.headers["x-accel-buffering"], "no");
  close();
  const head = await forno.asStaff("HEAD", "/api/backup?follow=true");
  assert.deepEqual([head.status, head.text], [200, ""]);
  assert.equal(head.headers.get("content-type"), "application/x-ndjson");
});

test("follow is true or false", async (t) => {
  const forno = await startForno(t);
  assert.equal((await forno.asStaff("GET", "/api/backup?follow=false")).json.forno, 1);
  for (const query of ["follow=maybe", "follow=", "folow=true", "follow=true&follow=true"]) {
    const { status, json } = await forno.asStaff("GET", `/api/backup?${query}`);
    assert.deepEqual([status, json.type], [400, "/problems/invalid-query"], query);
    assert.equal(json.errors[0].parameter, query.split("=")[0]);
  }
});

test("a copy ends with the last write when the server stops", async (t) => {
  const forno = await startForno(t);
  const copy = await follow(t, forno);
  await copy.until((all) => all.endsWith("\n}\n"));
  const create = forno.call("POST", "/api/orders", {
    ...{ token: forno.staff, body: order({ id: "last" }) },
  });
  assert.equal((await create).status, 201);
  await forno.close();
  const { records } = partsOf(await copy.ended());
  assert.ok(records.some(({ data }) => data.id === "last"));
});

test("after=SEQ resumes with the records after that one, as they were first sent", async (t) => {
  const forno = await startForno(t);
  const whole = await follow(t, forno);
  const create = (id: string) => forno.asStaff("POST", "/api/orders", order({ id }));
  await create("anna");
  // At once, so that some have one fsync together: a client may have a part of them.
  await Promise.all(names.slice(1).map(create));
  const text = await whole.until(
    (all) => all.endsWith("\n") && names.every((id) => all.includes(`"id":"${id}"`)),
  );
  const { document, records } = partsOf(text);
  const lines = text.slice(text.indexOf("\n}\n") + 3).split(/(?<=\n)/);
  for (const [index, { seq }] of [document, ...records].entries()) {
    const resumed = await follow(t, forno, seq);
    await forno.asStaff("PATCH", "/api/shop", { notice: `${seq}` });
    const copy = await resumed.until((all) => all.includes(`"notice":"${seq}"`));
    assert.ok(copy.startsWith(`\n${lines.slice(index).join("")}`), copy);
  }
});

test("after=SEQ answers the whole document where the records are not in memory", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("POST", "/api/orders", order({ id: "a" }));
  const { json } = await forno.asStaff("GET", "/api/backup");
  // Nobody has followed yet; before that; a number that is yet to come.
  for (const seq of [json.seq - 1, 0, json.seq + 1_000]) {
    const text = await (await follow(t, forno, seq)).until((all) => all.endsWith("\n}\n"));
    assert.ok(text.startsWith("\n{\n"), text.slice(0, 20));
    assert.deepEqual(contentOf(JSON.parse(text)), contentOf(json));
  }
});

test("the oldest records are forgotten beyond 16 MiB, and only those", () => {
  const records = new RecentRecords();
  records.start(0);
  const batch = (seq: number): Buffer =>
    Buffer.from(`{"seq":${seq},"data":"${"x".repeat(1_000_000)}"}\n`);
  for (let seq = 1; seq <= 20; seq += 1) records.add(batch(seq));
  for (const forgotten of [0, 3, 21]) assert.equal(records.after(forgotten), "unknown");
  assert.equal(records.after(20), undefined);
  assert.deepEqual(records.after(4), { bytes: batch(5), last: 5 });
  assert.deepEqual(records.after(19), { bytes: batch(20), last: 20 });
});

test("after is a number, and only for follow=true", async (t) => {
  const forno = await startForno(t);
  const refused = ["after=1", "follow=false&after=1", "follow=true&after=x", "follow=true&after="];
  for (const query of refused) {
    assertQueryFault(await forno.asStaff("GET", `/api/backup?${query}`), "after");
  }
});
