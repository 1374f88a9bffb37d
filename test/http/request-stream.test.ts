import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { test } from "node:test";
import { endStream } from "../../dist/http/request-stream.js";
import { rawExchange } from "../helpers/raw-exchange.ts";

test("the stream of an ended request is over at once, and says nothing of it", async (t) => {
  const events: string[] = [];
  const states: boolean[] = [];
  const server = createServer((request, response) => {
    for (const event of ["end", "close", "error", "aborted"]) {
      request.on(event, () => events.push(event));
    }
    endStream(request);
    states.push(request.readableEnded, request.destroyed);
    response.end("x");
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const request = "GET / HTTP/1.1\r\nHost: forno\r\n\r\n";
  const received = await rawExchange(port, request.repeat(3), { responses: 3 });

  assert.equal(received.match(/HTTP\/1\.1 200 OK/g)?.length, 3);
  assert.deepEqual(states, Array(6).fill(true));
  assert.deepEqual(events, []);
});

test("a node that keeps no such fields ends the stream itself", async () => {
  const request = Readable.from([]);
  endStream(request as IncomingMessage);
  await once(request, "end");
});
