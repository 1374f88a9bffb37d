/**
 * The server that the others are compared with: a few lines of node:http, without routes, lookups,
 * checks, tokens or a store. A read is JSON.stringify and end; a write parses the body and sends it
 * back. The benchmark sends the answer to reads by IPC.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Model {
  readonly status: number;
  readonly etag: string;
  readonly value: object;
}

let model: Model = { status: 200, etag: "", value: {} };

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.end(JSON.stringify(value));
}

function read(response: ServerResponse): void {
  if (model.status !== 304) return sendJson(response, 200, model.value);
  response.statusCode = 304;
  response.setHeader("etag", model.etag);
  response.end();
}

function write(request: IncomingMessage, response: ServerResponse): void {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (piece: string) => (text += piece));
  request.on("end", () => {
    const body = JSON.parse(text) as object;
    if (request.method === "POST") sendJson(response, 201, body);
    else sendJson(response, 200, { ...model.value, ...body });
  });
}

const server = createServer((request, response) => {
  if (request.method === "GET") read(response);
  else write(request, response);
});
process.on("message", (next: Model) => {
  model = next;
  process.send?.("done");
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
