/** The pages' addresses (contract part 7), without a browser. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { assertProblem } from "./assertions.ts";

test("/board/ leads to /board, with its query", async (t) => {
  const forno = await startForno(t);
  for (const [path, location] of [
    ["/board/", "../board"],
    ["/board/?tab=menu&a=%20", "../board?tab=menu&a=%20"],
    ["/board/?<x>", "../board?%3Cx%3E"],
  ] as const) {
    const answer = await forno.call("GET", path);
    assert.deepEqual([answer.status, answer.headers.get("location")], [308, location]);
  }
});

test("a page has one address, from which its links lead to its files", async (t) => {
  const forno = await startForno(t);
  for (const path of ["/", "/board"]) {
    const { text } = await forno.call("GET", path);
    const found = text.matchAll(/(?:href|src)="(pages\/[\w.-]+)"/g);
    const links = [...found].map(([, link = ""]) => link);
    assert.ok(links.length > 1, path);
    for (const link of links) assert.equal((await forno.call("GET", `/${link}`)).status, 200, link);
  }
  for (const name of ["index.html", "board.html"]) {
    assertProblem(await forno.call("GET", `/pages/${name}`), "not-found");
  }
});
