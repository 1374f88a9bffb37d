/** Queries (contract part 3): filters of lists, times, and refused parameters. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, startForno } from "../helpers/forno.ts";
import { orderLine, storeFile } from "../helpers/store-file.ts";
import { assertProblem, assertQueryFault, ids } from "./assertions.ts";
import { order } from "../helpers/samples.ts";

/** The ids that a query leaves. */
async function matching(forno: Client, path: string): Promise<string[]> {
  return ids(await forno.call("GET", path));
}

const filters: readonly (readonly [query: string, ...found: readonly string[]])[] = [
  ["toppings?isVegan=false&isVegetarian=true", "mozzarella", "bufala", "gorgonzola"],
  ["toppings?isVegetarian=false&isVegan=true"],
  ["toppings?name=Mushrooms", "funghi"],
  ["toppings?name=mushrooms"],
  ["toppings?name=Red%20onion", "cipolla"],
  ["toppings?name=Red+onion", "cipolla"],
  ["toppings?id=funghi&name=Rocket"],
  ["toppings?id=rucola&id=funghi&id=rucola", "funghi", "rucola"],
  ["toppings?id=&id=a%20b&id=__proto__&name=%00"],
  ["pizzasizes?diameterInInches=14.5", "grande"],
  ["pizzasizes?diameterInInches=12", "normale"],
  ["pizzasizes?diameterInInches=1.2e1", "normale"],
  ["beverages?isCarbonated=false", "acqua", "limonata"],
  ["beverages?%69d=birra", "birra"],
  ["beverages?&&id=birra&_=7&_id=acqua", "birra"],
  ["orders?status=Pending", "o0", "o4"],
  ["orders?status=Out%20for%20Delivery", "o3", "o7"],
  ["orders?status=Pending&status=Preparing", "o0", "o1", "o4", "o5"],
  ["orders?status=Pending&status=Preparing&id=o5", "o5"],
  ["orders?pizza=Calzone", "o2"],
  ["orders?note=for%20Anna", "o1"],
  ["orders?name=Anna", "o2", "o3"],
  ["orders?table=Table%207", "o1", "o2", "o3"],
  ["orders?group=K7QX3M", "o1", "o2"],
  ["orders?group=M4TWZ9&group=K7QX3M", "o0", "o1", "o2"],
  ["orders?group=M4TWZ9&table=Table%207"],
  ["orders?group="],
  ["orders?status[]=Pending&status%5b%5D=Preparing&id=o5", "o5"],
  ["orders?id[]=o5&sort[]=newest&limit[]=1", "o5"],
  ["orders?name=Ann+%2B+Bo", "o6"],
  ["orders?name=[]"],
  ["orders?id=WEB+1+7", "WEB+1+7"],
  ["orders?id=WEB%201%207&id=WEB%2B1%2B7", "WEB+1+7"],
  ["orders?group=A+B", "o6"],
  ["orders?group=A%20B", "o6"],
  ["orders?group=A%2BB&table=Table+7"],
];

test("each scalar field filters by equality, with any of several values", async (t) => {
  const forno = await startForno(t);
  const open = ["Pending", "Preparing", "Ready", "Out for Delivery"];
  for (const [index, status] of [...open, ...open].entries()) {
    await forno.write("POST", "/api/orders", order({ id: `o${index}`, status }));
  }
  const table = "Table 7";
  const group = "K7QX3M";
  await forno.write("PATCH", "/api/orders/o1", { note: "for Anna", table, group });
  await forno.write("PATCH", "/api/orders/o2", { pizza: "Calzone", name: "Anna", table, group });
  await forno.write("PATCH", "/api/orders/o3", { name: "Anna", table });
  await forno.write("PATCH", "/api/orders/o0", { group: "M4TWZ9" });
  await forno.write("PATCH", "/api/orders/o6", { name: "Ann + Bo", group: "A+B" });
  await forno.write("POST", "/api/orders", order({ id: "WEB+1+7", status: "Ready" }));
  for (const [query, ...found] of filters) {
    assert.deepEqual(await matching(forno, `/api/${query}`), found, query);
  }
});

/** Orders o0, o1, …: when they were placed, and for when they are wanted. */
const placed: readonly (readonly [placedAt: string, wantedAt?: string])[] = [
  ["2026-01-31T18:00:00.000Z"],
  ["2026-01-31T18:00:00.001Z"],
  ["2026-01-31T18:00:01.000Z"],
  ["2026-02-01T00:00:00.000Z"],
  ["1960-06-01T00:00:00.000Z"], // The clock was set back.
  ["2026-01-30T18:00:00.000Z", "2026-03-01T18:00:00.000Z"],
  ["2026-03-01T19:00:00.000Z", "2026-01-30T20:00:00.000Z"],
];

const between: readonly (readonly [query: string, ...found: readonly number[]])[] = [
  ["since=0000-02-29T00:00:00Z", 0, 1, 2, 3, 4, 5, 6],
  ["since=1965-01-01T00:00:00Z", 0, 1, 2, 3, 5, 6],
  ["since=2026-01-31T18:00:00.001Z", 1, 2, 3, 5],
  ["since=2026-01-31T20:00:00.001%2B02:00", 1, 2, 3, 5],
  ["since=2026-01-31T20:00:00.001+02:00", 1, 2, 3, 5],
  ["since=2026-01-31t18:00:00.0019z", 1, 2, 3, 5],
  ["since=9999-12-31T23:59:59.999Z"],
  ["until=1960-06-01T00:00:00Z"],
  ["until=2026-01-31T18:00:00.001Z", 0, 4, 6],
  ["until=2026-01-31T19:00:00.0019%2B01:00", 0, 4, 6],
  ["until=9999-12-31T23:59:59.9999Z", 0, 1, 2, 3, 4, 5, 6],
  ["since=2026-01-31T18:00:00.001Z&until=2026-02-01T00:00:00Z", 1, 2],
  ["since=2026-01-31T18:00:01Z&until=2026-01-31T18:00:01Z"],
  ["since=2026-01-30T20:00:00Z&until=2026-01-31T00:00:00Z", 6],
  ["since=2026-02-02T00:00:00Z&until=2026-03-01T18:00:00Z"],
  ["until=2026-02-01T00:00:00Z&sort=newest", 6, 4, 2, 1, 0],
  ["until=2026-02-01T00:00:00Z&id=o3&id=o1", 1],
];

test("since keeps what was placed or is wanted then or later, until what was before", async (t) => {
  const orders = placed.map(([placedAt, wantedAt], index) =>
    orderLine(`o${index}`, placedAt, { wantedAt }));
  const forno = await startForno(t, { store: storeFile(orders) });
  for (const [query, ...found] of between) {
    const ids = found.map((index) => `o${index}`);
    assert.deepEqual(await matching(forno, `/api/orders?${query}`), ids, query);
  }
});

const times = [
  "", "yesterday", "2024-01-01", "2024-01-01T00:00:00", "2024-02-30T00:00:00Z",
  "2024-13-01T00:00:00Z", "2024-01-01T25:00:00Z", "1704067200", "2024-01-01T00:00Z",
  "2016-12-31T23:59:60Z", "2024-01-01T00:00:00%2B24:00",
];

/** Values that a parameter takes, and values that it refuses. */
const values: readonly (readonly [
  path: string, name: string, good: readonly string[], bad: readonly string[],
])[] = [
  ["/api/toppings", "isVegan", ["true", "false"], ["maybe", "", "1", "TRUE", "true%20"]],
  ["/api/pizzasizes", "diameterInInches", ["-1", "12", "1e3"],
    ["", "12in", "NaN", "Infinity", "%2012", "0x0c"]],
  ["/api/orders", "status", ["Out%20for%20Delivery"], ["", "ready", "Lost"]],
  ["/api/orders", "since", ["2024-02-29T00:00:00.5-01:00"], times],
  ["/api/orders", "until", ["2024-02-29T00:00:00Z"], times],
  ["/api/orders", "limit", ["1", "1000"],
    ["0", "1001", "-1", "1.5", "abc", "", "0x10", "%205", "9".repeat(20)]],
  ["/api/orders", "sort", ["oldest", "newest"], ["", "name", "Newest", "newest%20"]],
  ["/api/orders", "after", ["s0", "s1z"],
    ["", "%00", "nonsense!", "s", "sA", "s00000000000", "x1", "a".repeat(500)]],
];

test("a parameter takes values of its type, once, and others are 400", async (t) => {
  const forno = await startForno(t);
  for (const [path, name, good, bad] of values) {
    for (const value of [...good, ...bad]) {
      const response = await forno.call("GET", `${path}?${name}=${value}`);
      if (good.includes(value)) assert.equal(response.status, 200, `${name}=${value}`);
      else assertQueryFault(response, name);
    }
    if (!["since", "until", "limit", "sort", "after"].includes(name)) continue;
    const twice = `${name}=${good[0]}&${name}=${good[0]}`;
    const detail = assertQueryFault(await forno.call("GET", `${path}?${twice}`), name);
    assert.equal(detail, "expected it once, got it 2 times");
  }
});

test("a filter has a hundred values at most", async (t) => {
  const forno = await startForno(t);
  for (const name of ["group", "id"]) {
    const values = Array.from({ length: 101 }, (_, index) => `${name}=x${index}`);
    const fits = await forno.call("GET", `/api/orders?${values.slice(1).join("&")}`);
    assert.deepEqual([fits.status, fits.json], [200, []]);
    const tooMany = await forno.call("GET", `/api/orders?${values.join("&")}`);
    const detail = assertQueryFault(tooMany, name);
    assert.equal(detail, "expected it at most 100 times, got it 101 times");
  }
});

const unknown: readonly (readonly [line: string, name: string, nearest?: string])[] = [
  ["GET /api/toppings?isVegn=x", "isVegn", "isVegan"],
  ["GET /api/toppings?isVegn=x&isVegn=y", "isVegn", "isVegan"],
  ["GET /api/orders?sinc=x", "sinc", "since"],
  ["GET /api/toppings?IsVegan=true", "IsVegan", "isVegan"],
  ["GET /api/beverages?sizeOptions=x", "sizeOptions"],
  ["GET /api/orders?toppings=x", "toppings"],
  ["GET /api/toppings?status=Ready", "status"],
  ["GET /api/toppings?since=2024-01-01T00:00:00Z", "since"],
  ["GET /api/toppings?constructor=x", "constructor"],
  ["GET /api/toppings/funghi?limit=1", "limit"],
  ["POST /api/toppings?dryRun", "dryRun"],
  ["PUT /api/toppings/funghi?force=1", "force"],
  ["DELETE /api/toppings/funghi?dryRun=true", "dryRun"],
  ["GET /api?x=1", "x"],
];

test("an unknown parameter is 400 on every route under /api, with the nearest one", async (t) => {
  const forno = await startForno(t);
  for (const [line, name, nearest] of unknown) {
    const [method = "", path = ""] = line.split(" ");
    const detail = assertQueryFault(await forno.asStaff(method, path), name);
    assert.match(detail, /^unknown parameter: this path takes (no parameters|\w+(, \w+)*)/);
    assert.equal(/; did you mean "(.*)"\?$/.exec(detail)?.[1], nearest, line);
  }
  assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
  for (const path of ["/openapi.json?utm=x", "/healthz?limit=x&fbclid=%E4", "/openapi.json?%"]) {
    assert.equal((await forno.call("GET", path)).status, 200, path);
  }
});

test("every fault of a query is told, but a hundred at most", async (t) => {
  const forno = await startForno(t);
  const path = "/api/pizzasizes?limit=x&sort=up&limit[]=1&limits=3&dryRun&dryRun";
  const { errors } = assertProblem(await forno.call("GET", path), "invalid-query");
  assert.deepEqual(errors?.map(({ parameter }) => parameter),
    ["limit", "limit", "sort", "limits", "dryRun"]);
  assert.equal(errors?.[1]?.detail, 'expected a whole number from 1 to 1000, got "x"');
  const many = Array.from({ length: 1_000 }, (_, index) => `x${index}=`).join("&");
  const most = assertProblem(await forno.call("GET", `/api/toppings?${many}`), "invalid-query");
  assert.equal(most.errors?.length, 100);
});

test("the first value that is not percent-encoded UTF-8 is the only fault", async (t) => {
  const forno = await startForno(t);
  for (const value of ["%", "%zz", "%4", "%FF", "%C3%28", "%ED%A0%80"]) {
    const path = `/api/toppings?sort=up&limit=${value}&q=%`;
    const { errors } = assertProblem(await forno.call("GET", path), "invalid-query");
    const detail = `expected percent-encoded UTF-8, got "limit=${value}"`;
    assert.deepEqual(errors, [{ parameter: "limit", detail }]);
  }
});

test("a link to the next page has the cursor once, and only characters of a URI", async (t) => {
  const forno = await startForno(t);
  for (const [query, link] of [
    ["limit=1&%61fter=s1", /^limit=1&after=s2$/],
    ["limit=1&after[]=s1", /^limit=1&after=s2$/],
    ["limit=1&name=\"<b>\"&name=Rocket&name=Basil", /^limit=1&name=%22%3Cb%3E%22&name=Rocket&/],
  ] as const) {
    const { headers } = await forno.call("GET", `/api/toppings?${query}`);
    assert.match(/\?(.*)>/.exec(headers.get("link") ?? "")?.[1] ?? "", link);
  }
});
