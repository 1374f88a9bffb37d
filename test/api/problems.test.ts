/** GET /problems (contract parts 3 and 5): the page that every problem's `type` points into. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { problemTypes } from "../../src/problems/problem.ts";
import { startForno } from "../helpers/forno.ts";
import { assertProblem, strongTag } from "./assertions.ts";

test("GET /problems has a paragraph for each type: what it means and what to do", async (t) => {
  const forno = await startForno(t);
  const page = await forno.call("GET", "/problems");
  assert.equal(page.headers.get("content-type"), "text/plain; charset=utf-8");
  const [, ...paragraphs] = page.text.trimEnd().split("\n\n#");
  const heads = paragraphs.map((paragraph) => {
    const [head = "", ...rest] = paragraph.split("\n");
    assert.match(rest.join("\n"), /^[A-Z`][^]+\.\nWhat to do: [^]+\.$/, head);
    return head;
  });
  const expected = Object.entries(problemTypes).map(([type, { status, title }]) =>
    `${type}: ${status}, ${title}`);
  assert.deepEqual(heads, expected);
  const known = { "if-none-match": strongTag(page) };
  assert.equal((await forno.call("GET", "/problems", { headers: known })).status, 304);
  assertProblem(await forno.call("GET", "/problems/not-found"), "not-found");
});
