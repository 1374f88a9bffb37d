/**
 * The measure: what a few lines of node:http do. No routing, no lookup, no validation, no token,
 * nothing kept; a read is JSON.stringify and end, a write parses the body and sends it back.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { type BareAnswer, serveBare } from "./bare-server.ts";

let answer: BareAnswer;

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.statusCode = status;
  response.setHeader("content-type", answer.contentType);
  response.end(JSON.stringify(value));
}

function read(response: ServerResponse): void {
  if (answer.status !== 304) return sendJson(response, 200, answer.value);
  response.statusCode = 304;
  response.setHeader("etag", answer.etag);
  response.end();
}

function write(request: IncomingMessage, response: ServerResponse): void {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (part: string) => {
    text += part;
  });
  request.on("end", () => {
    const body = JSON.parse(text) as object; // the bench sends nothing but objects
    if (request.method === "POST") sendJson(response, 201, body);
    else sendJson(response, 200, Object.assign({}, answer.value, body));
  });
}

serveBare(
  (next) => {
    answer = next;
  },
  (request, response) => {
    if (request.method === "GET") read(response);
    else write(request, response);
  },
);
