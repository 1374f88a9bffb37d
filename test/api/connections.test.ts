/**
 * Connections (contract part 3): several requests before the first answer (RFC 9112 section 9.3.2),
 * requests that are refused before their body is in, clients that take too long, and bytes that are
 * not HTTP/1.1, the shapes of request smuggling first: Node's parser refuses them.
 */

import assert from "node:assert/strict";
import { connect } from "node:net";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ProblemType } from "../../src/problems/problem.ts";
import { type Client, startForno } from "../helpers/forno.ts";
import { holdTime, until } from "../helpers/patience.ts";
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

test("of many requests in one piece two are carried out, and the last answer closes", async (t) => {
  const forno = await startForno(t);
  const ids = Array.from({ length: 8 }, (_, index) => `t${index}`);
  const wire = openWire(t, forno.port);
  wire.send(ids.map((id) => text(forno, "POST /api/toppings", "staff", "", topping({ id })))
    .join(""));
  const responses = await wire.closed();
  assert.equal(wire.fault(), undefined);
  const found = responses.map(({ status, json, headers }) =>
    [status, json.id, headers.get("connection")]);
  assert.deepEqual(found, [[201, "t0", "keep-alive"], [201, "t1", "close"]]);
  for (const [index, id] of ids.entries()) {
    const { status } = await forno.call("GET", `/api/toppings/${id}`);
    assert.equal(status, index < 2 ? 200 : 404);
  }
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

const body = JSON.stringify(topping());
const get = "GET /healthz HTTP/1.1\r\nConnection: close\r\n";
const host = "Host: localhost\r\n";
const post = `POST /api/toppings HTTP/1.1\r\n${host}`;
const chunked = `${post}Transfer-Encoding: chunked\r\n`;

/** Refused by every version of Node; with a token, so that only the HTTP stands in the way. */
const malformed: readonly (readonly [status: number, what: string, request: string])[] = [
  [400, "two Content-Lengths", `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  [400, "both framings", `${chunked}Content-Length: 5\r\n\r\n0\r\n\r\n`],
  [400, "an unknown coding", `${post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
  [400, "a chunk longer than it says", `${chunked}\r\n2\r\n{}xx\r\n0\r\n\r\n`],
  [400, "a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  [431, "a header of 100 kB", `${get}${host}A: ${"a".repeat(100_000)}\r\n\r\n`],
];

test("Node refuses a malformed request, and nothing of it or behind it is done", async (t) => {
  const forno = await startForno(t);
  const before = await forno.call("GET", "/api/toppings");
  const good = `${post}Content-Length: ${body.length}\r\n\r\n${body}`;
  await Promise.all(malformed.map(async ([status, what, request]) => {
    for (const sent of [request.replace("{}", body), request + good]) {
      const wire = openWire(t, forno.port);
      const authorized = `${host}Authorization: Bearer ${forno.staff}\r\n`;
      wire.send(Buffer.from(sent.replace(host, authorized), "latin1"));
      const answers = (await wire.closed()).map((response) => [response.status, response.text]);
      assert.deepEqual(answers, [[status, ""]], what);
    }
  }));
  assert.equal((await forno.call("GET", "/api/toppings")).text, before.text);
});

test("a request has at most a hundred header fields, however small", async (t) => {
  const forno = await startForno(t);
  for (const [count, status] of [[100, 200], [101, 431], [3_000, 431]] as const) {
    const wire = openWire(t, forno.port);
    // Date has as many letters as Host, which may come once.
    wire.send(`${get}${host}Date: x\r\n${"a:b\r\n".repeat(count - 3)}\r\n`);
    const [response, ...others] = await wire.closed();
    assert.deepEqual([response?.status, others], [status, []], `${count}`);
    // Newer versions of Node refuse more than one too many themselves.
    if (count !== 101) continue;
    assert.equal(response?.json.type, "/problems#headers-too-large");
    assert.match(response?.json.detail, /at most 100 header fields/);
  }
});

test("no Host, two of them and an unknown Expect are refused, within the rate", async (t) => {
  holdTime(t);
  const forno = await startForno(t, { env: { RATE_LIMIT: "2", TRUST_PROXY: "on" } });
  const good = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
  for (const [status, head] of [
    [400, "GET /api/toppings HTTP/1.1\r\n"],
    [400, "PROPFIND /nowhere HTTP/1.1\r\nExpect: x\r\n"],
    [400, `GET /api/toppings HTTP/1.1\r\n${host}hOST: pizza.example\r\n`],
    [400, `GET /api/toppings HTTP/1.0\r\n${host}${host}`],
    [417, `GET /nowhere HTTP/1.1\r\n${host}Expect: x\r\n`],
    [417, `DELETE /api/toppings HTTP/1.1\r\n${host}Expect: 100-continue, x\r\n`],
  ] as const) {
    const wire = openWire(t, forno.port);
    wire.send(`${head}\r\n${good}`);
    const [response, ...others] = await wire.closed();
    assert.deepEqual([response?.status, response?.text, others], [status, "", []], head);
    assert.equal(response?.headers.get("connection"), "close");
  }
  const { text } = await forno.asStaff("GET", "/metrics");
  assert.match(text, /^forno_http_requests_total{method="PROPFIND",status="400"} 1$/m);
  assert.match(text, /^forno_http_requests_total{method="DELETE",status="417"} 1$/m);
  while ((await forno.call("GET", "/api")).status === 200);
  for (const head of ["GET / HTTP/1.1\r\n", `GET / HTTP/1.1\r\n${host}Expect: x\r\n`]) {
    const wire = openWire(t, forno.port);
    wire.send(`${head}Connection: close\r\n\r\n`);
    assert.equal((await wire.closed())[0]?.status, 429);
  }
});
