/** Lists (contract part 3): their order, their pages, and walking them while they change. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { parseQuery } from "../../src/http/query.ts";
import type { Request } from "../../src/http/request.ts";
import {
  type Client, type Forno, type Response, spawnForno, startForno,
} from "../helpers/forno.ts";
import { ids, strongTag } from "./assertions.ts";
import { type Body, samples, topping } from "../helpers/samples.ts";
import { beginRead } from "./streams.ts";

/** The path and query of the next page, or undefined on the last one. */
function nextOf({ headers }: Response): string | undefined {
  const link = headers.get("link");
  if (link === undefined) return undefined;
  return /^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? assert.fail(link);
}

/** The ids of every page, `between` called after each. */
async function walk(
  forno: Forno, start: string, between: (page: readonly string[]) => unknown = () => {},
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let path: string | undefined = start; path !== undefined; ) {
    const response: Response = await forno.call("GET", path);
    pages.push(ids(response));
    assert.ok(pages.length < 100, "the walk does not end");
    await between(pages.at(-1) ?? []);
    path = nextOf(response);
  }
  return pages;
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `t${n}`);

/** Toppings t0, t1, … */
function startWithToppings(
  t: TestContext, count: number, fieldsOf: (index: number) => Body = () => ({}),
): Promise<Forno> {
  const toppings = numbered(count).map((id, index) => topping({ id, ...fieldsOf(index) }));
  return startForno(t, { menu: { toppings, pizzasizes: [], beverages: [] } });
}

test("a list has one resource per line, byte for byte as single reads have it", async (t) => {
  const forno = await startForno(t);
  for (const { path, body } of samples) await forno.write("POST", path, body);
  for (const { path } of samples) {
    const list = await forno.call("GET", path);
    const all: Body[] = list.json;
    const single = await Promise.all(all.map(({ id }) => forno.call("GET", `${path}/${id}`)));
    const lines = single.map(({ text }) => text.trimEnd());
    assert.equal(list.text, `[\n${lines.join(",\n")}\n]\n`);
    for (const { id } of all) await forno.write("DELETE", `${path}/${id}`);
    const empty = await forno.call("GET", path);
    assert.deepEqual([empty.status, empty.text], [200, "[]\n"]);
    strongTag(empty);
  }
});

test("a list is oldest first: an update keeps the place, a create goes to the end", async (t) => {
  const forno = await startForno(t, { env: { MENU_FILE: "" } });
  for (const id of ["z", "10", "2", "a", "B"]) {
    await forno.write("POST", "/api/toppings", topping({ id }));
  }
  await forno.write("PUT", "/api/toppings/10", topping({ id: "10", name: "New" }));
  await forno.write("DELETE", "/api/toppings/z");
  await forno.write("POST", "/api/toppings", topping({ id: "z" }));
  const expected = ["10", "2", "a", "B", "z"];
  for (const [query, found] of [
    ["", expected], ["?sort=oldest", expected], ["?sort=newest", expected.toReversed()],
  ] as const) {
    assert.deepEqual(ids(await forno.call("GET", `/api/toppings${query}`)), found);
  }
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

for (const sort of ["oldest", "newest"]) {
  test(`sort=${sort}: a walk misses and repeats nothing while the list changes`, async (t) => {
    const forno = await startWithToppings(t, 6);
    let count = 6;
    const pages = await walk(forno, `/api/toppings?limit=2&sort=${sort}`, async (page) => {
      // The cursor is good also when the items that it came from are deleted.
      for (const id of page) await forno.write("DELETE", `/api/toppings/${id}`);
      if (count < 9) await forno.write("POST", "/api/toppings", topping({ id: `t${count++}` }));
    });
    const expected = sort === "oldest" ? numbered(9) : numbered(6).reverse();
    assert.deepEqual(pages.flat(), expected);
  });
}

/**
 * Which of 5,000 toppings, by a filter of each sort: few far apart, of which a turn finds exactly
 * 200, and more than a piece.
 */
const isFarApart = (index: number): boolean => index % 10 === 0;
const isLate = (index: number): boolean => index > 500;

test("a long list is whole, and its filters and pages find each match once", async (t) => {
  const forno = await startWithToppings(t, 5_000, (index) => (
    { isVegan: isFarApart(index), isVegetarian: isLate(index) }));
  for (const [query, matches] of [
    ["", () => true], ["isVegan=true&", isFarApart], ["isVegetarian=true&", isLate],
    ["isVegan=true&isVegetarian=false&", (index: number) => isFarApart(index) && !isLate(index)],
  ] as const) {
    const found = numbered(5_000).filter((_, index) => matches(index));
    for (const [more, expected] of [
      ["", found], ["sort=newest", found.toReversed()], ["limit=200", found.slice(0, 200)],
      ["limit=40&sort=newest", found.toReversed().slice(0, 40)],
    ] as const) {
      const list = await forno.call("GET", `/api/toppings?${query}${more}`);
      assert.deepEqual(ids(list), expected, query + more);
      assert.equal(nextOf(list) === undefined, expected.length === found.length);
    }
  }
});

/** Asks the handler of GET /api/toppings itself. */
function askForList(forno: Forno, text: string): Promise<unknown> {
  const { handle, query: parameters = [] } = forno.routes.find(({ method, path }) =>
    method === "GET" && path === "/api/toppings") ?? assert.fail();
  const query = parseQuery(text, parameters);
  return Promise.resolve(handle({ query, headers: {}, holder: "" } as Request));
}

test("a look at many rows that finds few of them lets others go first", async (t) => {
  const forno = await startWithToppings(t, 8_000);
  for (const text of ["isVegan=false", "isVegan=false&limit=5", "id=t7&id=t7990&sort=newest"]) {
    let turns = 0;
    let isOver = false;
    const response = askForList(forno, text).finally(() => (isOver = true));
    for (; !isOver; turns += 1) await setImmediate();
    await response;
    assert.ok(turns >= 4, `${text}: ${turns} turns`);
  }
});

test("many lists that are asked for at once are made one a turn, a known one now", async (t) => {
  const forno = await startForno(t);
  let made = 0;
  const all = Array.from({ length: 40 }, async (_, index) => {
    await askForList(forno, `limit=${1 + index % 20}`);
    made += 1;
  });
  await setImmediate();
  await setImmediate();
  assert.ok(made < 5, `${made} lists in two turns`);
  await Promise.all(all);
  let isMade = false;
  void askForList(forno, "limit=1").then(() => (isMade = true));
  await Promise.resolve();
  await Promise.resolve();
  assert.ok(isMade);
});

test("a list's tag is of one version, one query and one start", async (t) => {
  const forno = await spawnForno(t);
  const tagOf = async (query: string, client: Client = forno): Promise<string> =>
    strongTag(await client.call("GET", `/api/toppings?${query}`));
  const tag = await tagOf("isVegan=true");
  assert.equal(await tagOf("_=2&isVegan=true&_=3"), tag);
  const others = [await tagOf("isVegan=true&sort=newest")];
  await forno.end();
  const again = await spawnForno(t, { dataDir: forno.dataDir });
  others.push(await tagOf("isVegan=true", again));
  await again.write("DELETE", "/api/toppings/grana");
  others.push(await tagOf("isVegan=true", again));
  assert.equal(new Set([tag, ...others]).size, 4);
});

test("a slow reader gets each resource once, as it is when sent", async (t) => {
  // 14 MB, more than the sockets hold.
  const long = { name: "🍕".repeat(200), description: "🍕".repeat(500) };
  const forno = await startWithToppings(t, 5_000, () => long);
  let all = numbered(5_000);
  for (const sort of ["oldest", "newest"]) {
    const expected = sort === "oldest" ? all : all.toReversed();
    const readOn = await beginRead(forno, `/api/toppings?sort=${sort}`);
    // The first two are sent already, the last two are not.
    const [sent = "", sentAndGone = ""] = expected;
    const [gone = "", changed = ""] = expected.slice(-2);
    const name = `New in ${sort}`;
    for (const id of [sent, changed]) await forno.write("PATCH", `/api/toppings/${id}`, { name });
    for (const id of [sentAndGone, gone]) await forno.write("DELETE", `/api/toppings/${id}`);
    await forno.write("POST", "/api/toppings", topping({ id: sort }));
    const list: Body[] = JSON.parse(String(await readOn()));
    assert.deepEqual(list.map(({ id }) => id), expected.filter((id) => id !== gone));
    assert.deepEqual(list.filter((one) => one["name"] === name).map(({ id }) => id), [changed]);
    all = [...all.filter((id) => id !== gone && id !== sentAndGone), sort];
  }
});
