/**
 * The order of things on one connection (RFC 9112 section 9.3.2): requests that a client pipelines
 * are carried out one after the other, and what is no HTTP is answered once, in its turn, with the
 * connection closed after it.
 */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { Problem } from "../problems/problem.ts";

interface Connection {
  /** What comes next, in order, once what is being answered is over. */
  readonly waiting: (() => void)[];
  /** Whether something is being answered. Only then does anything wait. */
  isBusy: boolean;
  /** The body that is being read or dropped, if one is, and how to fail it. */
  body: { readonly request: IncomingMessage; fail(problem: Problem): void } | undefined;
  /** What the parser has refused something with: nothing more comes. */
  refusal: Problem | undefined;
  /** An answer has said that the connection closes after it. */
  isClosing: boolean;
  /** Whether reading is paused, because `waitingLimit` requests wait. */
  isHeldBack: boolean;
}

/**
 * How many requests may wait; what comes beyond them stays with the client. Node stops reading from
 * a client that does not take its answers, but not while an event stream, which never ends, is
 * being answered.
 */
const waitingLimit = 64;

/**
 * And in all connections together: one piece from a socket can hold thousands of requests, which
 * are parsed before reading can be paused, and take 2 kB of memory each.
 */
const allWaitingLimit = 20_000;
let allWaiting = 0;

/** Bytes of request line and header fields, as node counts them. */
export const headerBytesLimit = 16_384;

/** Answers one request, now or later. */
export type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
) => void;

/** The answer to what node's HTTP parser refuses, as it goes over the wire. */
export type RefusalText = (problem: Problem) => string;

const connections = new WeakMap<Duplex, Connection>();

/** Feeds a server's requests, in order, to `serve`. */
export function serveInOrder(server: Server, serve: Serve, refusalText: RefusalText): void {
  // A client that has sent its request and closed its side (nc -N) still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const take = (expects: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(request.socket);
    if (connection.isBusy && allWaiting >= allWaitingLimit) return void request.socket.destroy();
    inTurn(connection, () => answer(connection, request, response, expects, serve));
    holdBack(connection, request.socket);
  };
  server.on("request", take(false));
  server.on("checkContinue", take(true));
  // Other expectations may be ignored: RFC 9110 section 10.1.1.
  server.on("checkExpectation", take(false));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    refuse(socket, parserProblem(error, server.headersTimeout), refusalText);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    // Node has taken its own listener off: without one, a reset would end the process.
    socket.on("error", () => socket.destroy());
    const detail = "CONNECT is for proxies, and this is not one";
    const problem = new Problem("method-not-allowed", detail, {
      // RFC 9110 section 10.2.1: there is no method that what it names allows.
      headers: { Allow: "" },
    });
    refuse(socket, problem, refusalText);
  });
}

/**
 * Tells the listener when the rest of this request's body turns out to be no HTTP, which then gets
 * no answer of its own. Returns how to stop listening.
 */
export function onBrokenBody(
  request: IncomingMessage,
  listener: (problem: Problem) => void,
): () => void {
  const connection = connectionOf(request.socket);
  const { refusal } = connection;
  // It has turned out already, before anybody asked for the body.
  if (refusal !== undefined && !request.complete) queueMicrotask(() => listener(refusal));
  connection.body = { request, fail: listener };
  return () => {
    connection.body = undefined;
  };
}

/** What follows on this request's connection is not carried out: its answer closes it. */
export function closeAfterAnswer({ socket }: IncomingMessage): void {
  connectionOf(socket).isClosing = true;
}

function connectionOf(socket: Duplex): Connection {
  let connection = connections.get(socket);
  if (connection === undefined) {
    connection = {
      waiting: [],
      isBusy: false,
      body: undefined,
      refusal: undefined,
      isClosing: false,
      isHeldBack: false,
    };
    connections.set(socket, connection);
  }
  return connection;
}

function inTurn(connection: Connection, turn: () => void): void {
  if (!connection.isBusy) return turn();
  connection.waiting.push(turn);
  allWaiting += 1;
}

function holdBack(connection: Connection, socket: Duplex): void {
  if (connection.isHeldBack || connection.waiting.length < waitingLimit) return;
  connection.isHeldBack = true;
  // Node reads on whenever it is asked for a body, though it has all of that.
  socket.on("resume", pauseAgain);
  // Not at once: node reads on at the end of each request that came in the same piece.
  process.nextTick(() => {
    if (connection.isHeldBack) socket.pause();
  });
}

function pauseAgain(this: Duplex): void {
  this.pause();
}

function readOn(connection: Connection, socket: Duplex): void {
  if (!connection.isHeldBack || connection.waiting.length >= waitingLimit) return;
  connection.isHeldBack = false;
  socket.off("resume", pauseAgain);
  socket.resume();
}

/** A loop, because thousands of requests may have been pipelined that are answered at once. */
function goOn(connection: Connection): void {
  connection.isBusy = false;
  while (!connection.isBusy) {
    const turn = connection.waiting.shift();
    if (turn === undefined) return;
    allWaiting -= 1;
    turn();
  }
}

function answer(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  expects: boolean,
  serve: Serve,
): void {
  // RFC 9112 section 9.6: nothing after the request that closes the connection.
  if (connection.isClosing || !request.socket.writable) return;
  // Its body is what was refused, and that is answered next.
  if (connection.refusal !== undefined && !request.complete) return;
  if (!response.shouldKeepAlive) connection.isClosing = true;
  serve(request, response, expects);
  // Most reads are answered by now: a "close" listener each would cost them 3 %.
  if (response.writableEnded) return;
  connection.isBusy = true;
  response.once("close", () => {
    goOn(connection);
    readOn(connection, request.socket);
  });
}

function refuse(
  socket: Duplex,
  problem: Problem | undefined,
  refusalText: RefusalText,
): void {
  const connection = connectionOf(socket);
  if (connection.refusal !== undefined) return;
  if (problem === undefined || !socket.writable) {
    socket.destroy();
    return;
  }
  connection.refusal = problem;
  // A body that is complete, though not yet read, was in order: what is broken came after it.
  if (connection.body?.request.complete === false) {
    connection.body.fail(problem);
    return;
  }
  inTurn(connection, () => {
    connection.isBusy = true;
    if (connection.isClosing || !socket.writable) return;
    socket.end(refusalText(problem), () => socket.destroy());
  });
}

/** Undefined: the connection itself is gone, and there is nobody to answer. */
function parserProblem(
  error: NodeJS.ErrnoException,
  headersTimeoutMs: number,
): Problem | undefined {
  const { code = "" } = error;
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new Problem(
        "headers-too-large",
        `expected at most ${headerBytesLimit / 1_024} KiB of request line and header fields, ` +
          "got more",
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return headerTimeout(headersTimeoutMs);
    default:
      return code.startsWith("HPE_")
        ? new Problem("malformed-request", `expected HTTP/1.1 (RFC 9112), got: ${reasonOf(error)}`)
        : undefined;
  }
}

/** Problem 408 of a header that has not come within `timeoutMs`. */
export function headerTimeout(timeoutMs: number): Problem {
  const detail = `expected request line and header fields within ${timeoutMs / 1_000} s`;
  return new Problem("request-timeout", detail);
}

/** In place of llhttp's own words, where they mean little to those who do not know llhttp. */
const reasons = new Map([
  ["HPE_INVALID_METHOD", "a line that begins with no method that HTTP knows"],
  ["HPE_INVALID_CONSTANT", "a request line that does not end in HTTP/1.1 after one target"],
  ["HPE_INVALID_EOF_STATE", "a request that ends too early"],
  ["HPE_PAUSED_H2_UPGRADE", "HTTP/2"],
]);

/** llhttp's words quote nothing of what was sent. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const reason: unknown = "reason" in error ? error.reason : undefined;
  const own = typeof reason === "string" && reason !== "" ? reason : "something else";
  return reasons.get(error.code ?? "") ?? own;
}
