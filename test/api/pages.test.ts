/** The pages' addresses, and how they and their files are sent (contract part 7). */

import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type Client, spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { fileOf, needsBuild } from "../helpers/node.ts";
import { assertProblem, strongTag } from "./assertions.ts";
import { topping } from "../helpers/samples.ts";
import { openStream } from "./streams.ts";

const needsPages = { skip: needsBuild };

test("/board/ leads to /board, with its query", needsPages, async (t) => {
  const forno = await startForno(t);
  for (const query of ["", "?tab=menu&a=%20", "?%3Cx%3E"]) {
    const { status, headers } = await forno.call("GET", `/board/${query.replaceAll("%3C", "<")}`);
    assert.deepEqual([status, headers.get("location")], [308, `../board${query}`]);
  }
});

/** All that a page's HTML names of its own. */
async function filesOf(forno: Client, path: string): Promise<string[]> {
  const { text } = await forno.call("GET", path);
  return [...text.matchAll(/(?:href|src)="(pages\/[\w./-]+)"/g)].map(([, link = ""]) => link);
}

test("a page names its script, its styles and its words once", needsPages, async (t) => {
  const forno = await startForno(t);
  for (const path of ["/", "/board"]) {
    const links = await filesOf(forno, path);
    assert.ok(links.length >= 5, path);
    for (const link of links) assert.equal((await forno.call("GET", `/${link}`)).status, 200, link);
  }
  const names = (await filesOf(forno, "/")).map((link) => link.split("/").at(-1) ?? "");
  const once = names.filter((name) => name !== "icon.svg").sort();
  assert.deepEqual(once, ["forno-display.woff2", "order-en.json", "order.css", "order.js"]);
  const { text } = await forno.call("GET", "/pages/current/order.js");
  assert.doesNotMatch(text, /^import /m);
  const picture = await forno.call("GET", "/apple-touch-icon.png");
  assert.equal(picture.headers.get("content-type"), "image/png");
  assert.match(picture.text, /^.PNG/, "for the home screen of a phone");
  for (const name of ["index.html", "board.html", "words.ts", "..%2Fserver.js"]) {
    assertProblem(await forno.call("GET", `/pages/current/${name}`), "not-found");
  }
});

test("a page comes with the shop's color and logo", needsPages, async (t) => {
  const forno = await startForno(t);
  const logo = "data:image/png;base64,iVBORw0KGgo=";
  for (const [look, icon] of [
    [{}, '"pages/[\\w-]+/icon.svg"'], [{ color: "#0a5c8c", logo }, `"${logo}"`],
  ] as const) {
    await forno.write("PATCH", "/api/shop", look);
    for (const path of ["/", "/board"]) {
      const { text } = await forno.call("GET", path);
      const color = "color" in look ? look.color : "";
      assert.match(text, new RegExp(`<html [^>]*data-color="${color}"`));
      assert.match(text, new RegExp(`<link rel="icon" href=${icon}>`));
    }
  }
});

test("a file is kept for good under the address that a page names", needsPages, async (t) => {
  const forno = await startForno(t);
  const [named = ""] = await filesOf(forno, "/");
  const forGood = "public, max-age=31536000, immutable";
  for (const [path, caching, hasPolicy] of [
    ["/", "no-cache", true], ["/board", "no-cache", true], [`/${named}`, forGood, true],
    ["/pages/an-older-one/icon.svg", "no-cache", true],
    [`/${named.replace("icon.svg", "order.js")}`, forGood, false],
    ["/pages/current/board.css", "no-cache", false],
  ] as const) {
    const { status, headers } = await forno.call("GET", path);
    assert.deepEqual([status, headers.get("cache-control")], [200, caching], path);
    // A script or a style sheet has no policy of its own.
    assert.equal(headers.has("content-security-policy"), hasPolicy, path);
  }
});

test("a page is revalidated, and says where its live changes begin", needsPages, async (t) => {
  const forno = await startForno(t);
  const first = await forno.call("GET", "/");
  const headers = { "if-none-match": strongTag(first) };
  const again = await forno.call("GET", "/", { headers });
  assert.deepEqual([again.status, again.text], [304, ""]);
  assert.equal(again.headers.get("vary"), "Accept-Language, Accept-Encoding");
  assert.match(first.headers.get("content-security-policy") ?? "", /^default-src 'none';/);
  await forno.write("POST", "/api/toppings", topping());
  assert.equal((await forno.call("GET", "/", { headers })).status, 200);
  const [, lastEventId] = /data-up-to="([\w-]{22})"/.exec(first.text) ?? [];
  const missed = await (await openStream(t, forno, { lastEventId })).next();
  assert.deepEqual(missed.data, topping());
});

test("files are compressed for who takes gzip, with a tag for each form", needsPages, async (t) => {
  const forno = await startForno(t);
  const ask = async (path: string, coding: string) => {
    const response = await fetch(forno.origin + path, { headers: { "accept-encoding": coding } });
    const [encoding, length, etag, vary] = ["content-encoding", "content-length", "etag", "vary"]
      .map((name) => response.headers.get(name));
    assert.match(vary ?? "", /Accept-Encoding/);
    return { encoding, length: Number(length), etag, text: await response.text() };
  };
  for (const name of ["order.css", "order-ar.json"]) {
    const plain = await ask(`/pages/current/${name}`, "gzip;q=0, br");
    const zipped = await ask(`/pages/current/${name}`, "br, gzip;q=0.9");
    assert.deepEqual([plain.encoding, zipped.encoding], [null, "gzip"]);
    assert.equal(zipped.text, plain.text);
    assert.ok(zipped.length < plain.length / 2, name);
    assert.notEqual(zipped.etag, plain.etag);
  }
});

test("a page speaks the language that its reader wants most", needsPages, async (t) => {
  const forno = await startForno(t);
  for (const [accepted, lang, dir] of [
    ["", "en", "ltr"],
    ["it-CH, de;q=0.5", "it", "ltr"],
    ["de;q=0.000, en;q=0.5, FR;x=0; Q=0.9,,it;q=x", "fr", "ltr"],
    ["pt, ar-EG;q=0.9, en;q=0.1", "ar", "rtl"],
    ["tlh", "en", "ltr"],
  ] as const) {
    for (const path of ["/", "/board"]) {
      const { text } = await forno.call("GET", path, { headers: { "accept-language": accepted } });
      assert.match(text, new RegExp(`<html lang="${lang}" dir="${dir}"`), accepted);
      const page = path === "/" ? "order" : "board";
      assert.match(text, new RegExp(`href="pages/[^/]+/${page}-${lang}\\.json"`));
    }
  }
});

/** Serves a copy of what the server reads, with these files (null: without) in place of its own. */
function serveCopy(t: TestContext, changes: Readonly<Record<string, string | null>>):
  Promise<Client> {
  const folder = temporaryFolder(t);
  const filter = (path: string): boolean => !path.endsWith("data/store");
  for (const part of ["dist", "data", "package.json"]) {
    cpSync(fileOf(part), join(folder, part), { recursive: true, filter });
  }
  for (const [name, content] of Object.entries(changes)) {
    if (content === null) rmSync(join(folder, name), { recursive: true, force: true });
    else writeFileSync(join(folder, name), content);
  }
  return spawnForno(t, { file: join(folder, "dist/server.js") });
}

test("a further file of words is a further language, its gaps English", needsPages, async (t) => {
  const words = `{"vegan":"vegano & <bom>","vegetarian":7}`;
  const variants = ["zh-Hans", "zh-Hant", "sr-Latn"].map((tag) => [`data/words/${tag}.json`, "{}"]);
  const forno = await serveCopy(t, {
    ...Object.fromEntries(variants),
    "data/words/pt-BR.json": words,
    "data/words/a guide.json": "{",
    "data/words/en.json": null,
  });
  // A variant of a language that is not there itself is better than another language.
  for (const [accepted, lang] of [
    ["pt-BR", "pt-BR"], ["pt-PT", "pt-BR"], ["pt", "pt-BR"], ["zh-TW", "zh-Hant"],
    ["zh-HK,en", "zh-Hant"], ["zh", "zh-Hans"], ["zh-Hant-CN", "zh-Hant"], ["zh-SG", "zh-Hans"],
    ["sr", "en"], ["sr-ME, it", "sr-Latn"], ["*, de", "de"], ["x-private, fr", "fr"],
    ["de-1996", "de"],
  ] as const) {
    const { text } = await forno.call("GET", "/", { headers: { "accept-language": accepted } });
    assert.match(text, new RegExp(`<html lang="${lang}" dir="ltr"[^]*<noscript>`), accepted);
  }
  const read = await forno.call("GET", "/pages/current/order-pt-BR.json");
  assert.deepEqual(read.json, JSON.parse(words));
  assert.equal((await forno.call("GET", "/pages/current/board-en.json")).text, "{}\n");
});

test("a page loads its own words alone, and all of them", needsPages, async (t) => {
  const forno = await startForno(t);
  const wordsOf = async (page: string): Promise<string[]> =>
    Object.keys((await forno.call("GET", `/pages/current/${page}-de.json`)).json);
  const [order, board] = [await wordsOf("order"), await wordsOf("board")];
  const german: object = JSON.parse(readFileSync(fileOf("data/words/de.json"), "utf8"));
  const all = Object.entries(german).filter(([text, word]) => word !== text).map(([text]) => text);
  const html = ["index.html", "board.html"].map((name) =>
    readFileSync(fileOf(`src/pages/${name}`), "utf8")).join("");
  assert.deepEqual(all.filter((text) =>
    ![...order, ...board].includes(text) && !html.includes(`{{${text}}}`)), []);
  assert.ok(!order.includes("To make") && board.includes("To make"));
});

test("a file of words that is not JSON stops the start with one line", needsPages, async (t) => {
  await assert.rejects(serveCopy(t, { "data/words/pt.json": "{" }), /words\/pt\.json: .*JSON/);
});

test("without the built pages the API is served, and / says what to run", needsPages, async (t) => {
  const forno = await serveCopy(t, { "dist/pages": null });
  for (const path of ["/", "/board"]) {
    const { status, headers, text } = await forno.call("GET", path);
    assert.deepEqual([status, headers.get("content-type")], [200, "text/plain; charset=utf-8"]);
    assert.match(text, /npm run build/);
  }
  assert.equal((await forno.call("GET", "/api/toppings")).status, 200);
});
