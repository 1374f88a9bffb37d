/**
 * Bytes that are not HTTP/1.1 (RFC 9112), sent through raw sockets because no client would: request
 * smuggling shapes first. Each is answered once, in problem+json, in its turn, and the connection
 * is closed; the server goes on.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { rawExchange, startForno, type Forno } from "../helpers/forno.ts";
import { openWire, parseResponses } from "../helpers/raw-http.ts";
import { assertLastResponse } from "./assertions.ts";

const topping = '{"name":"Rocket","isVegetarian":true,"isVegan":true}';
const get = "GET /healthz HTTP/1.1\r\n";
const host = "Host: forno\r\n";
const post = `POST /api/toppings HTTP/1.1\r\n${host}`;
const chunked = `${post}Transfer-Encoding: chunked\r\n`;

/** Refused with 400 by every parser this runs on, or by the service itself. */
const malformed: Readonly<Record<string, string>> = {
  "two Host lines": `${get}${host}Host: other\r\n\r\n`,
  "the same Host twice": `${get}${host}${host}\r\n`,
  "no Host": `${get}\r\n`,
  "a port that is no number": `${get}Host: forno:abc\r\n\r\n`,
  "a bracket in Host that is not closed": `${get}Host: [::1\r\n\r\n`,
  "a bad escape in Host": `${get}Host: a%zz\r\n\r\n`,
  "a user in Host": `${get}Host: anna@forno\r\n\r\n`,
  "an absolute target without a host": `GET http:///api HTTP/1.1\r\n${host}\r\n`,
  "an absolute target with a port alone": `GET http://:80/api HTTP/1.1\r\n${host}\r\n`,
  "an absolute target with a bad host": `GET http://[::1/api HTTP/1.1\r\n${host}\r\n`,
  "an absolute target with a user": `GET https://anna@forno/api HTTP/1.1\r\n${host}\r\n`,
  "HTTP/1.2": `GET /healthz HTTP/1.2\r\n${host}\r\n`,
  "HTTP/2.0": `GET /healthz HTTP/2.0\r\n${host}\r\n`,
  "HTTP/0.9": `GET /healthz HTTP/0.9\r\n${host}\r\n`,
  "HTTP/0.9 without a version": "GET /healthz\r\n\r\n",
  "HTTP/3.0": `GET /healthz HTTP/3.0\r\n${host}\r\n`,
  "a version in lower case": `GET /healthz http/1.1\r\n${host}\r\n`,
  "the HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "two Content-Lengths": `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  "the same Content-Length twice": `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  "a list of Content-Lengths": `${post}Content-Length: 2, 2\r\n\r\n{}`,
  "a signed Content-Length": `${post}Content-Length: +2\r\n\r\n{}`,
  "a negative Content-Length": `${post}Content-Length: -2\r\n\r\n{}`,
  "a hexadecimal Content-Length": `${post}Content-Length: 0x2\r\n\r\n{}`,
  "a Content-Length past all numbers": `${post}Content-Length: 99999999999999999999999\r\n\r\n`,
  "Content-Length and then Transfer-Encoding":
    `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "Transfer-Encoding and then Content-Length": `${chunked}Content-Length: 5\r\n\r\n0\r\n\r\n`,
  "an unknown transfer coding": `${post}Transfer-Encoding: gzip\r\n\r\n`,
  "gzip, chunked": `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  "gzip and chunked on two lines":
    `${post}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "gzip, chunked on a GET": `${get}${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  "chunked, gzip": `${post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
  "chunked twice": `${post}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
  "identity": `${post}Transfer-Encoding: identity\r\n\r\n`,
  "xchunked": `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  "a header line ended by a bare LF": `${get}${host}A: b\nC: d\r\n\r\n`,
  "a bare CR in a header": `${get}${host}A: b\rC: d\r\n\r\n`,
  "a NUL in a header": `${get}${host}A: b\0c\r\n\r\n`,
  "a folded header": `${get}${host}A: b\r\n c\r\n\r\n`,
  "a folded Transfer-Encoding": `${post}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`,
  "white space before the first header": `${get} ${host}\r\n`,
  "white space before a colon": `${get}${host}A : b\r\n\r\n`,
  "white space before Transfer-Encoding's colon":
    `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  "a header without a name": `${get}${host}: b\r\n\r\n`,
  "a header without a colon": `${get}${host}abc\r\n\r\n`,
  "a chunk size that is no number": `${chunked}\r\nZZ\r\n{}\r\n0\r\n\r\n`,
  "a negative chunk size": `${chunked}\r\n-2\r\n{}\r\n0\r\n\r\n`,
  "a chunk size with 0x": `${chunked}\r\n0x2\r\n{}\r\n0\r\n\r\n`,
  "a chunk size past all numbers": `${chunked}\r\nFFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n`,
  "an empty chunk size": `${chunked}\r\n\r\n{}\r\n0\r\n\r\n`,
  "a chunk size ended by a bare LF": `${chunked}\r\n2\n{}\r\n0\r\n\r\n`,
  "a chunk longer than it says": `${chunked}\r\n2\r\n{}xx\r\n0\r\n\r\n`,
  "a bare LF in a chunk extension": `${chunked}\r\n2;a\nb\r\n{}\r\n0\r\n\r\n`,
  "a method nobody has": `BAKE /healthz HTTP/1.1\r\n${host}\r\n`,
  "a method in lower case": `get /healthz HTTP/1.1\r\n${host}\r\n`,
  "a space in the path": `GET /a b HTTP/1.1\r\n${host}\r\n`,
  "a control character in the path": `GET /\x01 HTTP/1.1\r\n${host}\r\n`,
  "a target that is no path": `GET healthz HTTP/1.1\r\n${host}\r\n`,
  "no target": `GET HTTP/1.1\r\n${host}\r\n`,
  "a TLS hello": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "zero bytes": "\0\0\0\0\0\0\0\0\r\n\r\n",
  "every byte there is": String.fromCharCode(...Array(256).keys()),
  "an answer instead of a request": "HTTP/1.1 200 OK\r\n\r\n",
};

/** As it goes on the wire, with staff's token so that only the HTTP stands in the way. */
function bytes(forno: Forno, request: string): Buffer {
  const authorized = request.replace(host, `${host}Authorization: Bearer ${forno.staff}\r\n`);
  return Buffer.from(authorized, "latin1");
}

test("each malformed request is answered once with 400, and writes nothing", async (t) => {
  const forno = await startForno(t);
  const before = await storedToppings(forno);
  const requests = Object.entries(malformed).flatMap(([what, request]) =>
    [[what, request], [what, request.replace("{}", topping)]] as const);
  await Promise.all(requests.map(async ([what, request]) => {
    const wire = openWire(t, forno.port);
    wire.send(bytes(forno, request));
    const responses = await wire.closed();
    assertLastResponse(what, responses[0], 400, "malformed-request");
    assert.equal(responses.length, 1, what);
  }));
  assert.equal(await storedToppings(forno), before);
});

test("a Host of any form that there is, and absolute targets, are taken", async (t) => {
  const forno = await startForno(t);
  const hosts = ["", "forno", "forno:", "FORNO.example:80", "127.0.0.1:3000", "[::1]", "[::1]:3000",
    "[fe80::1%25eth0]:80", "[v1.fe80]", "my_forno", "a%20b", "~!$&'()*+;="];
  const targets = ["/healthz", "http://forno/healthz", "HTTPS://[::1]:8080/healthz"];
  const requests = [
    ...hosts.map((one) => `${get}Host: ${one}\r\nConnection: close\r\n\r\n`),
    ...targets.map((one) => `GET ${one} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
  ];
  for (const request of requests) {
    const wire = openWire(t, forno.port);
    wire.send(bytes(forno, request));
    assert.equal((await wire.closed())[0]?.status, 200, request);
  }
});

test("the parser's refusals say what came", async (t) => {
  const forno = await startForno(t);
  const rows: [what: string, words: RegExp][] = [
    ["a method nobody has", /a request line with an unknown method$/],
    ["a space in the path", /does not end in HTTP\/1\.1 after one target$/],
    ["the HTTP/2 preface", /got: HTTP\/2$/],
    ["a chunk size that is no number", /Invalid character in chunk size$/],
  ];
  for (const [what, words] of rows) {
    const wire = openWire(t, forno.port);
    wire.send(bytes(forno, malformed[what] ?? ""));
    assert.match(String((await wire.closed())[0]?.json?.detail), words);
  }
  const socket = connect(forno.port, "127.0.0.1");
  socket.end(bytes(forno, `${post}Content-Length: 9\r\n\r\n{`));
  const [response] = parseResponses(Buffer.concat(await socket.toArray()));
  assert.match(String(response?.json?.detail), /got: a request that ends too early$/);
});

async function storedToppings(forno: Forno): Promise<string> {
  return (await forno.call("GET", "/api/toppings")).text;
}

test("a bad chunk after a refusal adds no second answer", async (t) => {
  const forno = await startForno(t);
  const badChunks = Object.entries(malformed)
    .filter(([, request]) => request.startsWith(`${chunked}\r\n`));
  await Promise.all(badChunks.map(async ([what, request]) => {
    const wire = openWire(t, forno.port);
    wire.send(request);
    const [response, ...others] = await wire.closed();
    assert.ok(response?.status === 401 || response?.status === 400, what);
    assert.deepEqual(others, [], what);
  }));
});

test("an answer without a body goes out before the connection closes for a bad chunk", async (t) => {
  const forno = await startForno(t);
  const { headers } = await forno.call("GET", "/api/toppings/funghi");
  const tag = `If-None-Match: ${headers.get("etag")}\r\n`;
  const lines: [method: string, status: number, headers: string][] = [
    ["HEAD", 200, ""],
    ["OPTIONS", 204, ""],
    ["GET", 304, tag],
  ];
  for (const [method, status, more] of lines) {
    const head = `${method} /api/toppings/funghi HTTP/1.1\r\n${host}${more}`;
    const wire = await rawExchange(forno.port, `${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`);
    const responses = parseResponses(wire, method === "HEAD" ? [0] : []);
    assert.deepEqual(responses.map((response) => response.status), [status], method);
  }
});

test("a malformed request after good ones is answered after them", async (t) => {
  const forno = await startForno(t);
  const read = `GET /api/toppings/funghi HTTP/1.1\r\n${host}\r\n`;
  await Promise.all(Object.entries(malformed).map(async ([what, request]) => {
    const wire = openWire(t, forno.port);
    wire.send(Buffer.concat([read, read, read, request].map((each) => bytes(forno, each))));
    const responses = await wire.closed();
    assert.deepEqual(responses.map(({ status }) => status), [200, 200, 200, 400], what);
    assertLastResponse(what, responses[3], 400, "malformed-request");
  }));
});

test("a refusal of the parser after a write waits its turn, and is the last", async (t) => {
  const forno = await startForno(t);
  const good = `${post}Content-Length: ${topping.length}\r\n\r\n${topping}`;
  const refused = new Set<string>();
  await Promise.all(Object.entries(malformed).map(async ([what, request]) => {
    const wire = openWire(t, forno.port);
    wire.send(Buffer.concat([bytes(forno, good), bytes(forno, request)]));
    const [created, refusal, ...others] = await wire.closed();
    assert.equal(created?.status, 201, what);
    assert.deepEqual(others, [], what);
    if (refusal === undefined) return assert.equal(created.headers.get("connection"), "close");
    assertLastResponse(what, refusal, 400, "malformed-request");
    refused.add(what);
  }));
  for (const what of ["a method nobody has", "zero bytes", "a space in the path"]) {
    assert.ok(refused.has(what), what);
  }
});

test("garbage that goes on arriving is answered once", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  wire.send("BAKE");
  wire.send(" / HTTP/1.1\r\n\r\nBAKE / HTTP/1.1\r\n\r\n");
  wire.send(`${get}${host}\r\n`);
  const responses = await wire.closed();
  assert.deepEqual(responses.map(({ status }) => status), [400]);
});

test("what came in place of a Host is told", async (t) => {
  const forno = await startForno(t);
  for (const [what, got] of [
    ["no Host", "none"],
    ["two Host lines", '"forno, other"'],
    ["a user in Host", '"anna@forno"'],
  ] as const) {
    const wire = openWire(t, forno.port);
    wire.send(malformed[what] ?? "");
    const [response] = await wire.closed();
    const expected = "expected one Host field with a host and perhaps a port";
    assert.equal(response?.json?.detail, `${expected}, got ${got}`);
  }
});

test("a good request after a malformed one is not carried out", async (t) => {
  const forno = await startForno(t);
  const before = await storedToppings(forno);
  const good = `${post}Content-Length: ${topping.length}\r\n\r\n${topping}`;
  for (const what of ["two Host lines", "HTTP/2.0", "gzip, chunked", "a method nobody has"]) {
    const wire = openWire(t, forno.port);
    wire.send(Buffer.concat([bytes(forno, malformed[what] ?? ""), bytes(forno, good)]));
    assert.deepEqual((await wire.closed()).map(({ status }) => status), [400], what);
  }
  assert.equal(await storedToppings(forno), before);
});

test("headers and URLs past the limit are 431", async (t) => {
  const forno = await startForno(t);
  const huge: Record<string, string> = {
    "one header of 100 kB": `${get}${host}A: ${"a".repeat(100_000)}\r\n\r\n`,
    "a header name of 100 kB": `${get}${host}${"a".repeat(100_000)}: b\r\n\r\n`,
    "10,000 headers": `${get}${host}${"a: bcdefgh\r\n".repeat(10_000)}\r\n`,
    "a URL of 100 kB": `GET /${"a".repeat(100_000)} HTTP/1.1\r\n${host}\r\n`,
    "a query of 100 kB": `GET /api/toppings?name=${"a".repeat(100_000)} HTTP/1.1\r\n${host}\r\n`,
    "a header that never ends": `${get}${host}A: ${"a".repeat(100_000)}`,
  };
  await Promise.all(Object.entries(huge).map(async ([what, request]) => {
    const wire = openWire(t, forno.port);
    wire.send(request);
    const responses = await wire.closed();
    assertLastResponse(what, responses[0], 431, "headers-too-large");
    assert.equal(responses.length, 1, what);
  }));
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
});

/** Odd, and either served or refused, but answered, with no 5xx. */
const odd: Readonly<Record<string, string>> = {
  // RFC 9112 section 2.2 lets a recipient take a single LF as a line terminator; older parsers do.
  "a request line ended by a bare LF": `GET /healthz HTTP/1.1\n${host}Connection: close\r\n\r\n`,
  "a blank line of a bare LF": `${get}${host}Connection: close\r\n\n`,
  "no line with a CR": `GET /healthz HTTP/1.1\n${host}Connection: close\n\n`.replaceAll("\r", ""),
  "a byte past ASCII in the path": `GET /\xe9 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  "an empty Host": `${get}Host:\r\nConnection: close\r\n\r\n`,
  "a Host that is none": `${get}Host: a b/c\r\nConnection: close\r\n\r\n`,
  "an empty Transfer-Encoding": `${get}${host}Transfer-Encoding:\r\nConnection: close\r\n\r\n`,
  "Transfer-Encoding in HTTP/1.0":
    "POST /api/toppings HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "RTSP": `DESCRIBE /healthz RTSP/1.0\r\n${host}Connection: close\r\n\r\n`,
  "TRACE": `TRACE /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  "an unknown expectation": `${get}${host}Expect: pizza\r\nConnection: close\r\n\r\n`,
  "a path that starts with two slashes":
    `GET //healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  "3,000 headers":
    `${get}${host}Connection: close\r\n${"a:b\r\n".repeat(3000)}\r\n`,
};

test("odd requests are answered once and never with a 5xx", async (t) => {
  const forno = await startForno(t);
  await Promise.all(Object.entries(odd).map(async ([what, request]) => {
    const wire = openWire(t, forno.port);
    wire.send(bytes(forno, request));
    const [response, ...others] = await wire.closed();
    assert.ok(response !== undefined, what);
    assert.ok(response.status < 500, `${what}: ${response.body}`);
    assert.deepEqual(others, [], what);
    if (response.status < 400) return;
    assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/, what);
  }));
});

/** Requests that RFC 9112 asks a server to take. */
const fine: Readonly<Record<string, string>> = {
  "an absolute target": `GET http://forno/healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  "HTTP/1.0 without Host": "GET /healthz HTTP/1.0\r\n\r\n",
  "an empty line before the request": `\r\n${get}${host}Connection: close\r\n\r\n`,
  "an offer to upgrade": `${get}${host}Connection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  "a chunked body nobody asked for":
    `${get}${host}Connection: close\r\nTransfer-Encoding: Chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\n`,
};

test("unusual requests that are allowed are served", async (t) => {
  const forno = await startForno(t);
  for (const [what, request] of Object.entries(fine)) {
    const wire = openWire(t, forno.port);
    wire.send(request);
    assert.deepEqual((await wire.closed()).map(({ status }) => status), [200], what);
  }
});

test("trailers that are too long are answered 431 on a connection that closes", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  const field = `Authorization: Bearer ${forno.staff}\r\nTransfer-Encoding: chunked\r\n`;
  wire.send(`POST /api/toppings HTTP/1.1\r\n${host}${field}\r\n2\r\n{}\r\n`);
  wire.send(`0\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);
  const [response] = await wire.closed();
  assert.deepEqual([response?.status, response?.headers.get("connection")], [431, "close"]);
});

test("CONNECT is answered 405, and the connection closed", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  wire.send(`CONNECT pizza.example:443 HTTP/1.1\r\n${host}\r\n`);
  const [response] = await wire.closed();
  assert.equal(response?.status, 405);
  assert.match(response?.headers.get("allow") ?? "", /GET, HEAD/);
  assert.match(response?.headers.get("content-type") ?? "", /problem\+json/);
});

test("an answer goes out before the connection closes for a CONNECT behind it", async (t) => {
  const forno = await startForno(t);
  const wire = openWire(t, forno.port);
  wire.send(`${get}${host}\r\nCONNECT pizza.example:443 HTTP/1.1\r\n${host}\r\n`);
  const [response] = await wire.closed();
  assert.equal(response?.status, 200);
});

test("a client that asks to CONNECT and resets the connection harms nobody", async (t) => {
  const forno = await startForno(t);
  const socket = connect(forno.port, "127.0.0.1");
  const isReset = new Promise((resolve) => socket.once("close", resolve));
  socket.write(`GET /api/events HTTP/1.1\r\n${host}\r\nCONNECT a:1 HTTP/1.1\r\n${host}\r\n`);
  socket.once("data", () => socket.resetAndDestroy());
  await isReset;
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
});

test("nothing is answered after the request that closes the connection", async (t) => {
  const forno = await startForno(t);
  const closing = `GET /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
  const responses = await rawExchange(forno.port, closing + `GET /healthz HTTP/1.1\r\n${host}\r\n`);
  assert.equal(responses.match(/HTTP\/1\.1 /g)?.length, 1);
});
