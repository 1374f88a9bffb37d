/**
 * Several requests on one connection before the first answer (contract part 3, RFC 9112 section
 * 9.3.2): all are carried out, and answered in their order.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno, type Forno } from "../helpers/forno.ts";
import { openWire, parseResponses, type RawResponse, rawExchange } from "../helpers/raw-http.ts";

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: string;
}

function requestText(forno: Forno, { method, path, body, headers = "" }: Ask): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const length = body === undefined ? "" : `Content-Length: ${Buffer.byteLength(text)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: forno\r\n${headers}`
    + `Authorization: Bearer ${forno.staff}\r\n${length}\r\n${text}`;
}

async function pipelined(forno: Forno, asks: readonly Ask[]): Promise<RawResponse[]> {
  const last = asks.length - 1;
  const texts = asks.map((ask, index) =>
    requestText(forno, index < last ? ask : { ...ask, headers: "Connection: close\r\n" }));
  const heads = [...asks.keys()].filter((index) => asks[index]?.method === "HEAD");
  return parseResponses(await rawExchange(forno.port, texts.join("")), heads);
}

const statuses = (responses: readonly RawResponse[]): number[] =>
  responses.map(({ status }) => status);
const path = "/api/toppings/rucola-2";
const topping = { id: "rucola-2", name: "Rocket", isVegetarian: true, isVegan: true };

test("reads are answered in the order they were sent", async (t) => {
  const forno = await startForno(t);
  const responses = await pipelined(forno, [
    { method: "GET", path: "/api/toppings/funghi" },
    { method: "GET", path: "/nothing-here" },
    { method: "HEAD", path: "/nothing-here" },
    { method: "DELETE", path: "/api/toppings" },
    { method: "OPTIONS", path: "/api/toppings" },
    { method: "GET", path: "/api/toppings/basilico" },
  ]);
  assert.deepEqual(statuses(responses), [200, 404, 404, 405, 204, 200]);
  assert.equal(responses[5]?.json?.id, "basilico");
});

test("writes and reads in one piece are carried out, and answered in their order", async (t) => {
  const forno = await startForno(t);
  const post = (id: string): Ask =>
    ({ method: "POST", path: "/api/toppings", body: { ...topping, id } });
  const responses = await pipelined(forno, [
    { method: "GET", path: "/healthz" },
    post("rucola-2"),
    { method: "GET", path: "/api/toppings/funghi" },
    post("rucola-3"),
    { method: "DELETE", path: "/api/toppings/funghi" },
    { method: "GET", path: "/nothing-here" },
  ]);
  assert.deepEqual(statuses(responses), [200, 201, 200, 201, 204, 404]);
  assert.deepEqual(responses.map(({ json }) => json?.id), [
    undefined, "rucola-2", "funghi", "rucola-3", undefined, undefined,
  ]);
});

test("a read sees the write before it", async (t) => {
  const forno = await startForno(t);
  const body = { ...topping, id: "funghi", name: "Porcini" };
  const [, read] = await pipelined(forno, [
    { method: "PUT", path: "/api/toppings/funghi", body },
    { method: "GET", path: "/api/toppings/funghi" },
  ]);
  assert.equal(read?.json?.name, "Porcini");
});

test("nothing is done behind a request that closes the connection", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const remove: Ask = { method: "DELETE", path: "/api/toppings/funghi" };
  const get: Ask = { method: "GET", path, headers: "Connection: close\r\n" };
  wire.send(requestText(forno, get) + requestText(forno, remove));
  assert.equal((await wire.closed()).length, 1);
  assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
});

test("an order behind the delete of its topping is refused", async (t) => {
  const forno = await startForno(t);
  const body = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };
  const [deleted, refused] = await pipelined(forno, [
    { method: "DELETE", path: "/api/toppings/funghi" },
    { method: "POST", path: "/api/orders", body },
  ]);
  assert.deepEqual([deleted?.status, refused?.status], [204, 400]);
});

test("requests that wait for their turn at a stop are answered too", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const get = requestText(forno, { method: "GET", path });
  const post = requestText(forno, { method: "POST", path: "/api/toppings", body: topping });
  wire.send(post + get + get);
  const stopped = forno.close();
  const responses = await wire.closed();
  assert.deepEqual(statuses(responses), [201, 200, 200]);
  const closing = responses.map(({ headers }) => headers.get("connection") === "close");
  assert.deepEqual(closing, [false, false, true]);
  await stopped;
});

test("requests that arrive byte by byte are understood", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const asks: readonly Ask[] = [
    { method: "POST", path: "/api/toppings", body: topping }, { method: "GET", path }];
  for (const [index, ask] of asks.entries()) {
    for (const character of requestText(forno, ask)) wire.send(character);
    await wire.responses(index + 1);
  }
  assert.deepEqual(statuses(await wire.responses(2)), [201, 200]);
  wire.destroy();
});

/** So much that a backup of it goes out in several pieces: 800 kB. */
async function fill(forno: Forno): Promise<void> {
  const sizeOptions = Array.from({ length: 50 }, (_, index) => "\u{1f4a7}".repeat(190) + index);
  const body = { name: "Acqua", isCarbonated: false, sizeOptions };
  for (let count = 0; count < 20; count += 1) {
    await forno.asStaff("POST", "/api/beverages", body);
  }
}

test("a long answer is whole, and the next answer follows it", async (t) => {
  const forno = await startForno(t);
  await fill(forno);
  const [backup, next, ...others] = await pipelined(forno, [
    { method: "GET", path: "/api/backup" },
    { method: "GET", path: "/healthz" },
  ]);
  assert.ok((backup?.body ?? "").split("\n").length > 20);
  assert.equal(next?.status, 200);
  assert.deepEqual(others, []);
});
