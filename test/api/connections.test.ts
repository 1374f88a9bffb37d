/**
 * Connections (contract part 3): several requests before the first answer (RFC 9112 section 9.3.2),
 * requests that are refused before their body is in, and clients that take too long.
 */

import assert from "node:assert/strict";
import { connect } from "node:net";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ProblemType } from "../../src/problems/problem.ts";
import { type Client, startForno } from "../helpers/forno.ts";
import { until } from "../helpers/patience.ts";
import { bearer, openWire, requestText } from "../helpers/raw-http.ts";
import { order, topping } from "../helpers/samples.ts";
import { assertProblem } from "./assertions.ts";

type Who = "staff" | "customer" | undefined;

function text(forno: Client, line: string, who: Who, fields = "", body?: unknown): string {
  return requestText(line, (who === undefined ? "" : bearer(forno[who])) + fields, body);
}

const close = "Connection: close\r\n";

test("two requests in one piece are carried out, and answered in their order", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const pairs = [
    [["GET /healthz"], ["POST /api/toppings", topping()]],
    [["PATCH /api/toppings/tartufo", { name: "Tuber" }], ["GET /api/toppings/tartufo"]],
    [["DELETE /api/toppings/funghi"], ["POST /api/orders", order()]],
  ] as const;
  for (const [index, pair] of pairs.entries()) {
    wire.send(pair.map(([line, body]) => text(forno, line, "staff", "", body)).join(""));
    await wire.responses(2 * index + 2);
  }
  wire.send(text(forno, "GET /nothing-here", "staff", close));
  const responses = await wire.closed();
  const statuses = responses.map(({ status }) => status);
  assert.deepEqual(statuses, [200, 201, 200, 200, 204, 400, 404]);
  assert.deepEqual(responses[3]?.json, topping({ name: "Tuber" }));
});

test("nothing is done behind a request that closes the connection", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  wire.send(text(forno, "GET /healthz", "staff", close)
    + text(forno, "DELETE /api/toppings/funghi", "staff"));
  assert.deepEqual((await wire.closed()).map(({ status }) => status), [200]);
  assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
});

test("what Node refuses behind a request waits for the answer, and closes", async (t) => {
  const forno = await startForno(t);
  const put = text(forno, "PUT /api/toppings/funghi", "staff", "Transfer-Encoding: chunked\r\n");
  for (const [index, refused] of ["x", "\0", `${put}2\r\n{}xx\r\n0\r\n\r\n`].entries()) {
    for (const count of [1, 2]) {
      const [wire, sent] = [openWire(t, forno.port), Array.from({ length: count }, (_, at) =>
        topping({ id: `t${index}-${count}-${at}` }))];
      wire.send(sent.map((one) => text(forno, "POST /api/toppings", "staff", "", one)).join("")
        + refused);
      assert.deepEqual((await wire.closed()).map(({ json }) => json), sent);
    }
  }
  const stream = openWire(t, forno.port);
  stream.send(`${text(forno, "GET /api/events", undefined)}x`);
  assert.equal(await stream.text(), "");
});

test("any request behind an event stream closes the connection, and is not done", async (t) => {
  const forno = await startForno(t);
  const stream = text(forno, "GET /api/events", undefined);
  for (const behind of [
    text(forno, "DELETE /api/toppings/funghi", "staff"),
    "GET / HTTP/1.1\r\n\r\n",
    text(forno, "GET /", undefined, "Expect: the unexpected\r\n"),
    text(forno, "GET /", undefined, "Expect: 100-continue\r\n"),
  ]) {
    const [later, atOnce] = [openWire(t, forno.port), openWire(t, forno.port)];
    later.send(stream);
    await later.started();
    later.send(behind);
    assert.match(await later.text(), /^HTTP\/1\.1 200 (?![^]*HTTP\/1\.1)[^]*\nConnection: close\r/);
    atOnce.send(stream + behind);
    assert.equal(await atOnce.text(), "", behind);
  }
  assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
});

type Refusal = readonly [ProblemType, line: string, who?: Who, fields?: string];

/** All but the last on the header alone, whatever the body. */
const refusals: readonly Refusal[] = [
  ["not-found", "POST /api/nothing-here"],
  ["method-not-allowed", "POST /api/toppings/funghi", "staff"],
  ["not-authenticated", "POST /api/toppings"],
  ["forbidden", "POST /api/toppings", "customer"],
  ["not-found", "PUT /api/toppings/nobody-has-this", "staff"],
  ["unsupported-media-type", "POST /api/toppings", "staff", "Content-Encoding: gzip\r\n"],
  ["precondition-failed", "PUT /api/toppings/funghi", "staff", 'If-Match: "other"\r\n'],
  ["body-too-large", "POST /api/toppings", "staff"],
];

test("a client that uploads a lot reads its refusal, also if that closes", async (t) => {
  const forno = await startForno(t);
  const body = " ".repeat(7_000_000);
  const chunked = "Transfer-Encoding: chunked\r\n";
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  for (const [type, line, who, fields = ""] of refusals) {
    if (type === "precondition-failed") continue;
    for (const own of [fields, fields + close]) {
      for (const request of [
        text(forno, line, who, own, body), text(forno, line, who, own + chunked) + chunks,
      ]) {
        const wire = openWire(t, forno.port);
        wire.send(request);
        const [response = assert.fail()] =
          own.includes(close) ? await wire.closed() : await wire.responses(1);
        assertProblem(response, type);
        assert.equal(wire.fault(), undefined, line + own);
        wire.destroy();
      }
    }
  }
});

test("an answer that closes comes at once, and its end with the body's", async (t) => {
  const forno = await startForno(t);
  for (const [line, who, status] of [
    ["POST /api/nothing-here", undefined, 404], ["GET /api/toppings/funghi", undefined, 200],
    ["GET /api/toppings", undefined, 200], ["HEAD /api/toppings/funghi", undefined, 200],
    ["DELETE /api/toppings/funghi", "staff", 204],
  ] as const) {
    const wire = openWire(t, forno.port);
    const request = text(forno, line, who, close, " ".repeat(60_000));
    wire.send(request.slice(0, -10));
    await wire.started();
    wire.send(request.slice(-10));
    assert.match(await wire.text(), new RegExp(`^HTTP/1.1 ${status} [^]*\nConnection: close\r`));
    assert.equal(wire.fault(), undefined, line);
  }
});

test("an answer that closes ends when nothing more comes, or nothing is wanted", async (t) => {
  const brief = await startForno(t, { timeouts: { ...timeouts, requestMs: 600_000, restMs: 150 } });
  const patient = await startForno(t);
  for (const [{ port }, fields, status] of [
    [brief, "", 404],
    [patient, "Host: b\r\n", 400],
    [patient, "Expect: the unexpected\r\n", 417],
  ] as const) {
    const wire = openWire(t, port);
    wire.send(text(brief, "POST /nothing", undefined, close + fields, " ".repeat(99)).slice(0, -9));
    assert.match(await wire.text(), new RegExp(`^HTTP/1.1 ${status} `));
  }
});

test("of a body without an end 8 MiB are read, and then its connection is closed", async (t) => {
  const forno = await startForno(t);
  const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
  function* endless(line: string): Generator<string> {
    const fields = line.startsWith("PUT") ? close : "";
    yield text(forno, line, "staff", `${fields}Transfer-Encoding: chunked\r\n`);
    for (;;) yield chunk;
  }
  for (const line of ["POST /api/toppings", "POST /api/nothing-here", "PUT /api/nothing-here"]) {
    const socket = connect(forno.port, "127.0.0.1");
    let received = "";
    socket.on("data", (piece: Buffer) => (received += piece.toString("latin1")));
    // A reset tells it to stop.
    await assert.rejects(pipeline(endless(line), socket));
    assert.match(received, /^HTTP\/1\.1 4(13|04) /);
    const sent = socket.bytesWritten - socket.writableLength;
    assert.ok(sent > 8_000_000 && sent < 32_000_000, `${sent} bytes`);
  }
});

test("the body of a request that was answered is not kept until it has arrived", async (t) => {
  const forno = await startForno(t);
  const count = 300;
  const requests = ["", close].map((fields) =>
    text(forno, "POST /api/toppings", undefined, fields, " ".repeat(65_536)));
  const collect = (): number => {
    (runInNewContext("gc") as () => void)();
    return process.memoryUsage().arrayBuffers;
  };
  setFlagsFromString("--expose-gc");
  const before = collect();
  const wires = await Promise.all(Array.from({ length: count }, async (_, index) => {
    const wire = openWire(t, forno.port);
    wire.send(requests[index % 2]?.slice(0, -500) ?? "");
    const [response = assert.fail()] = await wire.responses(1);
    assertProblem(response, "not-authenticated");
    return wire;
  }));
  // The client holds the rest, or it has just been read.
  await until(() => collect() - before < (count * 65_536) / 4);
  for (const wire of wires) {
    assert.equal(wire.fault(), undefined, "nobody has given up");
    wire.destroy();
  }
});

test("a refused body is never taken for a request, and the connection goes on", async (t) => {
  const forno = await startForno(t);
  const hidden = text(forno, "DELETE /api/toppings/funghi", "staff");
  for (const [type, line, who, fields] of refusals) {
    const isTooLarge = type === "body-too-large";
    const body = isTooLarge ? hidden.padEnd(70_000, "\r\n") : hidden;
    const wire = openWire(t, forno.port);
    wire.send(text(forno, line, who, fields, body) + text(forno, "GET /healthz", undefined, close));
    const [refused, ...others] = await wire.closed();
    assertProblem(refused ?? assert.fail(), type);
    // After a large body the connection may close.
    const statuses = others.map(({ status }) => status);
    if (!isTooLarge || others.length > 0) assert.deepEqual(statuses, [200], line);
  }
  assert.equal((await forno.call("GET", "/api/toppings/funghi")).status, 200);
});

/** The limits are shortened here; that they hold at all is asserted, never how fast. */
const timeouts = { headersMs: 150, requestMs: 150 };

test("a request that stops half-way, or drips, is 408 and nothing is stored", async (t) => {
  const forno = await startForno(t, { timeouts });
  const { last } = forno.store.history;
  const post = "POST /api/toppings";
  const half = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Half: ";
  const declared = text(forno, post, "staff", "Content-Length: 60000\r\n");
  const chunked = text(forno, post, "staff", "Transfer-Encoding: chunked\r\n");
  await Promise.all(([
    [half], [half, "a"], [`${declared}{"name":`], [declared, " "], [`${chunked}2\r\n{}\r\n`],
  ] as const).map(async ([sent, drip = ""]) => {
    const wire = openWire(t, forno.port);
    wire.send(sent);
    const dripping = setInterval(() => wire.send(drip), 20);
    const responses = await wire.closed();
    clearInterval(dripping);
    assert.deepEqual(responses.map(({ status, text }) => [status, text]), [[408, ""]], sent);
  }));
  assert.equal(forno.store.history.last, last);
});
