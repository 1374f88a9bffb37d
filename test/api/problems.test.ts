/** GET /problems/{type} (contract parts 3 and 5): the page that every problem's `type` leads to. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { problemTypes } from "../../src/problems/problem-types.ts";
import { startForno } from "../helpers/forno.ts";
import { assertProblem, strongTag } from "./assertions.ts";

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

test("each type has a page that says what it means and what to do, in either form", async (t) => {
  const forno = await startForno(t);
  for (const [type, { status, title, meaning, remedy }] of Object.entries(problemTypes)) {
    const path = `/problems/${type}`;
    const [page, html] = [
      await forno.call("GET", path, { headers: { accept: "*/*" } }),
      await forno.call("GET", path, { headers: browser }),
    ];
    assert.equal(page.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(
      page.text,
      `${status} ${title} (${path})\n\nWhat it means: ${meaning}\n\nWhat to do: ${remedy}\n`,
    );
    assert.equal(html.headers.get("content-type"), "text/html; charset=utf-8");
    for (const part of [title, ...meaning.split("`"), ...remedy.split("`")]) {
      assert.ok(html.text.includes(part), `${type}: ${part}`);
      assert.doesNotMatch(part, /[<>&]/, "they are put into HTML as they are");
    }
    assert.notEqual(strongTag(html), strongTag(page));
    for (const [{ headers }, accept] of [[page, "*/*"], [html, browser.accept]] as const) {
      assert.equal(headers.get("vary"), "Accept");
      const known = { accept, "if-none-match": headers.get("etag") ?? "" };
      assert.equal((await forno.call("GET", path, { headers: known })).status, 304);
    }
  }
});

test("the page for a browser loads nothing and runs nothing but its own style", async (t) => {
  const forno = await startForno(t);
  const { text, headers } = await forno.call("GET", "/problems/sold-out", { headers: browser });
  const [, style = ""] = /<style>(.*)<\/style>/s.exec(text) ?? [];
  const digest = createHash("sha256").update(style).digest("base64");
  assert.equal(
    headers.get("content-security-policy"),
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; ` +
      "frame-ancestors 'none'",
  );
  assert.doesNotMatch(text, /<(script|img|link|iframe)|\bon\w+=|\bstyle=/);
});

test("an unknown problem type is 404, with the nearest known type", async (t) => {
  const forno = await startForno(t);
  for (const [type, meant] of [
    ["notfound", "not-found"], ["sold_out", "sold-out"], ["__proto__", undefined],
    ["constructor", undefined], ["%00", undefined],
  ] as const) {
    const { detail } = assertProblem(await forno.call("GET", `/problems/${type}`), "not-found");
    assert.equal(/did you mean "(.*)"/.exec(detail)?.[1], meant);
  }
  assertProblem(await forno.call("GET", "/problems"), "not-found");
});
