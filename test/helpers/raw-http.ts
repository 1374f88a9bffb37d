/**
 * HTTP byte by byte, for the tests whose requests a client would tidy up or refuse to send: bytes
 * to a socket, and answers as they stood on the wire. Where a message ends is RFC 9112 section 6.3;
 * anything that does not parse is thrown, so a test also learns of bytes that belong to no answer.
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { parsed, type Response } from "./forno.ts";
import { startPatience } from "./patience.ts";

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

/** The complete answers so far, and how many bytes of an unfinished one follow. */
function splitResponses(wire: Buffer): { responses: Response[]; rest: number } {
  const responses: Response[] = [];
  let offset = 0;
  while (offset < wire.length) {
    const taken = takeResponse(wire, offset);
    if (taken === undefined) break;
    responses.push(taken.response);
    offset = taken.next;
  }
  return { responses, rest: wire.length - offset };
}

/** Every answer in `wire`, which holds nothing else. */
export function parseResponses(wire: Buffer): Response[] {
  const { responses, rest } = splitResponses(wire);
  if (rest > 0) throw new Error(`Expected whole answers, got ${rest} bytes more:\n${wire}`);
  return responses;
}

function takeResponse(
  wire: Buffer, start: number,
): { response: Response; next: number } | undefined {
  const end = wire.indexOf("\r\n\r\n", start);
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = wire.toString("latin1", start, end).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`Expected a status line, got ${statusLine}`);
  const headers = parseHeaders(lines);
  const hasNoBody = status < 200 || status === 204 || status === 304;
  const body = hasNoBody ? { text: "", next: end + 4 } : takeBody(wire, end + 4, headers);
  if (body === undefined) return undefined;
  const { text, next } = body;
  return { response: { status, headers, text, json: parsed(text) }, next };
}

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`Not a header: ${line}`);
    const before = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

function takeBody(
  wire: Buffer, start: number, headers: ReadonlyMap<string, string>,
): { text: string; next: number } | undefined {
  if (headers.get("transfer-encoding") === "chunked") return takeChunks(wire, start);
  // Node's own refusals have no body.
  const isRefusal = headers.size === 1 && headers.get("connection") === "close";
  const length = Number(headers.get("content-length") ?? (isRefusal ? 0 : Number.NaN));
  if (Number.isNaN(length)) throw new Error("Expected Content-Length or chunks, got neither");
  const next = start + length;
  return next > wire.length ? undefined : { text: wire.toString("utf8", start, next), next };
}

function takeChunks(wire: Buffer, start: number): { text: string; next: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = wire.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(wire.toString("latin1", at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (next > wire.length) return undefined;
    if (size === 0) return { text: Buffer.concat(chunks).toString("utf8"), next };
    chunks.push(wire.subarray(lineEnd + 2, next - 2));
    at = next;
  }
}

/** A connection a test talks over step by step. */
export interface Wire {
  send(bytes: string | Uint8Array): void;
  /** The first `count` answers, as soon as they are whole; fails when the server closes before. */
  responses(count: number): Promise<Response[]>;
  /** Resolves when the first bytes have come. */
  started(): Promise<void>;
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
  t.after(() => socket.destroy());
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

function wireOn(socket: Socket): Wire {
  let received = Buffer.alloc(0);
  let fault: Error | undefined;
  socket.setNoDelay(true);
  const patience = startPatience(() => socket.destroy(new Error(`no end: ${String(received)}`)));
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    patience.refresh();
  });
  socket.on("error", (error) => (fault = error));
  const ended = new Promise<void>((resolve) => socket.on("close", () => {
    clearTimeout(patience);
    resolve();
  }));
  const atEnd = async (): Promise<Buffer> => {
    await ended;
    if (fault?.message.startsWith("no end") === true) throw fault;
    return received;
  };
  return {
    send: (bytes) => void socket.write(bytes),
    responses: async (count) => {
      await arrived(socket, ended, () => splitResponses(received).responses.length >= count);
      const { responses } = splitResponses(received);
      if (responses.length < count) throw fault ?? new Error(`closed after ${String(received)}`);
      return responses.slice(0, count);
    },
    started: () => arrived(socket, ended, () => received.length > 0),
    closed: async () => parseResponses(await atEnd()),
    text: async () => (await atEnd()).toString("latin1"),
    fault: () => fault,
    destroy: () => void socket.destroy(),
  };
}

function arrived(socket: Socket, ended: Promise<void>, enough: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!enough()) return;
      socket.off("data", look);
      resolve();
    };
    void ended.then(resolve);
    socket.on("data", look);
    look();
  });
}
