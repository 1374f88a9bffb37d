/**
 * No request costs much more processor time than a plain one of its length, whatever its path, its
 * query and its fields hold (contract part 5). A ratio, because machines differ.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Forno, startForno } from "../helpers/forno.ts";
import { rawExchange } from "../helpers/raw-http.ts";

const length = 15_600;
const filled = (text: string): string => text.repeat(length / text.length);

const get = (target: string, field = ""): string =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${field}\r\n`;

const requests: Readonly<Record<string, string>> = {
  "a path of bad escapes": get(filled("/%")),
  "a path of slashes": get(filled("/")),
  "a path of encoded dots": get(`/${filled("%2e")}`),
  "a query of bad escapes, where unknown names are ignored": get(`/healthz?${filled("%&")}`),
  "a query of bad escapes": get(`/api/toppings?${filled("%&")}`),
  "a query of unknown names": get(`/api/toppings?${filled("limi&")}`),
  "tags without an end": get("/api/toppings/funghi", `If-None-Match: ${filled('W/"')}\r\n`),
  "languages": get("/", `Accept-Language: ${filled("a;q=1,")}\r\n`),
};

/** Milliseconds of processor time, the client's included: the least of a few rounds. */
async function costOf({ port }: Forno, request: string): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const start = process.cpuUsage();
    for (let count = 0; count < 10; count += 1) await rawExchange(port, request);
    const { user, system } = process.cpuUsage(start);
    rounds.push((user + system) / 1_000);
  }
  return Math.min(...rounds);
}

test("a request of 16 KB costs at most ten times a plain one of that length", async (t) => {
  const forno = await startForno(t);
  const plain = await costOf(forno, get(`/${filled("a")}`));
  for (const [what, request] of Object.entries(requests)) {
    const cost = await costOf(forno, request);
    assert.ok(cost < 10 * plain, `${what}: ${cost} ms for ten, a plain one ${plain} ms`);
  }
});
