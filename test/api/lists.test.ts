/** Lists (contract part 3): their order, their pages, and walking them while they change. */

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { startForno, temporaryFolder } from "../helpers/forno.ts";
import type { Forno, Response } from "../helpers/forno.ts";
import { assertQueryFault, ids, strongTag } from "./assertions.ts";
import { order, samples, topping } from "./kinds.ts";
import type { Body } from "./kinds.ts";

/** The path and query of the next page, or undefined on the last one. */
function nextOf(response: Response, forno: Forno, path: string): string | undefined {
  const link = response.headers.get("link");
  if (link === undefined) return undefined;
  const target = /^<([^>]+)>; *rel="next"$/.exec(link)?.[1];
  assert.ok(target, `not a link to a next page: ${link}`);
  const { pathname, search } = new URL(target, forno.origin + path);
  return pathname + search;
}

/** The ids of every page, `between` called after each. */
async function walk(
  forno: Forno,
  start: string,
  between: (page: readonly string[]) => Promise<void> = async () => {},
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let path: string | undefined = start; path !== undefined; ) {
    const response: Response = await forno.call("GET", path);
    pages.push(ids(response));
    assert.ok(pages.length < 100, "the walk does not end");
    await between(pages.at(-1) ?? []);
    path = nextOf(response, forno, path);
  }
  return pages;
}

async function startWithToppings(t: TestContext, count: number): Promise<Forno> {
  const toppings = numbered(count).map((id) => topping({ id }));
  const file = join(temporaryFolder(t), "menu.json");
  await writeFile(file, JSON.stringify({ toppings, pizzasizes: [], beverages: [] }));
  return startForno(t, { env: { MENU_FILE: file } });
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `t${n}`);
}

test("a list is a JSON array with one resource per line", async (t) => {
  const forno = await startForno(t);
  for (const { path, body } of samples) {
    await forno.asStaff("POST", path, body);
    const list = await forno.call("GET", path);
    const lines = list.text.split("\n").filter((line) => line.includes("{"));
    const single = lines.map((line) => line.replace(/^\[/, "").replace(/[,\]]*$/, ""));
    const resources = single.map((line) => JSON.parse(line) as unknown);
    assert.deepEqual(resources, list.json);
    assert.ok(list.text.endsWith("]\n"));
    assert.match(list.headers.get("content-type") ?? "", /^application\/json\b/);
  }
});

test("an empty list is an empty array, with its count and an ETag", async (t) => {
  const forno = await startForno(t, { env: { MENU_FILE: "" } });
  for (const { path } of samples) {
    const list = await forno.call("GET", path);
    assert.deepEqual([list.status, list.json], [200, []]);
    assert.equal(list.headers.get("x-total-count"), "0");
    assert.equal(list.headers.get("link"), undefined);
    strongTag(list);
  }
});

test("a page's tag changes when there is a next page for the first time", async (t) => {
  const forno = await startForno(t, { env: { MENU_FILE: "" } });
  await forno.asStaff("POST", "/api/toppings", topping({ id: "one" }));
  const first = await forno.call("GET", "/api/toppings?limit=1");
  await forno.asStaff("POST", "/api/toppings", topping({ id: "two" }));
  const headers = { "If-None-Match": strongTag(first) };
  const second = await forno.call("GET", "/api/toppings?limit=1", { headers });
  assert.deepEqual([second.status, second.json], [200, first.json]);
  assert.match(second.headers.get("link") ?? "", /rel="next"/);
});

test("a list is oldest first: an update keeps the place, a create goes to the end", async (t) => {
  const forno = await startForno(t, { env: { MENU_FILE: "" } });
  const create = (id: string): Promise<Response> =>
    forno.asStaff("POST", "/api/toppings", topping({ id }));
  for (const id of ["z", "10", "2", "a", "B"]) await create(id);
  assert.deepEqual(ids(await forno.call("GET", "/api/toppings")), ["z", "10", "2", "a", "B"]);
  await forno.asStaff("PUT", "/api/toppings/10", topping({ id: "10", name: "New" }));
  await forno.asStaff("DELETE", "/api/toppings/z");
  await create("z");
  assert.deepEqual(ids(await forno.call("GET", "/api/toppings")), ["10", "2", "a", "B", "z"]);
  const newest = await forno.call("GET", "/api/toppings?sort=newest");
  assert.deepEqual(ids(newest), ["z", "B", "a", "2", "10"]);
  const oldest = await forno.call("GET", "/api/toppings?sort=oldest");
  assert.deepEqual(ids(oldest), ["10", "2", "a", "B", "z"]);
});

test("without a query a list holds everything, beyond the largest page too", async (t) => {
  const forno = await startWithToppings(t, 1203);
  const list = await forno.call("GET", "/api/toppings");
  assert.deepEqual(ids(list), numbered(1203));
  assert.equal(list.headers.get("x-total-count"), "1203");
  assert.equal(list.headers.get("link"), undefined);
});

test("limit pages a list: all of it, once, in order, and no link on the last page", async (t) => {
  const forno = await startWithToppings(t, 12);
  for (const limit of [1, 5, 6, 11, 12, 13, 1000]) {
    const pages = await walk(forno, `/api/toppings?limit=${limit}`);
    assert.deepEqual(pages.flat(), numbered(12));
    assert.equal(pages.length, Math.ceil(12 / limit), `limit ${limit}`);
  }
  const newest = await walk(forno, "/api/toppings?sort=newest&limit=5");
  assert.deepEqual(newest.flat(), numbered(12).reverse());
});

test("X-Total-Count is the number that match, on every page", async (t) => {
  const forno = await startWithToppings(t, 12);
  let path: string | undefined = "/api/toppings?limit=5";
  while (path !== undefined) {
    const page: Response = await forno.call("GET", path);
    assert.equal(page.headers.get("x-total-count"), "12");
    path = nextOf(page, forno, path);
  }
});

test("the link keeps filters and sort", async (t) => {
  const forno = await startForno(t);
  const meatless = "/api/toppings?isVegan=true&sort=newest";
  const all = ids(await forno.call("GET", meatless));
  assert.ok(all.length > 3);
  const pages = await walk(forno, `${meatless}&limit=2`);
  assert.deepEqual(pages.flat(), all);
});

for (const sort of ["oldest", "newest"]) {
  test(`sort=${sort}: a cursor is good also when the items it came from are deleted`, async (t) => {
    const forno = await startWithToppings(t, 7);
    const start = `/api/toppings?limit=2&sort=${sort}`;
    const pages = await walk(forno, start, async (page) => {
      for (const id of page) {
        await forno.asStaff("DELETE", `/api/toppings/${id}`);
      }
    });
    const expected = sort === "oldest" ? numbered(7) : numbered(7).reverse();
    assert.deepEqual(pages.flat(), expected);
    assert.deepEqual(ids(await forno.call("GET", "/api/toppings")), []);
  });

  test(`sort=${sort}: what is created during a walk never repeats nor hides an item`, async (t) => {
    const forno = await startWithToppings(t, 6);
    let count = 6;
    const pages = await walk(forno, `/api/toppings?limit=2&sort=${sort}`, async () => {
      if (count === 9) return;
      await forno.asStaff("POST", "/api/toppings", topping({ id: `t${count++}` }));
    });
    const expected = sort === "oldest" ? numbered(9) : numbered(6).reverse();
    assert.deepEqual(pages.flat(), expected);
  });
}

test("the link is the same however the path was spelled", async (t) => {
  const forno = await startForno(t);
  const spelled = ["/api/toppings/?limit=1", "/api/toppings?limit=1", "/api/%74oppings?limit=1"];
  for (const path of spelled) {
    const link = (await forno.call("GET", path)).headers.get("link");
    assert.match(link ?? "", /^<\/api\/toppings\?limit=1&after=\w+>; rel="next"$/, path);
  }
});

test("a cursor is good after a restart", async (t) => {
  const first = await startForno(t);
  const page = await first.call("GET", "/api/toppings?limit=15");
  const next = nextOf(page, first, "/api/toppings") ?? assert.fail("no next page");
  await first.close();
  const second = await startForno(t, { dataDir: first.dataDir });
  assert.deepEqual(ids(await second.call("GET", next)), ["acciughe"]);
});

test("limit is 1 to 1000, sort one of two, after a cursor that was given", async (t) => {
  const forno = await startForno(t);
  const bad: readonly (readonly [name: string, values: readonly string[]])[] = [
    ["limit", ["0", "1001", "-1", "1.5", "abc", "", "1e2", "0x10", "%205", "NaN", "9".repeat(20)]],
    ["sort", ["", "name", "Newest", "-placedAt", "newest%20"]],
    ["after", ["", "%00", "nonsense!", "..", "🍕", "a".repeat(500)]],
  ];
  for (const { path } of samples) {
    for (const [name, values] of bad) {
      for (const value of values) {
        assertQueryFault(await forno.call("GET", `${path}?${name}=${value}`), name);
      }
      const good = { limit: "1", sort: "newest", after: "x" }[name] ?? "";
      assertQueryFault(await forno.call("GET", `${path}?${name}=${good}&${name}=${good}`), name);
    }
  }
});

test("the resources of a list are those of single reads, byte for byte", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("POST", "/api/orders", order());
  for (const { path } of samples) {
    const list = await forno.call("GET", path);
    for (const resource of list.json as Body[]) {
      const one = await forno.call("GET", `${path}/${String(resource["id"])}`);
      assert.ok(list.text.includes(one.text.trimEnd()), one.text);
    }
  }
});
