/** GET /api/backup?follow=true (contract part 6): everything, then every write as it happens. */

import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contentOf, type Forno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { assertQueryFault } from "./assertions.ts";
import { order } from "./kinds.ts";
import { changesIn, follow } from "./streams.ts";

const names = ["anna", "bert", "carl", "dora", "emil", "fred", "gina", "hans"];

async function backupOf(forno: Forno): Promise<string> {
  return (await forno.asStaff("GET", "/api/backup")).text;
}

test("every write follows the file, over rewrites, none twice and none left out", async (t) => {
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
    await forno.store.rewrite();
    await forno.asStaff("PATCH", "/api/shop", { notice: `after ${count}` });
  }
  isOver = true;
  await Promise.all(storm);
  await forno.asStaff("PATCH", "/api/shop", { notice: "the end" });
  const expected = contentOf(await backupOf(forno));
  for (const copy of copies) {
    const text = await copy.until((all) => /"notice":"the end"[^]*\n$/.test(all));
    const seqs = changesIn(text).map(({ seq }) => seq);
    assert.deepEqual(seqs, seqs.map((_, index) => seqs[0] + index));
    assert.deepEqual(contentOf(text), expected);
    const restored = await startForno(t, { store: text });
    assert.deepEqual(contentOf(await backupOf(restored)), expected);
    await restored.close();
  }
});

test("its header says how to pass it on, and HEAD has the same", async (t) => {
  const forno = await startForno(t);
  const copy = await follow(t, forno);
  for (const { headers } of [copy, await forno.asStaff("HEAD", "/api/backup?follow=true")]) {
    assert.equal(headers.get("content-type"), "application/x-ndjson");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-accel-buffering"), "no");
  }
});

test("follow is true or false, and after a number for follow=true", async (t) => {
  const forno = await startForno(t);
  const once = await forno.asStaff("GET", "/api/backup?follow=false");
  assert.ok(once.text.startsWith('{"forno":2,'));
  for (const query of ["follow=maybe", "follow=", "folow=true", "follow=true&follow=true"]) {
    assertQueryFault(await forno.asStaff("GET", `/api/backup?${query}`), query.split("=")[0] ?? "");
  }
  for (const query of [
    "after=1", "follow=false&after=1", "follow=true&after=x", "follow=true&after=1x",
    "follow=true&after=",
  ]) {
    assertQueryFault(await forno.asStaff("GET", `/api/backup?${query}`), "after");
  }
});

test("after=SEQ resumes after that change, also after a restart and a rewrite", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const first = await startForno(t, { dataDir });
  const create = (forno: Forno, id: string) => forno.asStaff("POST", "/api/orders", order({ id }));
  await create(first, "anna");
  // At once, so that some have one fsync together: a client may have a part of them.
  await Promise.all(names.slice(1).map((id) => create(first, id)));
  const lines = (await backupOf(first)).split(/(?<=\n)/);
  await first.close();
  const forno = await startForno(t, { dataDir });
  const isPosition = (line: string): boolean => /^\{"forno"|,"after":/.test(line);
  const positions = [...lines.entries()].filter(([, line]) => isPosition(line));
  for (const [index, line] of positions) {
    const { seq } = JSON.parse(line);
    const resumed = await follow(t, forno, seq);
    await forno.asStaff("PATCH", "/api/shop", { notice: `${seq}` });
    const copy = await resumed.until((all) => all.endsWith("\n") && all.includes(`"${seq}"`));
    const start = index === 0 ? lines.length - positions.length + 1 : index + 1;
    assert.ok(copy.startsWith(`\n${lines.slice(start).join("")}`), copy);
    resumed.close();
  }
  // In the middle of the new file now: changes from before the rewrite are not in it.
  const { last } = forno.store.history;
  await forno.store.rewrite();
  await create(forno, "after-the-rewrite");
  const resumed = await (await follow(t, forno, last)).until((all) => all.length > 1);
  assert.deepEqual(changesIn(resumed).map(({ data }) => data.id), ["after-the-rewrite"]);
});

test("after=SEQ begins with the header where the file has no such change", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("POST", "/api/orders", order({ id: "a" }));
  const { last } = forno.store.history;
  const backup = await backupOf(forno);
  for (const seq of [0, 1, last - 1_000, last + 1_000]) {
    const copy = await follow(t, forno, seq);
    const text = await copy.until((all) => all.length > backup.length);
    assert.equal(text, `\n${backup}`);
  }
});

test("after=SEQ begins with the header too where a rewrite comes before that is known", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("POST", "/api/orders", order({ id: "a" }));
  const { file } = forno.store.file;
  const read = file.read.bind(file);
  t.mock.method(file, "read", async (into: Uint8Array, position: number) => {
    t.mock.reset();
    await forno.store.rewrite();
    return read(into, position);
  });
  const text = await (await follow(t, forno, 1)).until((all) =>
    /"orders.created"[^]*\n$/.test(all));
  assert.equal(text, `\n${await backupOf(forno)}`);
});

test("a file that cannot be read ends a followed copy, and nothing else", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("POST", "/api/orders", order({ id: "a" }));
  truncateSync(join(forno.dataDir, "store.ndjson"), 100);
  for (const after of [undefined, 1, forno.store.history.last]) {
    const copy = await follow(t, forno, after);
    await assert.rejects(copy.ended(), { code: "ECONNRESET" });
  }
  assert.equal((await forno.asStaff("GET", "/api/orders/a")).status, 200);
});

test("a copy cut at any byte and resumed by appending is the whole store", async (t) => {
  const forno = await startForno(t);
  const whole = await follow(t, forno);
  await whole.until((all) => all.includes("\n"));
  await forno.asStaff("POST", "/api/orders", order({ id: "one" }));
  await forno.asStaff("PATCH", "/api/shop", { notice: "Fish on Fridays 🐟" });
  await forno.asStaff("DELETE", "/api/orders/one");
  const expected = await backupOf(forno);
  const text = await whole.until((all) => all.length >= expected.length);
  const bytes = Buffer.from(text);
  const start = bytes.indexOf('{"seq":', bytes.indexOf('"orders.created"') - 60);
  for (let length = start; length < bytes.length; length += 23) {
    const whole = bytes.subarray(0, bytes.lastIndexOf("\n", length - 1) + 1).toString();
    const known = changesIn(whole).at(-1)?.seq ?? JSON.parse(whole.split("\n")[0] ?? "").seq;
    const resumed = await (await follow(t, forno, known)).until((all) => /deleted.*\n$/.test(all));
    const copy = Buffer.concat([bytes.subarray(0, length), Buffer.from(resumed)]);
    const restored = await startForno(t, { store: copy });
    assert.deepEqual(contentOf(await backupOf(restored)), contentOf(expected), `${length}`);
    await restored.close();
  }
});
