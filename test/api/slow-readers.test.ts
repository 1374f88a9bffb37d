/** Clients that ask and do not read (contract part 6): what waits for them is bounded in total. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { topping } from "./kinds.ts";

test("a client that asks for much and does not read is cut off, others are not", async (t) => {
  const forno = await startForno(t, { backlogLimitBytes: 1_000_000 });
  const { text } = await forno.call("GET", "/api/toppings");
  const count = 500;
  const stuck = connect(forno.port, "127.0.0.1").on("error", () => {});
  stuck.write("GET /api/toppings HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count));
  // They came in one piece, and were all answered in the turn in which the first one was.
  await once(stuck, "readable");
  assert.equal((await forno.call("GET", "/api/toppings")).text, text);
  let bytes = 0;
  stuck.on("data", (piece: Buffer) => (bytes += piece.length));
  await new Promise((resolve) => stuck.once("close", resolve));
  assert.ok(bytes < count * text.length, `${bytes} bytes`);
});

const events = "GET /api/events HTTP/1.1\r\nHost: a\r\n\r\n";
const list = "GET /api/orders?status=Ready HTTP/1.1\r\nHost: a\r\n\r\n";

for (const [what, first] of [["a stream", events], ["others", list]] as const) {
  test(`requests behind ${what} count as what waits, even if the client reads`, async (t) => {
    const forno = await startForno(t, { backlogLimitBytes: 1_000_000 });
    const other = connect(forno.port, "127.0.0.1").on("data", (piece) => (received += piece));
    t.after(() => other.destroy());
    let received = "";
    other.write(events);
    await once(other, "data");
    const greedy = connect(forno.port, "127.0.0.1").on("error", () => {}).resume();
    greedy.write(first + list.repeat(200));
    await once(greedy, "close");
    await forno.asStaff("POST", "/api/toppings", topping());
    while (!received.includes("toppings.created")) await once(other, "data");
  });
}

test("within the bound a client gets all it has asked for, however late it reads", async (t) => {
  const forno = await startForno(t);
  const { text } = await forno.call("GET", "/api/toppings");
  const count = 500;
  const late = connect(forno.port, "127.0.0.1");
  late.write("GET /api/toppings HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count - 1));
  late.write("GET /api/toppings HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await once(late, "readable");
  await forno.call("GET", "/healthz");
  const responses = Buffer.concat(await late.toArray()).toString();
  assert.equal(responses.split(text).length - 1, count);
});
