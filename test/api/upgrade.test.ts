/**
 * Offers to upgrade (contract part 3; RFC 9110 section 7.8), as curl --http2, Java's HttpClient and
 * browsers' WebSockets send them: ignored.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startForno, type Forno } from "../helpers/forno.ts";
import { openWire } from "../helpers/raw-http.ts";

const offers: Readonly<Record<string, string>> = {
  h2c: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
  websocket: "Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n",
  "on two lines": "connection: Keep-Alive\r\nUPGRADE: h2c\r\nConnection: Upgrade\r\n",
};
const topping = '{"name":"Rocket","isVegetarian":true,"isVegan":true}';
const read = "GET /healthz HTTP/1.1\r\nHost: forno\r\n";

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
        assert.equal(answer.headers.get("connection"), "keep-alive");
        wire.destroy();
      }
    }
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
