/**
 * Modules that an operator preloads (`node --import`, as agents that trace requests are): whatever
 * they have their hands in, bodies arrive, answers are whole, and the process goes on. Each is
 * tried with node's own fields in use and with NODE_INTERNALS=off.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type FornoProcess, spawnForno } from "../helpers/forno.ts";
import { openWire } from "../helpers/raw-http.ts";

/** Each `early` sees every request and its response before the server does. */
function beforeAll(early: string): string {
  return `import { Server } from "node:http";
    const { emit } = Server.prototype;
    Server.prototype.emit = function (event, request, response) {
      if (event === "request" || event === "checkContinue") { ${early} }
      return emit.apply(this, arguments);
    };`;
}

function wrapping(method: string, code: string): string {
  return `import { ServerResponse } from "node:http";
    const { ${method} } = ServerResponse.prototype;
    ServerResponse.prototype.${method} = function (...given) {
      ${code}
      return ${method}.apply(this, given);
    };`;
}

const modules: Readonly<Record<string, string>> = {
  nothing: "",
  "an early listener for data": beforeAll('request.on("data", () => {});'),
  "an early listener for data, attached in a microtask":
    beforeAll('queueMicrotask(() => request.on("data", () => {}));'),
  "listeners for everything":
    beforeAll('for (const e of ["data", "end", "close", "error"]) request.on(e, () => {});'),
  "a listener for data on the socket": beforeAll('request.socket.on("data", () => {});'),
  "a pipe": `import { PassThrough } from "node:stream";
    ${beforeAll("request.pipe(new PassThrough()).resume();")}`,
  "a channel's subscriber that sets a header": `import { subscribe } from "node:diagnostics_channel";
    subscribe("http.server.request.start", ({ response }) => response.setHeader("X-Trace", "1"));`,
  "an early setHeader": beforeAll('response.setHeader("X-Trace", "1");'),
  "writeHead wrapped": wrapping("writeHead", 'this.setHeader("X-Trace", "1");'),
  "writeHead wrapped per response": beforeAll(`const { writeHead } = response;
    response.writeHead = function (...given) {
      this.setHeader("X-Trace", "1");
      return writeHead.apply(this, given);
    };`),
  "end wrapped": wrapping("end", "this.ended = Date.now();"),
  "write wrapped": wrapping("write", "this.written = Date.now();"),
  "end put off": wrapping("end", `if (!this.putOff) {
      this.putOff = true;
      setImmediate(() => this.end(...given));
      return this;
    }`),
  // With "endEmitted" or "_dumped" frozen node itself does not survive a request.
  ...Object.fromEntries(["ended", "destroyed", "closed", "closeEmitted"].map((name) => [
    `a frozen ${name}`,
    beforeAll(`const frozen = { value: false, writable: false };
      Object.defineProperty(request._readableState, "${name}", frozen);`),
  ])),
};

/** Modules whose header must be seen in the answers. */
const traced = /setHeader|sets a header|writeHead/;

const topping = { name: "Caffè 🍕".repeat(20), isVegetarian: true, isVegan: true };

async function useAll(forno: FornoProcess, what: string): Promise<void> {
  const token = forno.staff;
  const created = await forno.call("POST", "/api/toppings", { token, body: topping });
  assert.equal(created.status, 201, `${what}: ${created.text}`);
  const path = `/api/toppings/${created.json.id}`;
  assert.deepEqual((await forno.call("GET", path)).json, created.json, what);
  assert.equal((await forno.call("HEAD", path)).status, 200, what);
  const body = { isVegan: false };
  assert.equal((await forno.call("PATCH", path, { token, body })).json.isVegan, false, what);
  const long = { token, body: { ...topping, name: "x".repeat(60_000) } };
  assert.equal((await forno.call("POST", "/api/toppings", long)).status, 400, what);
  assert.equal((await forno.call("POST", "/api/toppings", { body })).status, 401, what);
  const large = await forno.call("POST", "/api/toppings", { token, body: "x".repeat(500_000) });
  assert.equal(large.status, 413, what);
  assert.equal((await forno.call("GET", "/api/toppings")).status, 200, what);
  assert.equal((await forno.call("GET", "/api/backup", { token })).status, 200, what);
  assert.equal((await forno.call("DELETE", path, { token })).status, 204, what);
  const missing = await forno.call("GET", path);
  assert.equal(missing.status, 404, what);
  if (traced.test(what)) assert.equal(missing.headers.get("x-trace"), "1", what);
}

for (const [what, code] of Object.entries(modules)) {
  test(`preloaded: ${what}`, async (t) => {
    for (const internals of ["on", "off"]) {
      const file = `data:text/javascript,${encodeURIComponent(code)}`;
      const env = { NODE_OPTIONS: `--import=${file}`, NODE_INTERNALS: internals };
      const forno = await spawnForno(t, { env });
      await useAll(forno, what);
      const wire = openWire(t, forno.port);
      const text = JSON.stringify(topping);
      wire.send(
        "POST /api/toppings HTTP/1.1\r\nHost: forno\r\nTransfer-Encoding: chunked\r\n" +
          `Authorization: Bearer ${forno.staff}\r\nExpect: 100-continue\r\n\r\n`,
      );
      await wire.answers(1);
      for (const character of text) wire.send(`${Buffer.byteLength(character).toString(16)}\r\n${character}\r\n`);
      wire.send("0\r\n\r\n");
      assert.deepEqual((await wire.answers(2)).map(({ status }) => status), [100, 201], what);
      wire.destroy();
      assert.equal(forno.child.exitCode, null, forno.stderr());
      assert.doesNotMatch(forno.stdout(), /"level":"error"/);
      forno.child.kill("SIGTERM");
      assert.deepEqual(await forno.exited, { code: 0, signal: null });
    }
  });
}
