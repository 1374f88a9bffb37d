/**
 * The order of things on one connection (RFC 9112 section 9.3.2): requests that a client pipelines
 * are carried out one after the other, and what is no HTTP is answered once, in its turn, with the
 * connection closed behind it.
 */

import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { Problem } from "../problem.ts";

/** What waits on a connection; `done` is called once its answer is given. */
type Turn = (done: () => void) => void;

interface Connection {
  /** Turns that wait; undefined while nothing is being answered. */
  waiting: Turn[] | undefined;
  /** Fails the body that is being read or dropped, if one is. */
  failBody: ((problem: Problem) => void) | undefined;
  isBroken: boolean;
}

export type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
) => void;

/** A refusal of node's HTTP parser as bytes on the wire, and for the log. */
export type AnswerBroken = (problem: Problem) => {
  readonly headers: readonly string[];
  readonly body: string;
};

const connections = new WeakMap<Duplex, Connection>();

/** Feeds a server's requests, in order, to `serve`. */
export function serveInOrder(server: Server, serve: Serve, answerBroken: AnswerBroken): void {
  const take = (expects: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(request.socket);
    if (connection.isBroken) return;
    inTurn(connection, (done) => {
      response.once("close", done);
      serve(request, response, expects);
    });
  };
  server.on("request", take(false));
  server.on("checkContinue", take(true));
  // Other expectations may be ignored: RFC 9110 section 10.1.1.
  server.on("checkExpectation", take(false));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    refuse(socket, parserProblem(error), answerBroken);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    const problem = new Problem("method-not-allowed", "CONNECT is for proxies; this is none");
    refuse(socket, problem, answerBroken);
  });
}

/**
 * Tells the listener when the rest of this request's body turns out to be no HTTP, which then gets
 * no answer of its own. Returns how to stop listening.
 */
export function onBrokenBody(
  { socket }: IncomingMessage,
  listener: (problem: Problem) => void,
): () => void {
  const connection = connectionOf(socket);
  connection.failBody = listener;
  return () => {
    connection.failBody = undefined;
  };
}

function connectionOf(socket: Duplex): Connection {
  let connection = connections.get(socket);
  if (connection === undefined) {
    connection = { waiting: undefined, failBody: undefined, isBroken: false };
    connections.set(socket, connection);
  }
  return connection;
}

function inTurn(connection: Connection, turn: Turn): void {
  if (connection.waiting !== undefined) {
    connection.waiting.push(turn);
    return;
  }
  connection.waiting = [];
  turn(() => {
    const next = connection.waiting?.shift();
    const rest = connection.waiting ?? [];
    connection.waiting = undefined;
    if (next === undefined) return;
    inTurn(connection, next);
    connection.waiting = rest;
  });
}

function refuse(socket: Duplex, problem: Problem | undefined, answer: AnswerBroken): void {
  const connection = connectionOf(socket);
  if (connection.isBroken) return;
  connection.isBroken = true;
  if (problem === undefined || !socket.writable) {
    socket.destroy();
    return;
  }
  if (connection.failBody !== undefined) {
    connection.failBody(problem);
    return;
  }
  inTurn(connection, () => {
    if (!socket.writable) return;
    const { headers, body } = answer(problem);
    const lines = [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`];
    for (let index = 0; index < headers.length; index += 2) {
      lines.push(`${headers[index]}: ${headers[index + 1]}`);
    }
    socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  });
}

/** Undefined: the connection itself is gone, and there is nobody to answer. */
function parserProblem(error: NodeJS.ErrnoException): Problem | undefined {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return new Problem(
        "headers-too-large",
        "expected at most 16 KiB of request line and header fields, got more",
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Problem("request-timeout", "expected the whole request sooner");
    default:
      return error.code?.startsWith("HPE_") === true
        ? new Problem("malformed-request", `expected HTTP/1.1 (RFC 9112), got: ${reasonOf(error)}`)
        : undefined;
  }
}

/** llhttp's own words, which quote nothing of what was sent. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const reason: unknown = "reason" in error ? error.reason : undefined;
  return typeof reason === "string" && reason !== "" ? reason : "something else";
}
