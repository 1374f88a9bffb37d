/**
 * HTTP byte by byte, for the tests whose requests a client would tidy up or refuse to send: bytes
 * to a socket, and answers as they stood on the wire. Where a message ends is RFC 9112 section 6.3;
 * anything that does not parse is thrown, so a test also learns of bytes that belong to no answer.
 */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { Response } from "./forno.ts";

/** The members of bodies that these tests look at; each is asserted before it is relied on. */
export interface WireBody {
  readonly type?: string;
  readonly title?: string;
  readonly status?: unknown;
  readonly detail?: string;
  readonly id?: string;
  readonly name?: string;
}

export interface RawResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly json: WireBody | undefined;
}

interface Taken {
  readonly response: RawResponse;
  readonly next: number;
}

/** Every answer in `wire`. `toHead` names those, counted from 0, that answer HEAD. */
export function parseResponses(
  wire: string | Buffer, toHead: readonly number[] = [],
): RawResponse[] {
  const { responses, rest } = splitResponses(asBytes(wire), toHead);
  if (rest > 0) throw new Error(`Expected whole answers, got ${rest} bytes more:\n${String(wire)}`);
  return responses;
}

/** The complete answers so far, and how many bytes of an unfinished one follow. */
export function splitResponses(
  wire: Buffer, toHead: readonly number[] = [],
): { responses: RawResponse[]; rest: number } {
  const responses: RawResponse[] = [];
  let offset = 0;
  while (offset < wire.length) {
    const taken = takeResponse(wire, offset, toHead.includes(responses.length));
    if (taken === undefined) break;
    responses.push(taken.response);
    offset = taken.next;
  }
  return { responses, rest: wire.length - offset };
}

/** A text holds a byte a character, as rawExchange gives it. */
function asBytes(wire: string | Buffer): Buffer {
  return typeof wire === "string" ? Buffer.from(wire, "latin1") : wire;
}

function takeResponse(wire: Buffer, start: number, toHead: boolean): Taken | undefined {
  const end = wire.indexOf("\r\n\r\n", start);
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = wire.toString("latin1", start, end).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`Expected a status line, got ${statusLine}`);
  const headers = parseHeaders(lines);
  const bodyless = toHead || status < 200 || status === 204 || status === 304;
  const body = bodyless ? { text: "", next: end + 4 } : takeBody(wire, end + 4, headers);
  if (body === undefined) return undefined;
  const response = { status, headers, body: body.text, json: parseBody(body.text) };
  return { response, next: body.next };
}

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`Not a header: ${line}`);
    const key = name.toLowerCase();
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
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

function parseBody(text: string): WireBody | undefined {
  try {
    // Every member of WireBody is optional or unknown, so any JSON object is one.
    return JSON.parse(text) as WireBody;
  } catch {
    return undefined; // Metrics and pages are not JSON.
  }
}

/** A connection a test talks over step by step. */
export interface Wire {
  send(bytes: string | Uint8Array): void;
  /** The first `count` answers, as soon as they are whole; fails when the server closes before. */
  responses(count: number): Promise<RawResponse[]>;
  /** All that was answered, once the server has closed the connection. */
  closed(): Promise<RawResponse[]>;
  /** The error that ended the connection; undefined for an orderly end. */
  readonly fault: () => Error | undefined;
  destroy(): void;
}

export function openWire(t: TestContext, port: number): Wire {
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  return wireOn(socket);
}

/** Far more than any answer takes: a test that waits forever says nothing. */
const patienceMs = 15_000;

function wireOn(socket: Socket): Wire {
  let received = Buffer.alloc(0);
  let fault: Error | undefined;
  socket.setNoDelay(true);
  socket.setTimeout(patienceMs, () => socket.destroy(new Error(`no end: ${String(received)}`)));
  socket.on("data", (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
  socket.on("error", (error) => (fault = error));
  const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  return {
    send: (bytes) => void socket.write(bytes),
    responses: async (count) => {
      await arrived(socket, ended, () => splitResponses(received).responses.length >= count);
      const { responses } = splitResponses(received);
      if (responses.length < count) throw fault ?? new Error(`closed after ${String(received)}`);
      return responses.slice(0, count);
    },
    closed: async () => {
      await ended;
      if (fault?.message.startsWith("no end") === true) throw fault;
      return parseResponses(received);
    },
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

/**
 * Writes bytes to a fresh connection and resolves to all that came until the server closed it or,
 * with `responses`, until so many complete ones have come. Bytes as latin1 characters.
 */
export function rawExchange(
  port: number,
  bytes: string | Uint8Array,
  { responses = Infinity }: { readonly responses?: number } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("latin1");
    socket.setTimeout(20_000, () => socket.destroy(new Error(`no answer but: ${received}`)));
    socket.on("data", (piece: string) => {
      received += piece;
      if (responses < Infinity && finalResponses(received) >= responses) socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A server that closes on us in the middle of our writing: what it said before counts.
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve(received);
      else reject(error);
    });
    socket.on("close", () => resolve(received));
  });
}

/** Whole ones, but those that only say to go on (RFC 9110 section 15.2). */
function finalResponses(received: string): number {
  const { responses } = splitResponses(Buffer.from(received, "latin1"));
  return responses.filter(({ status }) => status >= 200).length;
}

export interface RawRequest {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sends the body in chunks, its length not declared. */
  readonly chunked?: boolean;
}

/** Sends one request and answers its one response. */
export async function sendRaw(
  port: number,
  method: string,
  path: string,
  request: RawRequest = {},
): Promise<Response> {
  const received = await rawExchange(port, requestBytes(method, path, request));
  const [response, ...others] = parseResponses(received, method === "HEAD" ? [0] : []);
  if (response === undefined || others.length > 0) throw new Error(`not one answer: ${received}`);
  const { status, headers, body: text, json } = response;
  return { status, headers, text, json };
}

/** The bytes of one request that asks for the connection to be closed after it. */
function requestBytes(method: string, path: string, request: RawRequest = {}): Uint8Array {
  const headers: Record<string, string> = { Host: "127.0.0.1", Connection: "close" };
  if (request.token !== undefined) headers["Authorization"] = `Bearer ${request.token}`;
  const payload = Buffer.from(request.body ?? "");
  if (request.chunked === true) headers["Transfer-Encoding"] = "chunked";
  else if (request.body !== undefined) headers["Content-Length"] = String(payload.length);
  const lines = Object.entries({ ...headers, ...request.headers }).map(([n, v]) => `${n}: ${v}`);
  const head = `${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), request.chunked === true ? chunks(payload) : payload]);
}

/** Two chunks and the end, so that a reader has to put the body together. */
function chunks(payload: Buffer): Buffer {
  const middle = Math.ceil(payload.length / 2);
  const parts = [payload.subarray(0, middle), payload.subarray(middle)]
    .filter((part) => part.length > 0)
    .flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]);
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}
