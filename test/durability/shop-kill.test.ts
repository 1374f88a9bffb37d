/**
 * kill -9 between two changes of the shop, and in the middle of the removal of what is sold out:
 * what was answered is there, and what was not is whole or absent.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type FornoProcess, spawnForno, temporaryFolder } from "../helpers/forno.ts";

const items = ["funghi", "basilico", "rucola", "cipolla"];

/** A killed server answers nothing. */
async function statusOf(
  forno: FornoProcess,
  method: string,
  path: string,
  body?: unknown,
): Promise<number | undefined> {
  const init = { token: forno.staff, ...(body !== undefined && { body }) };
  return forno.call(method, path, init).then(({ status }) => status, () => undefined);
}

test("killed between two changes of the shop, it has the last one that it answered", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  let left = items;
  let notice = "";
  for (const [cycle, id] of items.entries()) {
    const forno = await spawnForno(t, { dataDir });
    const patch = { notice: `cycle ${cycle}`, soldOut: { toppings: left } };
    assert.equal(await statusOf(forno, "PATCH", "/api/shop", patch), 200);
    const second = `cycle ${cycle}, changed`;
    const changing = statusOf(forno, "PATCH", "/api/shop", { notice: second });
    const removing = statusOf(forno, "DELETE", `/api/toppings/${id}`);
    // Another moment each time: before, within and after what is under way.
    for (let turns = cycle * 4; turns > 0; turns -= 1) await turn();
    if (cycle % 3 === 2) await Promise.race([changing, removing]);
    forno.child.kill("SIGKILL");
    const [changed, removed] = await Promise.all([changing, removing]);
    await forno.exited;

    const again = await spawnForno(t, { dataDir });
    const { json: shop } = await again.call("GET", "/api/shop");
    const { status } = await again.call("GET", `/api/toppings/${id}`);
    if (changed === 200) assert.equal(shop.notice, second);
    if (removed === 204) assert.equal(status, 404);
    assert.ok([patch.notice, second].includes(shop.notice), shop.notice);
    const others = left.filter((one) => one !== id);
    assert.deepEqual(shop.soldOut.toppings, status === 404 ? others : left);
    left = shop.soldOut.toppings;
    notice = shop.notice;
    again.child.kill("SIGKILL");
    await again.exited;
  }
  const last = await spawnForno(t, { dataDir });
  const { json } = await last.call("GET", "/api/shop");
  assert.deepEqual([json.notice, json.soldOut.toppings], [notice, left]);
});
