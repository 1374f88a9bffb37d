/** What README.md lists is what there is, no more and no less: settings, operations, files. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readSettings } from "../dist/settings.js";
import { startForno } from "./helpers/forno.ts";
import { codes, readme, root, rows, section } from "./helpers/readme.ts";

/** Every variable that a start looks at. */
function variables(): string[] {
  const asked = new Set<string>();
  const environment = new Proxy({}, { get: (_, name) => void asked.add(String(name)) });
  readSettings(environment);
  return [...asked].sort();
}

test("the table of settings has every setting, and no other", () => {
  const named = rows("Settings").flatMap(([names = ""]) => codes(names));
  assert.deepEqual(named.sort(), variables());
});

test("the table of settings has the defaults in force", () => {
  for (const [names = "", defaults = ""] of rows("Settings")) {
    const values = defaults.replaceAll("`", "").split(", ");
    assert.equal(values.length, codes(names).length, names);
    for (const [index, name] of codes(names).entries()) {
      const text = values[index] ?? "";
      const value = text === "none" ? "" : text.startsWith("data/") ? join(root, text) : text;
      assert.deepEqual(readSettings({ [name]: value }), readSettings({}), name);
    }
  }
});

test("every variable that an example sets is a setting", () => {
  const known = [...variables(), "TOKEN", "URL"];
  const set = [...readme.matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, name = ""]) => name);
  assert.deepEqual(set.filter((name) => !known.includes(name)), []);
});

const kinds = ["toppings", "pizzasizes", "beverages", "orders"];

/** `GET POST /api/{kind}` as "GET /api/toppings" and so on. */
function operationsIn(code: string): string[] {
  const [path = "", ...methods] = code.split(" ").reverse();
  const isOfKinds = path.includes("{kind}");
  const paths = isOfKinds ? kinds.map((kind) => path.replace("{kind}", kind)) : [path];
  return paths.flatMap((each) => methods.map((method) => `${method} ${each}`));
}

test("the reference has every operation of the description, and no other", async (t) => {
  const forno = await startForno(t, { env: { GUEST_ORDERS: "on" } });
  const { json } = await forno.call("GET", "/openapi.json");
  const described = Object.entries<object>(json.paths)
    .filter(([path]) => !path.startsWith("/pages/"))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((operation) => /^(GET|POST|PUT|PATCH|DELETE) /.test(operation));
  const listed = rows("The reference").flatMap(([cell = ""]) => codes(cell))
    .filter((code) => /^[A-Z]+ .*\//.test(code)).flatMap(operationsIn);
  assert.deepEqual(listed.sort(), described.sort());
});

test("the queries of the reference are understood by a list", async (t) => {
  const forno = await startForno(t);
  const queries = rows("The reference").flatMap(([cell = ""]) => codes(cell))
    .filter((code) => code.startsWith("?") && !code.includes("…"));
  assert.ok(queries.length > 0);
  for (const query of queries) {
    const answers = ["orders", "toppings"].map((kind) => forno.call("GET", `/api/${kind}${query}`));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.ok(statuses.includes(200), query);
  }
});

test("every promise names the test that holds it", () => {
  for (const [promise = "", holder = ""] of rows("What it promises")) {
    assert.match(holder, /`test\/\S+\.test\.ts`/, promise);
  }
});

test("every link within it leads to a heading, and the contents to every one", () => {
  const headings = [...readme.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replaceAll(/[^\w ]/g, "").replaceAll(" ", "-"));
  const linked = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  assert.deepEqual(linked.filter((anchor) => !headings.includes(anchor ?? "")), []);
  const listed = [...section("Contents").matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  const others = headings.filter((heading) => !["the-first-ten-minutes", "contents"].includes(heading));
  assert.deepEqual(listed.sort(), others.sort());
});

test("every file that is named is there", () => {
  const files = readme.match(/\b(?<!-)(?:src|test|dist|data)\/[\w./-]*\w/g) ?? [];
  const missing = files.filter((file) => file !== "data/store" && !existsSync(join(root, file)));
  assert.deepEqual(missing, []);
});

test("it says where the store may lie", () => {
  const text = readme.replaceAll(/\s+/g, " ");
  assert.match(text, /one local disk, not a network folder, on Linux or macOS\. Elsewhere the fsync/);
});

test("the record on durability names tests that there are, and all that lie beside it", () => {
  const folder = join(root, "test/durability");
  const record = readFileSync(join(folder, "README.md"), "utf8");
  const named = codes(record).filter((code) => code.endsWith(".test.ts"));
  assert.deepEqual(named.filter((name) => !existsSync(join(folder, name))), []);
  const beside = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
  assert.deepEqual(beside.filter((name) => !named.includes(name)), []);
});

test("the first ten minutes are short, and the picture is light", () => {
  const [first = ""] = readme.split("## Contents");
  assert.ok(first.split("\n").length < 100);
  assert.ok(statSync(join(root, "data/pages.png")).size <= 200_000);
});
