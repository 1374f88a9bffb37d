/**
 * Offers to upgrade (contract part 3; RFC 9110 section 7.8), as curl --http2, Java's HttpClient and
 * browsers' WebSockets send them: ignored, with nothing lost that came with them.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startForno, type Forno } from "../helpers/forno.ts";
import { openWire, parseAnswers } from "../helpers/raw-http.ts";

const offers: Readonly<Record<string, string>> = {
  h2c: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
  websocket: "Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n",
  "on two lines": "connection: Keep-Alive\r\nUPGRADE: h2c\r\nConnection: Upgrade\r\n",
};
const topping = '{"name":"Rocket","isVegetarian":true,"isVegan":true}';
const read = "GET /healthz HTTP/1.1\r\nHost: forno\r\n";
/** From here on node keeps the body of such a request from its parser. */
const keepsBodies = Number.parseInt(process.versions.node) >= 25;

function create(forno: Forno, framing: string): string {
  return "POST /api/toppings HTTP/1.1\r\nHost: forno\r\n"
    + `Authorization: Bearer ${forno.staff}\r\n${framing}\r\n`;
}

for (const [what, offer] of Object.entries(offers)) {
  test(`${what}: the connection goes on, request after request`, async (t) => {
    const forno = await startForno(t);
    const wire = openWire(t, forno.port);
    for (let asked = 1; asked <= 4; asked += 1) {
      // Java's client says of a GET, too, how long its body is.
      wire.send(`${read}${offer}${asked > 2 ? "Content-Length: 0\r\n" : ""}\r\n`);
      const answer = (await wire.answers(asked)).at(-1);
      assert.deepEqual([answer?.status, answer?.headers.get("connection")], [200, "keep-alive"]);
      assert.equal(answer?.headers.has("upgrade"), false);
    }
    wire.destroy();
  });

  test(`${what}: what came in the same piece is answered too`, async (t) => {
    const forno = await startForno(t);
    const wire = openWire(t, forno.port);
    wire.send(`${read}${offer}\r\n${read}\r\n${read}Connection: close\r\n\r\n`);
    assert.deepEqual((await wire.closed()).map(({ status }) => status), [200, 200, 200]);
  });

  test(`${what}: offers behind offers are ignored one after the other`, async (t) => {
    const forno = await startForno(t);
    for (const between of ["", `${read}\r\n`]) {
      const wire = openWire(t, forno.port);
      const offering = `${read}${offer}\r\n${between}`;
      wire.send(`${offering.repeat(3)}${read}Connection: close\r\n\r\n`);
      const answers = await wire.closed();
      assert.equal(answers.length, between === "" ? 4 : 7);
      assert.ok(answers.every(({ status }) => status === 200));
    }
  });

  test(`${what}: the connection goes on behind answers that have piled up`, async (t) => {
    const forno = await startForno(t);
    const wire = openWire(t, forno.port);
    const body = { ...JSON.parse(topping), name: "n".repeat(200) };
    for (let count = 0; count < 40; count += 1) {
      await forno.call("POST", "/api/toppings", { token: forno.staff, body });
    }
    const list = "GET /api/toppings HTTP/1.1\r\nHost: forno\r\n\r\n";
    wire.send(`${list.repeat(50)}${read}${offer}\r\n`);
    await wire.answers(51);
    wire.send(`${read}Connection: close\r\n\r\n`);
    const answers = await wire.closed();
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(answers.length, 52);
  });

  test(`${what}: a body is read, whatever pieces it comes in`, async (t) => {
    const forno = await startForno(t);
    const chunks = `${topping.length.toString(16)}\r\n${topping}\r\n0\r\n\r\n`;
    for (const [framing, body] of [
      [`Content-Length: ${topping.length}\r\n`, topping],
      ["Transfer-Encoding: chunked\r\n", chunks],
    ] as const) {
      for (const cut of [0, 1, 20, body.length]) {
        const wire = openWire(t, forno.port);
        wire.send(create(forno, offer + framing) + body.slice(0, cut));
        await setImmediate();
        wire.send(body.slice(cut));
        const [answer] = await wire.answers(1);
        assert.ok(answer);
        assert.equal(answer.status, 201, answer.body);
        assert.equal(answer.headers.get("connection"), keepsBodies ? "close" : "keep-alive");
        wire.destroy();
      }
    }
  });

  test(`${what}: with a body that is cut short it is 400 at once`, async (t) => {
    const forno = await startForno(t);
    const socket = connect(forno.port, "127.0.0.1");
    socket.end(`${create(forno, `${offer}Content-Length: 100\r\n`)}{"name":`);
    const [answer, ...others] = parseAnswers(Buffer.concat(await socket.toArray()));
    assert.equal(answer?.status, 400);
    assert.match(String(answer.json?.detail), /got: a request that ends too early$/);
    assert.deepEqual(others, []);
  });
}

test("a refused request with an offer is refused as any other", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const offer = offers["h2c"] ?? "";
  wire.send(`GET /nothing-here HTTP/1.1\r\nHost: forno\r\n${offer}\r\n`);
  await wire.answers(1);
  wire.send(`GET /healthz HTTP/1.1\r\nHost: forno\r\nHost: other\r\n${offer}\r\n`);
  assert.deepEqual((await wire.closed()).map(({ status }) => status), [404, 400]);
});

test("an offer behind a request that is still being answered is not carried out", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const framing = `Content-Length: ${topping.length}\r\n`;
  wire.send(`${create(forno, framing)}${topping}${read}${offers["h2c"]}\r\n`);
  const [created, ...others] = await wire.closed();
  assert.deepEqual([created?.status, created?.headers.get("connection")], [201, "close"]);
  assert.deepEqual(others, []);
});

test("an offer behind a long answer does not break that off", async (t) => {
  const forno = await startForno(t);
  const body = { ...JSON.parse(topping), name: "🍕".repeat(200) };
  for (let count = 0; count < 250; count += 1) {
    await forno.call("POST", "/api/toppings", { token: forno.staff, body });
  }
  const wire = openWire(t, forno.port);
  const list = "GET /api/toppings HTTP/1.1\r\nHost: forno\r\n\r\n";
  wire.send(`${list}${read}${offers["h2c"]}\r\n`);
  const [answer, ...others] = await wire.closed();
  assert.equal(answer?.body, (await forno.call("GET", "/api/toppings")).text);
  assert.deepEqual(others, []);
});
