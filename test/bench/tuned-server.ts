/**
 * The limit of node:http for reads: bytes made once, one writeHead with a prebuilt array, no Date,
 * nothing about the connection, one end.
 */

import { type BareAnswer, serveBare } from "./bare-server.ts";

let status = 200;
let headers: string[] = [];
let body: string | Buffer | undefined;

function prepare(answer: BareAnswer): void {
  const bytes = Buffer.from(answer.body);
  // A short string goes out in one piece with the head; a long one would be encoded every time.
  body = bytes.length < 16_384 && bytes.length === answer.body.length ? answer.body : bytes;
  status = answer.status;
  headers =
    status === 304
      ? ["ETag", answer.etag]
      : ["Content-Type", answer.contentType, "Content-Length", String(bytes.length)];
}

serveBare(prepare, (_request, response) => {
  response.sendDate = false;
  response.removeHeader("connection");
  response.writeHead(status, headers);
  if (status === 304) response.end();
  else response.end(body, "latin1");
});
