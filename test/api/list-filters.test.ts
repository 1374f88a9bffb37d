/** Filters of lists (contract part 3): equality on scalar fields, `since`, and what is neither. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Forno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { assertQueryFault, ids } from "./assertions.ts";
import { order, samples, statuses } from "./kinds.ts";

/** The ids that a query leaves, which X-Total-Count must agree with. */
async function matching(forno: Forno, path: string): Promise<string[]> {
  const list = await forno.call("GET", path);
  const found = ids(list);
  assert.equal(list.headers.get("x-total-count"), String(found.length));
  return found;
}

const vegan = ["pomodoro", "funghi", "peperoni", "melanzane", "cipolla", "olive-nere", "carciofi",
  "rucola", "basilico"];
const filters: readonly (readonly [query: string, found: readonly string[]])[] = [
  ["/api/toppings?isVegan=true", vegan],
  ["/api/toppings?isVegan=false&isVegetarian=true", ["mozzarella", "bufala", "gorgonzola"]],
  ["/api/toppings?isVegetarian=false&isVegan=true", []],
  ["/api/toppings?name=Mushrooms", ["funghi"]],
  ["/api/toppings?name=mushrooms", []],
  ["/api/toppings?name=Red%20onion", ["cipolla"]],
  ["/api/toppings?id=funghi", ["funghi"]],
  ["/api/toppings?id=funghi&name=Rocket", []],
  ["/api/pizzasizes?diameterInInches=14.5", ["grande"]],
  ["/api/pizzasizes?diameterInInches=12", ["normale"]],
  ["/api/pizzasizes?diameterInInches=13", []],
  ["/api/pizzasizes?name=Family", ["famiglia"]],
  ["/api/beverages?isCarbonated=false", ["acqua", "limonata"]],
  ["/api/beverages?name=Lager&isCarbonated=true", ["birra"]],
  ["/api/beverages?%69d=birra", ["birra"]],
];

test("each scalar field filters by equality, and several filters all hold", async (t) => {
  const forno = await startForno(t);
  for (const [query, found] of filters) {
    assert.deepEqual(await matching(forno, query), found, query);
  }
});

async function startWithOrders(t: Parameters<typeof startForno>[0]): Promise<Forno> {
  const forno = await startForno(t);
  for (const [index, status] of [...statuses, ...statuses].entries()) {
    await forno.asStaff("POST", "/api/orders", order({ id: `o${index}`, status }));
  }
  return forno;
}

test("orders filter by status, repeated for any of several", async (t) => {
  const forno = await startWithOrders(t);
  for (const [index, status] of statuses.entries()) {
    const query = `/api/orders?status=${encodeURIComponent(status)}`;
    assert.deepEqual(await matching(forno, query), [`o${index}`, `o${index + 6}`]);
  }
  const several = "/api/orders?status=Pending&status=Preparing";
  assert.deepEqual(await matching(forno, several), ["o0", "o1", "o6", "o7"]);
  assert.deepEqual(await matching(forno, "/api/orders?status=Ready&status=Ready"), ["o2", "o8"]);
  assert.deepEqual(await matching(forno, `${several}&id=o7`), ["o7"]);
  const page = await forno.call("GET", `${several}&limit=1&sort=newest`);
  assert.deepEqual([ids(page), page.headers.get("x-total-count")], [["o7"], "4"]);
});

test("since knows the years before 1970 and their leap days", async (t) => {
  const folder = temporaryFolder(t);
  const MENU_FILE = join(folder, "menu.json");
  const orders = ["1960", "1969", "2026"].map((id) => order({
    ...{ id, toppings: [], beverages: [], placedAt: `${id}-06-01T00:00:00.000Z` },
    names: { pizzaSize: "Large", toppings: [], beverages: [] },
  }));
  writeFileSync(MENU_FILE, JSON.stringify({ orders }));
  const forno = await startForno(t, { dataDir: join(folder, "store"), env: { MENU_FILE } });
  const since = (time: string): Promise<string[]> => matching(forno, `/api/orders?since=${time}`);
  assert.deepEqual(await since("0000-02-29T00:00:00Z"), ["1960", "1969", "2026"]);
  assert.deepEqual(await since("0000-01-01T00:00:00%2B01:00"), ["1960", "1969", "2026"]);
  assert.deepEqual(await since("1965-01-01T00:00:00Z"), ["1969", "2026"]);
});

test("since keeps the orders placed at that time or later", async (t) => {
  const forno = await startWithOrders(t);
  const list = await forno.call("GET", "/api/orders");
  const orders = list.json as { id: string; placedAt: string }[];
  for (const { placedAt } of orders) {
    const expected = orders.filter((one) => one.placedAt >= placedAt).map((one) => one.id);
    for (const since of spellingsOf(placedAt)) {
      const query = `/api/orders?since=${encodeURIComponent(since)}`;
      assert.deepEqual(await matching(forno, query), expected, since);
    }
  }
  const everything = orders.map((one) => one.id);
  assert.deepEqual(await matching(forno, "/api/orders?since=1999-12-31T23:59:59Z"), everything);
  assert.deepEqual(await matching(forno, "/api/orders?since=9999-12-31T23:59:59.999Z"), []);
});

test("until keeps orders placed before that time, and with since those between", async (t) => {
  const forno = await startWithPlacedOrders(t, ["2026-01-31T18:00:00.000Z",
    "2026-01-31T18:00:00.001Z", "2026-01-31T18:00:01.000Z", "2026-02-01T00:00:00.000Z",
    "1970-01-01T00:00:00.000Z"]); // The clock was set back.
  const found: readonly (readonly [query: string, ids: readonly string[]])[] = [
    ["until=1970-01-01T00:00:00Z", []],
    ["until=2026-01-31T18:00:00.001Z", ["o0", "o4"]],
    ["until=2026-01-31T19:00:00.0005%2B01:00", ["o0", "o4"]],
    ["until=2026-01-31T18:00:01Z", ["o0", "o1", "o4"]],
    ["until=9999-12-31T23:59:59.999Z", ["o0", "o1", "o2", "o3", "o4"]],
    ["since=2026-01-31T18:00:00.001Z&until=2026-02-01T00:00:00Z", ["o1", "o2"]],
    ["since=2026-01-31T18:00:01Z&until=2026-01-31T18:00:01Z", []],
    ["since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z", []],
    ["until=2026-02-01T00:00:00Z&sort=newest", ["o4", "o2", "o1", "o0"]],
    ["until=2026-02-01T00:00:00Z&id=o3&id=o1", ["o1"]],
    ["until=2026-02-01T00:00:00Z&status=Ready", ["o0", "o1", "o2", "o4"]],
  ];
  for (const [query, expected] of found) {
    assert.deepEqual(await matching(forno, `/api/orders?${query}`), expected, query);
  }
  const page = await forno.call("GET", "/api/orders?until=2026-02-01T00:00:00Z&limit=2");
  assert.deepEqual([ids(page), page.headers.get("x-total-count")], [["o0", "o1"], "4"]);
  const next = /<([^>]+)>/.exec(page.headers.get("link") ?? "")?.[1] ?? "";
  assert.deepEqual(ids(await forno.call("GET", next)), ["o2", "o4"]);
});

/** Orders o0, o1, … that were placed at these times, all of them Ready. */
async function startWithPlacedOrders(
  t: Parameters<typeof startForno>[0], times: readonly string[],
): Promise<Forno> {
  const names = { pizzaSize: "Large", toppings: [], beverages: [] };
  const orders = times.map((placedAt, index) =>
    order({ id: `o${index}`, toppings: [], beverages: [], status: "Ready", placedAt, names }));
  const folder = temporaryFolder(t);
  const MENU_FILE = join(folder, "menu.json");
  writeFileSync(MENU_FILE, JSON.stringify({ orders }));
  return startForno(t, { dataDir: join(folder, "store"), env: { MENU_FILE } });
}

/** One moment in UTC, with a numeric offset, and as a clock two hours ahead shows it. */
function spellingsOf(utc: string): string[] {
  const ahead = new Date(Date.parse(utc) + 2 * 3_600_000).toISOString().replace("Z", "+02:00");
  return [utc, utc.replace("Z", "+00:00"), ahead];
}

test("since and until are RFC 3339 times with their offset, and only orders have it", async (t) => {
  const forno = await startForno(t);
  const bad = ["", "yesterday", "2024-01-01", "2024-01-01T00:00:00", "2024-02-30T00:00:00Z",
    "2024-13-01T00:00:00Z", "2024-01-01T25:00:00Z", "1704067200", "2024-1-1T00:00:00Z",
    "2024-01-01T00:00Z", "20240101T000000Z", "2016-12-31T23:59:60Z"];
  for (const name of ["since", "until"]) {
    for (const time of bad) {
      assertQueryFault(await forno.call("GET", `/api/orders?${name}=${time}`), name);
    }
    const once = `${name}=2024-01-01T00:00:00Z`;
    assertQueryFault(await forno.call("GET", `/api/orders?${once}&${once}`), name);
    assertQueryFault(await forno.call("GET", `/api/toppings?${once}`), name);
  }
});

const wrongTypes: readonly (readonly [path: string, name: string, values: readonly string[]])[] = [
  ["/api/toppings", "isVegan", ["maybe", "", "1", "TRUE", "True", "null", "true%20"]],
  ["/api/toppings", "isVegetarian", ["yes"]],
  ["/api/beverages", "isCarbonated", ["0"]],
  ["/api/pizzasizes", "diameterInInches", ["", "abc", "12in", "NaN", "Infinity", "%2012", "0x0c"]],
  ["/api/orders", "status", ["", "ready", "Lost", "Out%20For%20Delivery"]],
];

test("a filter value of the wrong type is 400 that names the parameter", async (t) => {
  const forno = await startForno(t);
  for (const [path, name, values] of wrongTypes) {
    for (const value of values) {
      assertQueryFault(await forno.call("GET", `${path}?${name}=${value}`), name);
    }
  }
  const oneOfTwo = await forno.call("GET", "/api/orders?status=Ready&status=Lost");
  assertQueryFault(oneOfTwo, "status");
});

test("a string that nothing can bear matches nothing", async (t) => {
  const forno = await startForno(t);
  for (const query of ["name=", "name=%20", "name=%00", `name=${"x".repeat(300)}`, "id=a%20b",
    "id=", "id=..", "id=__proto__"]) {
    for (const { path } of samples.slice(0, 3)) {
      assert.deepEqual(await matching(forno, `${path}?${query}`), [], query);
    }
  }
});

test("a name that a list does not know is 400 with the nearest one it does", async (t) => {
  const forno = await startForno(t);
  const unknown: readonly (readonly [path: string, name: string, nearest?: string])[] = [
    ["/api/toppings", "isVegn", "isVegan"],
    ["/api/toppings", "limt", "limit"],
    ["/api/pizzasizes", "diameterInInch", "diameterInInches"],
    ["/api/orders", "staus", "status"],
    ["/api/orders", "sinc", "since"],
    ["/api/beverages", "sizeOptions"],
    ["/api/orders", "toppings"],
    ["/api/orders", "pizzaSize"],
    ["/api/toppings", "status"],
    ["/api/toppings", "isCarbonated"],
    ["/api/toppings", "__proto__x".slice(2)],
    ["/api/toppings", "constructor"],
    ["/api/toppings", "IsVegan", "isVegan"],
  ];
  for (const [path, name, nearest] of unknown) {
    const detail = assertQueryFault(await forno.call("GET", `${path}?${name}=x`), name);
    if (nearest !== undefined) assert.match(detail, new RegExp(`\\b${nearest}\\b`));
  }
});
