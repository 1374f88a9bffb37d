/**
 * Several requests on one connection before the first answer (RFC 9112 section 9.3.2): carried out
 * one after the other, answered in their order (contract part 3).
 */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startForno, type Forno } from "../helpers/forno.ts";
import { rawExchange } from "../helpers/raw-exchange.ts";
import { openWire, parseAnswers, type RawAnswer } from "../helpers/raw-answers.ts";

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

async function pipelined(forno: Forno, asks: readonly Ask[]): Promise<RawAnswer[]> {
  const last = asks.length - 1;
  const texts = asks.map((ask, index) =>
    requestText(forno, index < last ? ask : { ...ask, headers: "Connection: close\r\n" }));
  const heads = [...asks.keys()].filter((index) => asks[index]?.method === "HEAD");
  return parseAnswers(await rawExchange(forno.port, texts.join("")), heads);
}

const statuses = (answers: readonly RawAnswer[]): number[] => answers.map(({ status }) => status);
const path = "/api/toppings/rucola-2";
const topping = { id: "rucola-2", name: "Rocket", isVegetarian: true, isVegan: true };

test("a GET after the POST on one connection sees what was created", async (t) => {
  const forno = await startForno(t);
  const [created, read] = await pipelined(forno, [
    { method: "POST", path: "/api/toppings", body: topping },
    { method: "GET", path },
  ]);
  assert.deepEqual([created?.status, created?.json], [201, topping]);
  assert.deepEqual([read?.status, read?.json], [200, topping]);
  assert.equal(read?.headers.get("etag"), created?.headers.get("etag"));
});

test("a whole life on one connection is carried out in order", async (t) => {
  const forno = await startForno(t);
  const answers = await pipelined(forno, [
    { method: "GET", path },
    { method: "POST", path: "/api/toppings", body: topping },
    { method: "POST", path: "/api/toppings", body: topping },
    { method: "PUT", path, body: { ...topping, name: "Rucola" } },
    { method: "PATCH", path, body: { isVegan: false } },
    { method: "GET", path },
    { method: "DELETE", path },
    { method: "GET", path },
    { method: "DELETE", path },
  ]);
  assert.deepEqual(statuses(answers), [404, 201, 409, 200, 200, 200, 204, 404, 404]);
  assert.deepEqual(answers[5]?.json, { ...topping, name: "Rucola", isVegan: false });
});

test("a fast refusal waits for the slow write before it", async (t) => {
  const forno = await startForno(t);
  const answers = await pipelined(forno, [
    { method: "POST", path: "/api/toppings", body: topping },
    { method: "GET", path: "/nothing-here" },
    { method: "POST", path: "/api/toppings", body: { ...topping, id: "rucola-3" } },
    { method: "DELETE", path: "/api/toppings" },
    { method: "GET", path: "/healthz" },
  ]);
  assert.deepEqual(statuses(answers), [201, 404, 201, 405, 200]);
});

test("HEAD is answered as GET is, without the body, and the next answer follows", async (t) => {
  const forno = await startForno(t);
  const [got, head, next] = await pipelined(forno, [
    { method: "GET", path: "/api/toppings/funghi" },
    { method: "HEAD", path: "/api/toppings/funghi" },
    { method: "GET", path: "/api/toppings/basilico" },
  ]);
  assert.deepEqual([got?.status, head?.status, head?.body], [200, 200, ""]);
  for (const name of ["etag", "content-type", "content-length", "cache-control", "vary"]) {
    assert.equal(head?.headers.get(name), got?.headers.get(name), name);
  }
  assert.equal(next?.json?.id, "basilico");
});

test("a HEAD that is refused has no body either", async (t) => {
  const forno = await startForno(t);
  const answers = await pipelined(forno, [
    { method: "HEAD", path: "/nothing-here" },
    { method: "HEAD", path },
    { method: "GET", path: "/healthz" },
  ]);
  assert.deepEqual(statuses(answers), [404, 404, 200]);
  assert.match(answers[0]?.headers.get("content-type") ?? "", /^application\/problem\+json/);
});

test("a hundred creates in one write are answered in the order they were sent", async (t) => {
  const forno = await startForno(t);
  const names = Array.from({ length: 100 }, (_, index) => `Topping ${index}`);
  const answers = await pipelined(forno, names.map((name) => (
    { method: "POST", path: "/api/toppings", body: { name, isVegetarian: true, isVegan: true } })));
  assert.deepEqual(answers.map(({ json }) => json?.name), names);
  assert.ok(answers.every(({ status }) => status === 201));
  const { json } = await forno.call("GET", "/api/toppings");
  const listed: string[] = json.map((each: { name: string }) => each.name);
  assert.deepEqual(listed.slice(-100), names);
});

test("requests that arrive byte by byte are understood", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const ask = { method: "POST", path: "/api/toppings", body: topping };
  const text = requestText(forno, ask) + requestText(forno, { method: "GET", path });
  for (const character of text) wire.send(character);
  assert.deepEqual(statuses(await wire.answers(2)), [201, 200]);
  wire.destroy();
});

test("a body on GET and DELETE is ignored and the connection goes on", async (t) => {
  const forno = await startForno(t);
  const answers = await pipelined(forno, [
    { method: "GET", path: "/api/toppings/funghi", body: { any: "thing" } },
    { method: "DELETE", path: "/api/toppings/funghi", body: { any: "thing" } },
    { method: "GET", path: "/api/toppings/funghi" },
  ]);
  assert.deepEqual(statuses(answers), [200, 204, 404]);
});

test("thousands of requests after one that waits are all answered", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const read = "GET /healthz HTTP/1.1\r\nHost: forno\r\n\r\n";
  const create = requestText(forno, { method: "POST", path: "/api/toppings", body: topping });
  wire.send(create + read.repeat(8000) + read.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  const [created, ...reads] = statuses(await wire.closed());
  assert.equal(created, 201);
  assert.equal(reads.length, 8001);
  assert.ok(reads.every((status) => status === 200));
});

/** The server's side of the connections that are made from now on. */
function acceptedSockets(t: TestContext): Socket[] {
  const sockets: Socket[] = [];
  const note = (message: unknown): void => {
    sockets.push((message as { socket: Socket }).socket); // As node's documentation has it.
  };
  subscribe("net.server.socket", note);
  t.after(() => unsubscribe("net.server.socket", note));
  return sockets;
}

test("after a request whose answer has no end little is read, however much is sent", async (t) => {
  const forno = await startForno(t);
  const sockets = acceptedSockets(t);
  const wire = openWire(t, forno.port);
  // Their bodies are asked for while the stream waits for its turn after them.
  const { id: _, ...unnamed } = topping;
  const create = requestText(forno, { method: "POST", path: "/api/toppings", body: unnamed });
  wire.send(`${create.repeat(70)}GET /api/events HTTP/1.1\r\nHost: forno\r\n\r\n`);
  wire.send("GET /healthz HTTP/1.1\r\nHost: forno\r\n\r\n".repeat(300_000));
  assert.equal((await wire.answers(70)).at(-1)?.status, 201);
  while (sockets[0]?.isPaused() !== true) await setImmediate();
  for (let turns = 0; turns < 1_000; turns++) await setImmediate();
  const read = sockets[0].bytesRead;
  assert.ok(read < 1_048_576, `${read} bytes were read`);
  wire.destroy();
});

test("what waits in all connections is bounded, and lets others be", async (t) => {
  const forno = await startForno(t);
  const stream = "GET /api/events HTTP/1.1\r\nHost:\r\n\r\n";
  const flood = "GET / HTTP/1.1\r\nHost:\r\n\r\n".repeat(2_500);
  const sockets: Socket[] = [];
  let closed = 0;
  while (closed === 0) {
    assert.ok(sockets.length < 40, `${sockets.length} connections, and none refused`);
    const socket = connect(forno.port, "127.0.0.1").on("error", () => {});
    sockets.push(socket.on("close", () => (closed += 1)));
    socket.write(stream);
    await once(socket, "data");
    socket.write(flood);
    assert.equal((await forno.call("GET", "/healthz")).status, 200);
  }
  const ended = Promise.all(sockets.map((one) => one.destroyed || once(one, "close")));
  for (const socket of sockets) socket.destroy();
  await ended;
  const body = { name: "Rocket", isVegetarian: true, isVegan: true };
  const create = requestText(forno, { method: "POST", path: "/api/toppings", body });
  const many = create + "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n".repeat(500);
  // That a client is gone shows when its stream is next written to: each create has an event.
  for (let good = 0, tries = 0; good < 500; tries += 1) {
    assert.ok(tries < 100, `${good} of 500 that waited for a create are answered`);
    const answers = await rawExchange(forno.port, many, { responses: 501 });
    good = answers.match(/^HTTP\/1\.1 200 /gm)?.length ?? 0;
  }
});
