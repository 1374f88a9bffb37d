import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { test, type TestContext } from "node:test";
import { endStream } from "../../dist/http/node-internals.js";
import { rawExchange } from "../helpers/raw-http.ts";

/** What comes of three empty requests on one connection, each looked at by `onRequest`. */
async function served(
  t: TestContext, onRequest: (request: IncomingMessage) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    onRequest(request);
    response.end("x");
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // TCP's is never a string.
  const request = "GET / HTTP/1.1\r\nHost: forno\r\n\r\n";
  return rawExchange(port, request.repeat(3), { responses: 3 });
}

test("the stream of an ended request is over at once", async (t) => {
  const states: boolean[] = [];
  const received = await served(t, (request) => {
    endStream(request);
    states.push(request.readableEnded, request.destroyed);
  });
  assert.equal(received.match(/HTTP\/1\.1 200 OK/g)?.length, 3);
  assert.deepEqual(states, Array(6).fill(true));
});

test("who waits for the end of a request is told of it", async (t) => {
  for (const event of ["end", "close"]) {
    let told = 0;
    const received = await served(t, (request) => {
      request.on(event, () => (told += 1));
      endStream(request);
    });
    assert.equal(received.match(/HTTP\/1\.1 200 OK/g)?.length, 3);
    assert.equal(told, 3, event);
  }
});

test("a request with a frozen field is answered as well", async (t) => {
  const received = await served(t, (request) => {
    const state = Reflect.get(request, "_readableState");
    Object.defineProperty(state, "closeEmitted", { value: false, writable: false });
    endStream(request);
  });
  assert.match(received, /HTTP\/1\.1 200 OK/);
});

test("a node that keeps no such fields ends the stream itself", async () => {
  const request = Readable.from([]);
  endStream(request as IncomingMessage);
  await once(request, "end");
});
