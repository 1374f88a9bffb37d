/**
 * HTTP byte by byte, for the tests whose requests a client would tidy up or refuse to send: bytes
 * to a socket, and answers as they stood on the wire. Where a message ends is RFC 9112 section 6.3;
 * anything that does not parse is thrown, so a test also learns of bytes that belong to no answer.
 */

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { cleanUp, parsed, type Response } from "./forno.ts";
import { startPatience, until } from "./patience.ts";

/** A request's bytes. `fields`: whole lines. `body`: text, or what goes as JSON. */
export function requestText(line: string, fields = "", body?: unknown): string {
  const payload = typeof body === "string" ? body : JSON.stringify(body) ?? "";
  const length = body === undefined ? "" : `Content-Length: ${Buffer.byteLength(payload)}\r\n`;
  return `${line} HTTP/1.1\r\nHost: localhost\r\n${fields}${length}\r\n${payload}`;
}

/** The header field with a token. */
export function bearer(token: string): string {
  return `Authorization: Bearer ${token}\r\n`;
}

/** Every answer in `wire`, which holds nothing else. */
export function parseResponses(wire: string): Response[] {
  const responses = completeResponses(wire);
  const length = responses.reduce((sum, one) => sum + one.length, 0);
  assert.equal(wire.slice(length), "", "only whole answers");
  return responses;
}

type Parsed = Response & { readonly length: number };

function completeResponses(wire: string): Parsed[] {
  const responses: Parsed[] = [];
  for (let start = 0; start < wire.length; ) {
    const response = parseResponse(wire, start);
    if (response === undefined) break;
    responses.push(response);
    start += response.length;
  }
  return responses;
}

/** Undefined if the answer is not complete. */
function parseResponse(wire: string, start: number): Parsed | undefined {
  const end = wire.indexOf("\r\n\r\n", start);
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = wire.slice(start, end).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? assert.fail(statusLine));
  const headers = new Map(lines.map((line) => {
    const [, name = "", value = ""] = /^([^:\s]+):[ \t]*(.*)$/.exec(line) ?? assert.fail(line);
    return [name.toLowerCase(), value];
  }));
  const bodyEnd = end + 4 + bodyLength(status, headers);
  if (bodyEnd > wire.length) return undefined;
  const text = Buffer.from(wire.slice(end + 4, bodyEnd), "latin1").toString();
  return { status, headers, text, json: parsed(text), length: bodyEnd - start };
}

function bodyLength(status: number, headers: ReadonlyMap<string, string>): number {
  if (status < 200 || status === 204 || status === 304) return 0;
  // Node's own refusals have no body.
  const isRefusal = headers.size === 1 && headers.get("connection") === "close";
  return Number(headers.get("content-length") ?? (isRefusal ? 0 : assert.fail("no length")));
}

/** A connection a test talks over step by step. */
export interface Wire {
  send(bytes: string | Uint8Array): void;
  /** The first `count` answers, as soon as they are whole; fails when the server closes before. */
  responses(count: number): Promise<Response[]>;
  /** Resolves to the status of the first answer when its first bytes have come. */
  started(): Promise<number>;
  /** Reads nothing any more. */
  pause(): void;
  /** All that was answered, once the server has closed the connection. */
  closed(): Promise<Response[]>;
  /** The bytes of all that was answered, once the server has closed the connection. */
  text(): Promise<string>;
  /** The error that ended the connection; undefined for an orderly end. */
  readonly fault: () => Error | undefined;
  destroy(): void;
}

export function openWire(t: TestContext, port: number): Wire {
  const socket = connect(port, "127.0.0.1");
  cleanUp(t, () => socket.destroy());
  return wireOn(socket);
}

/**
 * Sends the header of a write, and resolves when it has been judged and the body is wanted. The
 * function sends the body, and resolves to the answer.
 */
export async function holdBody(
  t: TestContext, port: number, line: string, fields: string, body: object,
): Promise<() => Promise<Response>> {
  const wire = openWire(t, port);
  const payload = JSON.stringify(body);
  const request = requestText(line, `${fields}Expect: 100-continue\r\n`, payload);
  wire.send(request.slice(0, -payload.length));
  assert.equal((await wire.responses(1))[0]?.status, 100);
  return async () => {
    wire.send(payload);
    const [, response] = await wire.responses(2);
    wire.destroy();
    return response ?? assert.fail();
  };
}

/** Sends bytes on a connection of their own, and resolves to all that came until its end. */
export function rawExchange(port: number, bytes: string | Uint8Array): Promise<string> {
  const wire = wireOn(connect(port, "127.0.0.1"));
  wire.send(bytes);
  return wire.text();
}

/** The same, parsed. */
export async function responsesTo(port: number, bytes: string | Uint8Array): Promise<Response[]> {
  return parseResponses(await rawExchange(port, bytes));
}

function wireOn(socket: Socket): Wire {
  let received = "";
  let fault: Error | undefined;
  const patience = startPatience(() => socket.destroy(new Error(`no end: ${received}`)));
  socket.setNoDelay(true).setEncoding("latin1");
  socket.on("data", (piece: string) => {
    received += piece;
    patience.refresh();
  });
  socket.on("error", (error) => (fault = error));
  const ended = new Promise<void>((resolve) => socket.on("close", () => {
    clearTimeout(patience);
    resolve();
  }));
  const text = async (): Promise<string> => {
    await ended;
    if (fault?.message.startsWith("no end") === true) throw fault;
    return received;
  };
  return {
    send: (bytes) => void socket.write(bytes),
    responses: async (count) => {
      await until(() => socket.closed || completeResponses(received).length >= count);
      const responses = completeResponses(received);
      if (responses.length < count) throw fault ?? new Error(`closed after ${received}`);
      return responses.slice(0, count);
    },
    started: async () => {
      await until(() => received !== "");
      return Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]);
    },
    pause: () => void socket.pause(),
    closed: async () => parseResponses(await text()),
    text,
    fault: () => fault,
    destroy: () => void socket.destroy(),
  };
}
