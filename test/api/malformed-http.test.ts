/**
 * Bytes that are not HTTP/1.1 (RFC 9112), sent through raw sockets because no client would: request
 * smuggling shapes first. Node's parser refuses them; nothing is carried out, the connection is
 * closed, and the server goes on.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startForno, type Forno } from "../helpers/forno.ts";
import { openWire, type RawResponse } from "../helpers/raw-http.ts";

const topping = '{"name":"Rocket","isVegetarian":true,"isVegan":true}';
const get = "GET /healthz HTTP/1.1\r\n";
const host = "Host: forno\r\n";
const post = `POST /api/toppings HTTP/1.1\r\n${host}`;
const chunked = `${post}Transfer-Encoding: chunked\r\n`;

/** Refused with 400 by every parser this runs on. */
const malformed: Readonly<Record<string, string>> = {
  "HTTP/1.2": `GET /healthz HTTP/1.2\r\n${host}\r\n`,
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

/** Everything that is answered to these bytes until the server closes the connection. */
async function answered(t: TestContext, forno: Forno, request: string): Promise<RawResponse[]> {
  const wire = openWire(t, forno.port);
  wire.send(bytes(forno, request));
  return wire.closed();
}

async function storedToppings(forno: Forno): Promise<string> {
  return (await forno.call("GET", "/api/toppings")).text;
}

test("a malformed request is refused, and nothing of it or behind it is done", async (t) => {
  const forno = await startForno(t);
  const before = await storedToppings(forno);
  const good = `${post}Content-Length: ${topping.length}\r\n\r\n${topping}`;
  const requests = Object.entries(malformed).flatMap(([what, request]) =>
    [[what, request], [what, request.replace("{}", topping)], [what, request + good]] as const);
  await Promise.all(requests.map(async ([what, request]) => {
    const responses = await answered(t, forno, request);
    assert.deepEqual(responses.map(({ status, body }) => [status, body]), [[400, ""]], what);
  }));
  assert.equal(await storedToppings(forno), before);
});

test("requests that were answered before a malformed one stay done", async (t) => {
  const forno = await startForno(t);
  await Promise.all(Object.entries(malformed).map(async ([what, request], index) => {
    const wire = openWire(t, forno.port);
    const body = topping.replace("{", `{"id":"t${index}",`);
    wire.send(bytes(forno, `${post}Content-Length: ${body.length}\r\n\r\n${body}`));
    assert.equal((await wire.responses(1))[0]?.status, 201, what);
    wire.send(bytes(forno, request));
    assert.equal((await wire.closed())[1]?.status, 400, what);
    assert.equal((await forno.call("GET", `/api/toppings/t${index}`)).status, 200);
  }));
});

test("a request line and fields past 16 KiB are refused by node", async (t) => {
  const forno = await startForno(t);
  const huge: Record<string, string> = {
    "one header of 100 kB": `${get}${host}A: ${"a".repeat(100_000)}\r\n\r\n`,
    "a header name of 100 kB": `${get}${host}${"a".repeat(100_000)}: b\r\n\r\n`,
    "10,000 headers": `${get}${host}${"a: bcdefgh\r\n".repeat(10_000)}\r\n`,
    "a URL of 100 kB": `GET /${"a".repeat(100_000)} HTTP/1.1\r\n${host}\r\n`,
    "a header that never ends": `${get}${host}A: ${"a".repeat(100_000)}`,
  };
  await Promise.all(Object.entries(huge).map(async ([what, request]) => {
    const responses = await answered(t, forno, request);
    assert.deepEqual(responses.map(({ status, body }) => [status, body]), [[431, ""]], what);
  }));
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
});

test("a request has at most a hundred header fields, however small", async (t) => {
  const forno = await startForno(t);
  for (const [count, status] of [[100, 200], [101, 431], [3_000, 431]] as const) {
    const fields = "a:b\r\n".repeat(count - 2);
    const request = `${get}${host}Connection: close\r\n${fields}\r\n`;
    const wire = openWire(t, forno.port);
    wire.send(request);
    const [response, ...others] = await wire.closed();
    assert.deepEqual([response?.status, others], [status, []], `${count}`);
    // Newer versions of node refuse more than one too many themselves.
    if (count !== 101) continue;
    assert.equal(response?.json?.type, "/problems/headers-too-large");
    assert.match(response?.json?.detail ?? "", /at most 100 header fields/);
  }
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
  "no Host": `${get}\r\n`,
  "HTTP/2.0": `GET /healthz HTTP/2.0\r\n${host}Connection: close\r\n\r\n`,
  "two Host lines": `${get}${host}Host: other\r\nConnection: close\r\n\r\n`,
  "gzip, chunked":
    `${post}Connection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  "OPTIONS *": `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  "CONNECT": `CONNECT pizza.example:443 HTTP/1.1\r\n${host}\r\n`,
};

test("odd requests are answered at most once and never with a 5xx", async (t) => {
  const forno = await startForno(t);
  await Promise.all(Object.entries(odd).map(async ([what, request]) => {
    const [response, ...others] = await answered(t, forno, request);
    assert.ok((response?.status ?? 400) < 500, `${what}: ${response?.body}`);
    assert.deepEqual(others, [], what);
  }));
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
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
