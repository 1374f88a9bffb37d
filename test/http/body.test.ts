import assert from "node:assert/strict";
import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { Body } from "../../dist/http/body.js";
import { Exchange } from "../../dist/http/exchange.js";
import { readFields } from "../../dist/http/request-fields.js";

const timeoutMs = 60_000;
const text = '{"name":"Rocket"}';

/** Pushes the pieces: those before null before the body is read, those after null later. */
async function read(pieces: readonly (string | null)[]): Promise<string> {
  const request = new IncomingMessage(new Socket());
  const fields = readFields(["Content-Length", `${text.length}`]);
  const cut = pieces.indexOf(null);
  for (const piece of pieces.slice(0, cut)) request.push(piece);
  const bytes = new Body(request, fields.contentLength, undefined).read(1_000, timeoutMs);
  setImmediate(() => {
    for (const piece of pieces.slice(cut + 1)) request.push(piece);
    request.push(null);
  });
  return String(await bytes);
}

test("a body is whole, whatever pieces it came in and whenever", async () => {
  const [one, two, three] = [text.slice(0, 4), text.slice(4, 9), text.slice(9)];
  assert.equal(await read([text, null]), text);
  assert.equal(await read([one, two + three, null]), text);
  assert.equal(await read([one, two, three, null]), text);
  assert.equal(await read([one, null, two, three]), text);
  assert.equal(await read([null, text]), text);
  assert.equal(await read([null, one, two, three]), text);
});

test("a body that was not announced is empty, and not waited for", async () => {
  const request = new IncomingMessage(new Socket());
  const limits = { bodyLimitBytes: 1_000, bodyMs: timeoutMs };
  const exchange = new Exchange(request, new ServerResponse(request), limits, false);
  await assert.rejects(exchange.json(), /got an empty body/);
});

test("the rest of a body that was read to its end while it was refused is no rest", async () => {
  const request = new IncomingMessage(new Socket());
  const body = new Body(request, undefined, undefined);
  const refused = body.read(4, timeoutMs);
  request.push("12345");
  request.push(null);
  await assert.rejects(refused, { type: "body-too-large" });
  if (!request.readableEnded) await once(request, "end");
  assert.equal(await body.drop(), true);
});
