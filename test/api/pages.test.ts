/** The pages' addresses, and how they and their files are sent (contract part 7). */

import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { test as testOf, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { type Client, spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { needsBuild } from "../helpers/node.ts";
import { root } from "../helpers/readme.ts";
import { assertProblem, strongTag } from "./assertions.ts";
import { topping } from "./kinds.ts";
import { openStream } from "./streams.ts";

const test = (name: string, run: (t: TestContext) => Promise<void>): void =>
  void testOf(name, { skip: needsBuild }, run);

test("/board/ leads to /board, with its query", async (t) => {
  const forno = await startForno(t);
  for (const [path, location] of [
    ["/board/", "../board"],
    ["/board/?tab=menu&a=%20", "../board?tab=menu&a=+"],
    ["/board/?<x>", "../board?%3Cx%3E="],
  ] as const) {
    const response = await forno.call("GET", path);
    assert.deepEqual([response.status, response.headers.get("location")], [308, location]);
  }
});

/** All that a page's HTML names of its own. */
async function filesOf(forno: Client, path: string): Promise<string[]> {
  const { text } = await forno.call("GET", path);
  return [...text.matchAll(/(?:href|src)="(pages\/[\w./-]+)"/g)].map(([, link = ""]) => link);
}

test("a page has one address, and names its script, its styles and its words once", async (t) => {
  const forno = await startForno(t);
  for (const path of ["/", "/board"]) {
    const links = await filesOf(forno, path);
    assert.ok(links.length >= 5, path);
    for (const link of links) assert.equal((await forno.call("GET", `/${link}`)).status, 200, link);
  }
  const names = (await filesOf(forno, "/")).map((link) => link.split("/").at(-1) ?? "");
  const once = names.filter((name) => name !== "icon.svg").sort();
  assert.deepEqual(once, ["en.json", "forno-display.woff2", "order.css", "order.js"]);
  const { text } = await forno.call("GET", "/pages/current/order.js");
  assert.doesNotMatch(text, /^import /m);
  for (const name of ["index.html", "board.html", "words.ts", "..%2Fserver.js"]) {
    assertProblem(await forno.call("GET", `/pages/current/${name}`), "not-found");
  }
});

/** A data folder with these files in its `brand`. */
function brandedFolder(t: TestContext, files: Readonly<Record<string, string>>): string {
  const dataDir = join(temporaryFolder(t), "store");
  mkdirSync(join(dataDir, "brand"), { recursive: true });
  for (const name in files) writeFileSync(join(dataDir, "brand", name), files[name] ?? "");
  return dataDir;
}

test("a shop's own logo and theme are served and used on both pages", async (t) => {
  const logo = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const theme = `/* Blue. */
:root { --fire: #1a4fb3; }
@media (prefers-color-scheme: dark) { :root { --fire: rgb(80 120 220); } }
`;
  const dataDir = brandedFolder(t, { "logo.svg": logo, "theme.css": theme });
  const forno = await startForno(t, { dataDir });
  for (const path of ["/", "/board"]) {
    const links = await filesOf(forno, path);
    assert.ok(!links.some((link) => link.endsWith("/icon.svg")));
    for (const [name, text] of [["logo.svg", logo], ["theme.css", theme]] as const) {
      const link = links.find((one) => one.endsWith(`/${name}`));
      assert.equal((await forno.call("GET", `/${link}`)).text, text);
    }
  }
});

for (const [name, content, why] of [
  ["theme.css", ":root { --fire: red; }\nbody { color: red; }", /theme\.css:2: expected custom/],
  ["theme.css", "@import url(//example.com);", /theme\.css:1: expected custom properties within/],
  ["theme.css", ":root { color: red; }", /got "color: red; }"/],
  ["logo.svg", "GIF89a", /logo\.svg: expected an SVG image/],
  ["logo.png", "GIF89a", /logo\.png: expected a PNG image/],
  ["logo.png", "\x89PNG".repeat(70_000), /logo\.png: expected at most 262144 bytes, got /],
] as const) {
  test(`a brand's ${name} with "${content.slice(0, 12)}" stops the start`, async (t) => {
    const dataDir = brandedFolder(t, { [name]: content });
    await assert.rejects(startForno(t, { dataDir }), why);
  });
}

test("files are kept for good under the address that a page names, and no other", async (t) => {
  const forno = await startForno(t);
  const [named = ""] = await filesOf(forno, "/");
  const other = named.replace(/pages\/[^/]+/, "pages/an-older-one");
  const kept = await forno.call("GET", `/${named}`);
  const current = await forno.call("GET", `/${other}`);
  assert.equal(kept.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(current.headers.get("cache-control"), "no-cache");
  assert.equal(current.text, kept.text);
});

test("a page is revalidated, and says where its live changes begin", async (t) => {
  const forno = await startForno(t);
  const first = await forno.call("GET", "/");
  const headers = { "if-none-match": strongTag(first) };
  const again = await forno.call("GET", "/", { headers });
  assert.deepEqual([again.status, again.text], [304, ""]);
  assert.equal(again.headers.get("vary"), "Accept-Language");
  assert.match(first.headers.get("content-security-policy") ?? "", /^default-src 'none';/);
  await forno.asStaff("POST", "/api/toppings", topping());
  assert.equal((await forno.call("GET", "/", { headers })).status, 200);
  const [, lastEventId] = /data-up-to="(\d+)"/.exec(first.text) ?? [];
  const missed = await (await openStream(t, forno, { lastEventId })).next();
  assert.deepEqual(missed.data, topping());
});

/** The body as it came, by fetch's rules not decoded: node:http's. */
async function sentAs(forno: Client, path: string, coding: string): Promise<[string, Buffer]> {
  const headers = { "accept-encoding": coding };
  return new Promise((resolve, reject) => {
    get(forno.origin + path, { headers }, async (response) => {
      assert.equal(response.headers.vary?.includes("Accept-Encoding"), true);
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece);
      resolve([response.headers["content-encoding"] ?? "", Buffer.concat(pieces)]);
    }).on("error", reject);
  });
}

test("a page's files are compressed for who takes gzip, with a tag for each form", async (t) => {
  const forno = await startForno(t);
  for (const name of ["order.css", "ar.json"]) {
    const path = `/pages/current/${name}`;
    const [none, whole] = await sentAs(forno, path, "gzip;q=0, br");
    assert.equal(none, "");
    const [gzip, zipped] = await sentAs(forno, path, "br, gzip;q=0.9");
    assert.deepEqual([gzip, gunzipSync(zipped).toString()], ["gzip", whole.toString()]);
    assert.ok(zipped.length < whole.length / 2, path);
    const plain = await forno.call("GET", path, { headers: { "accept-encoding": "identity" } });
    const known = plain.headers.get("etag") ?? "";
    const headers = { "accept-encoding": "gzip", "if-none-match": known };
    assert.equal((await forno.call("GET", path, { headers })).status, 200);
  }
});

for (const [accepted, lang, dir] of [
  ["", "en", "ltr"],
  ["it-CH, de;q=0.5", "it", "ltr"],
  ["pt, ar-EG;q=0.9, en;q=0.1", "ar", "rtl"],
  ["tlh", "en", "ltr"],
] as const) {
  test(`Accept-Language "${accepted}" gets ${lang}`, async (t) => {
    const forno = await startForno(t);
    for (const path of ["/", "/board"]) {
      const { text } = await forno.call("GET", path, { headers: { "accept-language": accepted } });
      assert.match(text, new RegExp(`<html lang="${lang}" dir="${dir}"`));
      assert.match(text, new RegExp(`href="pages/[^/]+/${lang}\\.json"`));
    }
  });
}

/** A copy of what is packed, with one more file of words: resolves once its server listens. */
function serveWithWords(t: TestContext, name: string, content: string): Promise<Client> {
  const folder = temporaryFolder(t);
  for (const part of ["dist", "data/starter-menu.json", "data/words", "package.json"]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  writeFileSync(join(folder, "data/words", name), content);
  return spawnForno(t, { file: join(folder, "dist/server.js") });
}

test("a further file of words is a further language, with English in its gaps", async (t) => {
  const forno = await serveWithWords(t, "pt-BR.json", `{"vegan":"vegano & <bom>"}`);
  const headers = { "accept-language": "pt-BR" };
  const { text } = await forno.call("GET", "/", { headers });
  assert.match(text, /<html lang="pt-BR" dir="ltr"/);
  assert.match(text, /<noscript>/);
  const words = await forno.call("GET", "/pages/current/pt-BR.json");
  assert.deepEqual(words.json, { vegan: "vegano & <bom>" });
});

for (const [content, why, name = "pt"] of [
  ["{}", /no such-language\.json: expected a language tag as its name/, "no such-language"],
  ["{", /pt\.json: .*JSON/],
  ["[]", /pt\.json: expected an object of texts/],
  [`{"vegan":1}`, /pt\.json: expected a text, or one per plural category, at "vegan"/],
  [`{"vegan":{"one":"um"}}`, /pt\.json: expected a text, or one per plural category, at "vegan"/],
] as const) {
  test(`${name}.json that holds ${content} stops the start with one line`, async (t) => {
    await assert.rejects(serveWithWords(t, `${name}.json`, content), why);
  });
}
