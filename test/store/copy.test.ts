/** A follower's copy (contract part 6), cut at any byte and damaged at any byte. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { allKinds } from "../../dist/resources/kinds.js";
import { readDocumentFile, type Restored } from "../../dist/store/restoring.js";
import type { Tables } from "../../dist/store/tables.js";
import { follow } from "../api/follow-client.ts";
import { order } from "../api/kinds.ts";
import { startForno, temporaryFolder } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";

/** Rejects with DocumentError. */
function restore(file: string, copy: Buffer | string): Promise<Restored> {
  writeFileSync(file, copy);
  return readDocumentFile(file, allKinds);
}

function textOf({ lists }: Pick<ReturnType<Tables["moment"]>, "lists">): string {
  const stored = lists.map(({ rows }) => Array.from(rows, ({ value, kept }) => [value, kept]));
  return JSON.stringify(stored);
}

/** A copy with a record of each kind of write, and the store's own content after each of them. */
async function makeCopy(
  t: TestContext,
): Promise<{ copy: Buffer; start: number; states: string[] }> {
  const menu = join(temporaryFolder(t), "menu.json");
  const topping = { id: "basil", name: "Basil ☘", isVegetarian: true, isVegan: true };
  const pizzasizes = [{ id: "grande", name: "Large", diameterInInches: 14 }];
  writeFileSync(menu, JSON.stringify({ toppings: [topping], pizzasizes }));
  const forno = await startForno(t, { env: { MENU_FILE: menu } });
  const state = (): string => textOf(forno.store.moment());
  const stream = await follow(t, forno);
  const start = (await stream.until((text) => text.endsWith("\n}\n"))).length;
  const states = [state()];
  const toppings = [{ id: "basil" }];
  const soldOut = { toppings: [], pizzasizes: ["grande"], beverages: [] };
  for (const [method, path, body] of [
    ["POST", "/api/orders", order({ id: "one", toppings, beverages: [] })],
    ["PATCH", "/api/shop", { notice: "Fish on Fridays 🐟", soldOut }],
    ["POST", "/api/toppings", { ...topping, id: "rocket" }],
    ["DELETE", "/api/toppings/basil", undefined],
    ["PATCH", "/api/orders/one", { status: "Ready" }],
    ["DELETE", "/api/orders/one", undefined],
    ["POST", "/api/orders", order({ id: "one", toppings: [{ id: "rocket" }], beverages: [] })],
  ] as const) {
    const { status } = await forno.asStaff(method, path, body);
    assert.ok(status < 300, `${method} ${path}: ${status}`);
    states.push(state());
  }
  await forno.close();
  const copy = Buffer.from(await stream.ended());
  return { copy, start: Buffer.byteLength(copy.toString().slice(0, start)), states };
}

test("a copy that is cut at any byte restores to its last whole record", async (t) => {
  const { copy, start, states } = await makeCopy(t);
  const file = join(temporaryFolder(t), "copy.ndjson");
  for (let length = 0; length < start - 1; length += 7) {
    await assert.rejects(restore(file, copy.subarray(0, length)), { name: "DocumentError" });
  }
  let known = 0;
  const step = isLong ? 1 : 3;
  const first = start - 1 + ((copy.length - start + 1) % step);
  for (let length = first; length <= copy.length; length += step) {
    const document = await restore(file, copy.subarray(0, length));
    const content = textOf(document.tables.moment(1));
    const found = states.indexOf(content, known);
    assert.ok(found >= known, `cut at ${length} it holds ${content}`);
    known = found;
    const rest = copy.subarray(start, length);
    assert.equal(document.bytesLeftOut, Math.max(0, rest.length - rest.lastIndexOf("\n") - 1));
  }
  assert.equal(known, states.length - 1, "the whole copy has the last state");
});

test("a copy cut at any byte and resumed by appending restores as the whole one", async (t) => {
  const { copy, start, states } = await makeCopy(t);
  const file = join(temporaryFolder(t), "copy.ndjson");
  const newline = "\n".charCodeAt(0);
  for (let length = start; length < copy.length; length += 17) {
    // The answer to after=SEQ: an empty line, then the records after the last whole one.
    const lineStart = copy.subarray(0, length).lastIndexOf("\n") + 1;
    const next = copy[length] === newline ? length + 1 : lineStart;
    const resumed = [copy.subarray(0, length), Buffer.from("\n"), copy.subarray(next)];
    const { tables, bytesLeftOut } = await restore(file, Buffer.concat(resumed));
    assert.deepEqual([textOf(tables.moment(1)), bytesLeftOut], [states.at(-1), 0], `${length}`);
  }
});

test("a copy with any one byte changed is refused, or holds what was sent", async (t) => {
  const { copy, states } = await makeCopy(t);
  const file = join(temporaryFolder(t), "copy.ndjson");
  const end = copy.length - 1;
  for (let at = 0; at < copy.length; at += isLong ? 1 : 7) {
    const broken = Buffer.from(copy);
    broken[at] = (broken[at] ?? 0) ^ (1 << (at % 8));
    try {
      const document = await restore(file, broken);
      const content = textOf(document.tables.moment(1));
      assert.equal(at, end, `byte ${at} of ${end} passes`);
      assert.ok(document.bytesLeftOut > 0);
      assert.ok(states.includes(content));
    } catch (error) {
      assert.ok(error instanceof Error && error.name === "DocumentError", String(error));
      // Without its first lines it is no longer in our layout, and an error there has no line.
      assert.match(error.message, /, line \d+: |: expected (JSON|UTF-8)/);
    }
  }
});

test("a copy with a line missing, doubled or swapped is refused with the line", async (t) => {
  const { copy, start } = await makeCopy(t);
  const file = join(temporaryFolder(t), "copy.ndjson");
  const first = copy.subarray(0, start).toString().split("\n").length - 1;
  const lines = copy.toString().split("\n");
  for (let index = first; index < lines.length - 2; index++) {
    const [line = "", next = ""] = lines.slice(index);
    for (const changed of [
      lines.toSpliced(index, 1),
      lines.toSpliced(index, 0, line),
      lines.toSpliced(index, 2, next, line),
      lines.toSpliced(index, 1, line.slice(0, -1)),
    ]) {
      await assert.rejects(restore(file, changed.join("\n")), {
        name: "DocumentError",
        message: new RegExp(`, line ${index + 1}: |, line ${index + 2}: `),
      });
    }
  }
});

test("a changed document is refused with the line, unless it has no checksum", async (t) => {
  const { copy, start, states } = await makeCopy(t);
  const file = join(temporaryFolder(t), "backup.json");
  const text = copy.toString("utf8", 0, start);
  assert.equal(textOf((await restore(file, text)).tables.moment(1)), states[0]);
  const changed = text.replace('"Large"', '"Huge"');
  const line = text.slice(0, text.indexOf('"Large"')).split("\n").length;
  await assert.rejects(restore(file, changed), {
    message: new RegExp(`, line ${line}: .* not what Forno wrote: a checksum is wrong; .* delete`),
  });
  const { crc: _, ...rest } = JSON.parse(changed);
  const document = await restore(file, JSON.stringify(rest, null, 2));
  const content = textOf(document.tables.moment(1));
  assert.match(content, /Huge/);
  assert.equal(document.asOf, rest.takenAt);
  assert.deepEqual(document.missing, []);
});
