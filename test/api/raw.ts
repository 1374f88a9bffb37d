/**
 * Requests that fetch would tidy up or refuse to send: dot segments and odd percent-encoding in the
 * path, a body without a label, a chunked body. One request a socket, written byte by byte.
 */

import { Buffer } from "node:buffer";
import { rawExchange } from "../helpers/forno.ts";
import type { Answer } from "../helpers/forno.ts";
import { parseAnswers } from "../helpers/raw-answers.ts";

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
): Promise<Answer> {
  const received = await rawExchange(port, requestBytes(method, path, request));
  const [answer, ...others] = parseAnswers(received, method === "HEAD" ? [0] : []);
  if (answer === undefined || others.length > 0) throw new Error(`not one answer: ${received}`);
  const { status, headers, body: text, json } = answer;
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
