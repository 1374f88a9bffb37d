/** No request holds up the others (contract part 6): long answers are sent in turns. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { type Forno, startForno } from "../helpers/forno.ts";
import { orderLine, storeFile } from "../helpers/store-file.ts";

/** A service with 2,000 orders of 5 kB each, which all hold the same. */
function startWithOrders(t: TestContext): Promise<Forno> {
  const toppings = Array.from({ length: 50 }, () => ({ id: "i".repeat(80), name: "N" }));
  const orders = Array.from({ length: 2_000 }, (_, index) =>
    orderLine(`o${index}`, "2026-01-31T18:00:00.000Z", { toppings }));
  return startForno(t, { store: storeFile(orders) });
}

/** A connection that has been accepted. */
async function open(forno: Forno): Promise<Socket> {
  const socket = connect(forno.port, "127.0.0.1").setNoDelay();
  await once(socket, "connect");
  return socket;
}

function get(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}

test("others are answered while a client reads a long answer as fast as it comes", async (t) => {
  const forno = await startWithOrders(t);
  for (const path of ["/api/orders", "/api/backup"]) {
    const [reader, other] = [await open(forno), await open(forno)];
    let received = 0;
    let responses = 0;
    let isOver = false;
    reader.on("data", (piece: Buffer) => (received += piece.length));
    const whole = once(reader, "end").then(() => (isOver = true));
    other.on("data", () => {
      if (isOver) return;
      responses += 1;
      other.write(get("/healthz", forno.staff));
    });
    reader.write(get(path, forno.staff).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    other.write(get("/healthz", forno.staff));
    await whole;
    reader.destroy();
    other.destroy();
    assert.ok(received > 8_000_000, `${path}: ${received} bytes`);
    // About one for every two pieces. Without turns there are four: one whenever the socket is full.
    assert.ok(responses > 20, `${path}: ${responses} responses`);
  }
});
