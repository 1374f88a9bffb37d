/**
 * Valid requests with bytes changed, cut, inserted and spliced, through raw sockets. Seeded, so a
 * failure comes again. No answer is a 5xx, nothing changes but by a write that was answered, and
 * the store opens again.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../helpers/crash-states.ts";
import { startForno } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { bearer, parseResponses, rawExchange, requestText } from "../helpers/raw-http.ts";
import { order, topping } from "../helpers/samples.ts";

const caseCount = isLong ? 10_000 : 1_000;
const sideBySide = 200;
/** Short, so that a request cut in the middle and an idle connection are given up at once. */
const timeouts = { headersMs: 250, requestMs: 250, idleMs: 250 };

const requests = ([
  ["POST /api/toppings", topping({ id: undefined })],
  ["PUT /api/toppings/funghi", topping({ id: "funghi" })],
  ["POST /api/orders", order({ id: undefined })],
  ["PATCH /api/toppings/funghi", { name: "Patched" }],
  ["DELETE /api/toppings/rucola"],
  ["GET /api/toppings/funghi"],
  ["GET /api/toppings?limit=2&sort=newest&name=Rocket"],
] as const).map(([line, body]) =>
  requestText(line, `Connection: close\r\n${bearer("TOKEN")}`, body));

/** A request with some bytes replaced: by none, by one that is drawn, or by a piece of itself. */
function mutated(index: number): string {
  const text = requests[index % requests.length] ?? "";
  const random = seededRandom(index);
  const draw = (below: number): number => Math.floor(random() * below);
  const [at, from] = [draw(text.length), draw(text.length)];
  const inserted = ["", String.fromCharCode(draw(256)), text.slice(from, from + 1 + draw(12))];
  const removed = [0, 1, 1 + draw(12), text.length];
  return text.slice(0, at) + inserted[draw(3)] + text.slice(at + (removed[draw(4)] ?? 0));
}

test("mutilated requests get no 5xx and change nothing but what was answered", async (t) => {
  const forno = await startForno(t, { timeouts });
  const { last } = forno.store.history;
  const statuses: number[] = [];
  /** Refusals by Node of what follows a request, in place of the request's own answer. */
  let unknown = 0;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < caseCount) {
      const index = next++;
      const request = Buffer.from(mutated(index).replace("TOKEN", forno.staff), "latin1");
      const wire = await rawExchange(forno.port, request);
      for (const { status, headers, text } of parseResponses(wire)) {
        assert.ok(status < 500, `case ${index}: ${request}\n${text}`);
        statuses.push(status);
        if (status >= 400 && !headers.has("content-type")) unknown += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
  for (const status of [200, 201, 204, 400]) assert.ok(statuses.includes(status), `no ${status}`);
  const changes = forno.store.history.last - last;
  const answered = statuses.filter((status) => status < 300).length;
  assert.ok(changes > 0 && changes <= answered + unknown, `${changes} changes`);
  const { text } = await forno.call("GET", "/api/toppings");
  await forno.close();
  const again = await startForno(t, { dataDir: forno.dataDir });
  assert.equal((await again.call("GET", "/api/toppings")).text, text);
});
