/**
 * Several requests on one connection before the first answer (contract part 3, RFC 9112 section
 * 9.3.2). Reads are answered as they are parsed, in their order. What comes behind a request that is
 * still being answered is not carried out, and the connection closes after that answer.
 */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { cleanUp, startForno, type Forno } from "../helpers/forno.ts";
import { openWire, parseAnswers, type RawAnswer, rawExchange } from "../helpers/raw-http.ts";

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
const connections = (answers: readonly RawAnswer[]): (string | undefined)[] =>
  answers.map(({ headers }) => headers.get("connection"));
const path = "/api/toppings/rucola-2";
const topping = { id: "rucola-2", name: "Rocket", isVegetarian: true, isVegan: true };

test("reads are answered in the order they were sent", async (t) => {
  const forno = await startForno(t);
  const answers = await pipelined(forno, [
    { method: "GET", path: "/api/toppings/funghi" },
    { method: "GET", path: "/nothing-here" },
    { method: "HEAD", path: "/api/toppings/funghi" },
    { method: "DELETE", path: "/api/toppings" },
    { method: "OPTIONS", path: "/api/toppings" },
    { method: "GET", path: "/api/toppings/basilico" },
  ]);
  assert.deepEqual(statuses(answers), [200, 404, 200, 405, 204, 200]);
  assert.equal(answers[5]?.json?.id, "basilico");
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

test("thousands of reads in one write are all answered", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const read = "GET /healthz HTTP/1.1\r\nHost: forno\r\n\r\n";
  wire.send(read.repeat(8000) + read.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  const reads = statuses(await wire.closed());
  assert.equal(reads.length, 8001);
  assert.ok(reads.every((status) => status === 200));
});

test("of thousands of reads in one write no more are answered in a turn than one piece holds", async (t) => {
  const forno = await startForno(t);
  let [inThisTurn, most, all] = [0, 0, 0];
  const count = (): void => {
    inThisTurn += 1;
    all += 1;
  };
  subscribe("http.server.request.start", count);
  cleanUp(t, () => unsubscribe("http.server.request.start", count));
  const next = (): void => {
    most = Math.max(most, inThisTurn);
    inThisTurn = 0;
    if (all < 20_000) setImmediate(next);
  };
  next();
  const wire = openWire(t, forno.port);
  const read = "GET /healthz HTTP/1.1\r\nHost: forno\r\n\r\n";
  wire.send(read.repeat(19_999) + read.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  assert.equal((await wire.closed()).length, 20_000);
  // Pieces are of 64 KiB, and may begin and end within a request.
  assert.ok(most <= 65_536 / read.length + 1, `${most} in a turn`);
});

test("what follows a write in one piece is not carried out, and the answer says so", async (t) => {
  const followers: readonly Ask[] = [
    { method: "GET", path },
    { method: "DELETE", path },
    { method: "POST", path: "/api/toppings", body: { ...topping, id: "rucola-3" } },
    { method: "GET", path: "/nothing-here" },
  ];
  const forno = await startForno(t);
  for (const [index, follower] of followers.entries()) {
    const id = `rocket-${index}`;
    const answers = await pipelined(forno, [
      { method: "GET", path: "/healthz" },
      { method: "POST", path: "/api/toppings", body: { ...topping, id } },
      follower,
      follower,
    ]);
    assert.deepEqual(statuses(answers), [200, 201]);
    assert.deepEqual(connections(answers), ["keep-alive", "close"]);
    assert.equal((await forno.call("GET", `/api/toppings/${id}`)).status, 200);
  }
  assert.equal((await forno.call("GET", "/api/toppings/rucola-3")).status, 404);
});

test("a client that waits for each answer goes on and on", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const asks: readonly Ask[] = [
    { method: "GET", path },
    { method: "POST", path: "/api/toppings", body: topping },
    { method: "POST", path: "/api/toppings", body: topping },
    { method: "PUT", path, body: { ...topping, name: "Rucola" } },
    { method: "PATCH", path, body: { isVegan: false } },
    { method: "GET", path, body: { any: "thing" } },
    { method: "DELETE", path, body: { any: "thing" } },
    { method: "GET", path },
    { method: "DELETE", path },
  ];
  for (const [index, ask] of asks.entries()) {
    wire.send(requestText(forno, ask));
    await wire.answers(index + 1);
  }
  const answers = await wire.answers(asks.length);
  assert.deepEqual(statuses(answers), [404, 201, 409, 200, 200, 200, 204, 404, 404]);
  assert.deepEqual(answers[5]?.json, { ...topping, name: "Rucola", isVegan: false });
  assert.deepEqual(new Set(connections(answers)), new Set(["keep-alive"]));
  wire.destroy();
});

test("requests that arrive byte by byte are understood", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const asks: readonly Ask[] = [
    { method: "POST", path: "/api/toppings", body: topping }, { method: "GET", path }];
  for (const [index, ask] of asks.entries()) {
    for (const character of requestText(forno, ask)) wire.send(character);
    await wire.answers(index + 1);
  }
  assert.deepEqual(statuses(await wire.answers(2)), [201, 200]);
  wire.destroy();
});

/** So much that no socket takes a backup of it at once: 12 MB. */
async function fill(forno: Forno): Promise<void> {
  const body = { name: "Acqua", isCarbonated: false, sizeOptions: Array.from({ length: 50 }, (_, index) =>
    "\u{1f4a7}".repeat(190) + index) };
  for (let count = 0; count < 300; count += 1) {
    await forno.call("POST", "/api/beverages", { token: forno.staff, body });
  }
}

test("behind a long answer that has begun the connection closes when it is whole", async (t) => {
  const forno = await startForno(t);
  await fill(forno);
  const socket = connect(forno.port, "127.0.0.1");
  socket.write(requestText(forno, { method: "GET", path: "/api/backup" }));
  const pieces = [(await once(socket, "data"))[0]];
  socket.pause();
  socket.write(requestText(forno, { method: "DELETE", path: "/api/toppings/funghi" }));
  pieces.push(...(await socket.toArray()));
  const [answer, ...others] = parseAnswers(Buffer.concat(pieces));
  assert.ok(JSON.parse(answer?.body ?? "").beverages.length > 300);
  assert.deepEqual(others, []);
  assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
});

test("behind a stream of events the connection is closed", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  wire.send(requestText(forno, { method: "GET", path: "/api/events" }));
  wire.send(requestText(forno, { method: "DELETE", path: "/api/toppings/funghi" }));
  const [stream, ...others] = await wire.closed();
  assert.equal(stream?.status, 200);
  assert.deepEqual(others, []);
  assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
});

test("floods behind an answer that goes on are cut off, and let others be", async (t) => {
  const forno = await startForno(t);
  await fill(forno);
  const flood = "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n".repeat(50_000);
  const closed = Array.from({ length: 6 }, async (_, index) => {
    const socket = connect(forno.port, "127.0.0.1").on("error", () => {});
    const path = index % 2 === 0 ? "/api/events" : "/api/backup";
    socket.write(requestText(forno, { method: "GET", path }) + flood);
    socket.resume();
    // Not by once(), which fails where the cut is a reset.
    await new Promise((resolve) => socket.on("close", resolve));
  });
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
  await Promise.all(closed);
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
});
