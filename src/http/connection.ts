/**
 * A server's connections: each is made here, told what comes on it, and dropped when it is idle;
 * whose turn it is on one, what is done with what is no HTTP, and when it closes.
 *
 * Promises (contract part 3, RFC 9112 section 9.3.2): answers come in the order of their requests.
 * What a client pipelines behind a request that is still being answered is not carried out: the
 * connection closes after that answer, which says so where its header is not sent yet; a stream of
 * events ends. What the parser refuses is answered once, in its turn, and the connection closed.
 *
 * Offers to upgrade (RFC 9110 section 7.8: h2c, websocket) are ignored. Node leaves a server two
 * ways. Without a listener for "upgrade" its parser drops what came behind the request in the same
 * piece, and does not say when the body is cut short. With one it hands over the socket and all
 * that came behind the header, which is then given to the parser again, without the offer.
 */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Problem } from "../problems/problem.ts";
import { type BodyLimits, Exchange } from "./exchange.ts";
import { allowHalfOpen } from "./node-internals.ts";
import { endsTooEarly, malformed, parserProblem } from "./parser-refusals.ts";
import { announcesBody, readFields } from "./request-fields.ts";

export interface ConnectionOptions extends BodyLimits {
  /** How long one may carry nothing: it is dropped a tenth to three tenths later. */
  readonly keepAliveMs: number;
  /** Answers a request, now or later. Throws nothing. */
  serve(exchange: Exchange): void;
  /** The answer to what the parser refuses, as it goes over the wire. */
  refusalText(problem: Problem): string;
}

/** In how many looks a connection may stay unchanged. */
const looksUnchanged = 5;
/**
 * For each so many bytes that wait for its client, a connection is given one look more: the whole
 * answer may be one write, which counts as carried at once, however slowly it is read.
 */
const bytesPerLook = 131_072;

/**
 * Requests that came while the one before was not sent, in all connections: a piece from a socket,
 * 64 KiB, may hold thousands, each takes 2 kB of memory, and the client need not read. At the limit
 * connections are cut off, but for those with few.
 */
const allWaitingLimit = 20_000;
const fewWaiting = 64;
let allWaiting = 0;

/** Made when a client has connected, and forgotten when its socket has closed. */
class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  /** The last of the requests that were carried out. */
  #last: Exchange | undefined;
  /** Whether the parser has refused something: nothing more comes. */
  #isRefused = false;
  #waiting = 0;
  /** What it had carried, both ways, at the last look, and for how many that has not changed. */
  #bytes = 0;
  #looks = 0;
  readonly #letOthers = (): void => {
    const socket = this.#socket;
    // Handed over by now, and not to be set going.
    if (socket.listenerCount("data") === 0) return;
    socket.pause();
    setImmediate(() => socket.resume());
  };

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    // Node takes its own listener off when it hands a socket over, for an upgrade or CONNECT.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.#setWaiting(0);
      // A stream that waits behind other answers has no socket yet that would tell it.
      const { response, isEndless } = this.#last ?? {};
      if (isEndless === true && response?.socket === null) response.destroy().emit("close");
    });
  }

  /** A request has come. */
  take(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    if (!this.#isFree()) return;
    const exchange = new Exchange(request, response, this.#options, expectsContinue);
    this.#last = exchange;
    this.#options.serve(exchange);
    // Where an upgrade is offered, llhttp does not say that the body is cut short.
    if (exchange.fields.upgrade === undefined || response.writableEnded) return;
    this.#socket.once("end", () => {
      if (!request.complete) this.refuse(malformed(endsTooEarly));
    });
  }

  /**
   * Whether what has come may be carried out. Where an answer under way is in the way, the
   * connection closes after that.
   */
  #isFree(): boolean {
    if (this.#isRefused || !this.#socket.writable) return false;
    const last = this.#last;
    if (last === undefined || last.response.writableFinished) {
      if (this.#waiting > 0) this.#setWaiting(0);
    } else {
      this.#setWaiting(this.#waiting + 1);
      // Of a client that sends so many at once, one piece is enough for this turn: libuv would read
      // up to 32 in a row. Later than node, which lets the socket go on after each request.
      if (this.#waiting === fewWaiting) queueMicrotask(this.#letOthers);
      if (allWaiting > allWaitingLimit && this.#waiting > fewWaiting) {
        this.#socket.destroy();
        return false;
      }
    }
    // RFC 9112 section 9.6: nothing after the request that closes the connection.
    if (last === undefined || (isAnswered(last) && !last.closes)) return true;
    this.#closeAfter(last);
    return false;
  }

  #setWaiting(count: number): void {
    allWaiting += count - this.#waiting;
    this.#waiting = count;
  }

  #closeAfter(exchange: Exchange): void {
    // An answer whose header is not sent yet will say so, and node then closes the connection.
    if (!exchange.closes) exchange.response.once("close", () => this.#socket.destroySoon());
    exchange.closes = true;
    if (exchange.isEndless) exchange.response.end();
    // What follows is dropped as it comes, not parsed. Were it left unread, the kernel would reset
    // the connection when it closes, and the client might not see the answer.
    this.#socket.removeAllListeners("data").on("data", () => {});
  }

  /** The parser can go on no further. Undefined: the connection itself has failed. */
  refuse(problem: Problem | undefined): void {
    const last = this.#last;
    if (problem === undefined || !this.#socket.writable) {
      this.#socket.destroy();
    } else if (last !== undefined && !last.response.writableEnded && !last.request.complete) {
      // A body that is complete, though not yet read, was in order: what is broken came after it.
      last.body?.fail(problem);
    } else if (!this.#isRefused && last?.closes !== true) {
      this.#isRefused = true;
      if (last === undefined || last.response.writableFinished) this.#sendRefusal(problem);
      else last.response.once("close", () => this.#sendRefusal(problem));
    }
  }

  #sendRefusal(problem: Problem): void {
    const socket = this.#socket;
    if (!socket.writable) return;
    socket.end(this.#options.refusalText(problem), () => socket.destroy());
  }

  /**
   * CONNECT has come, or an offer to upgrade, and node's parser has let go of the socket: an answer
   * that goes on is told here that the client has taken what it was given.
   */
  takeHandedOver(goOn: (socket: Socket) => void): void {
    const last = this.#last;
    if (!this.#isFree()) {
      if (last !== undefined) this.#socket.on("drain", () => last.response.emit("drain"));
    } else if (last !== undefined && !isDone(last)) {
      last.response.on("close", () => goOn(this.#socket));
    } else {
      goOn(this.#socket);
    }
  }

  /** Destroys the socket where nothing has ever been asked. */
  dropUnused(): void {
    if (this.#socket.bytesRead === 0) this.#socket.destroy();
  }

  /**
   * Destroys the socket when it has carried nothing in so many looks; one that holds a long answer,
   * not before that could have been read at 6 KiB a second.
   */
  look(): void {
    const socket = this.#socket;
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (bytes === this.#bytes) this.#looks += 1;
    else this.#looks = 0;
    this.#bytes = bytes;
    if (this.#looks > looksUnchanged + socket.writableLength / bytesPerLook) socket.destroy();
    // An idle connection needs no memory of its last request.
    if (this.#last?.closes === false && this.#last.response.writableFinished) {
      this.#last = undefined;
      this.#setWaiting(0);
    }
  }
}

/**
 * Whether the client may have its answer. One whose body nobody has read gets that before the
 * answer is ended, and goes on behind its body, of which node tells only later that it has come.
 */
function isAnswered({ request, response, body }: Exchange): boolean {
  return response.writableEnded || (body?.isDropped === true && request.complete);
}

/** Whether node has let go of it too: until then another parser's answers would wait for ever. */
function isDone({ response }: Exchange): boolean {
  return response.writableFinished && response.socket === null;
}

/** Those that a server has open, from now on. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Map<Duplex, Connection>();

  constructor(server: Server, options: ConnectionOptions) {
    this.#server = server;
    allowHalfOpen(server);
    server.on("connection", (socket: Socket) => {
      // Given to the parser once more: it has offered an upgrade.
      if (this.#open.has(socket)) return;
      this.#open.set(socket, new Connection(socket, options));
      socket.once("close", () => this.#open.delete(socket));
    });
    const take = (expects: boolean) => (request: IncomingMessage, response: ServerResponse) =>
      this.#open.get(request.socket)?.take(request, response, expects);
    server.on("request", take(false));
    server.on("checkContinue", take(true));
    // Other expectations may be ignored: RFC 9110 section 10.1.1.
    server.on("checkExpectation", take(false));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      this.#open.get(socket)?.refuse(parserProblem(error, server.headersTimeout));
    });
    server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
      const connection = this.#open.get(socket);
      connection?.takeHandedOver(() => connection.refuse(connectProblem()));
    });
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, behind: Buffer) => {
      this.#open.get(socket)?.takeHandedOver((own) => {
        if (own.destroyed) return;
        // Makes node read on where it had stopped because answers piled up.
        own.push("");
        own.unshift(withoutUpgrade(request, behind));
        server.emit("connection", own);
      });
    });
    // From time to time, because a timer for each connection, which node would set again with every
    // read and write, takes 5 % of a read's time.
    const everyMs = (options.keepAliveMs * 1.1) / (looksUnchanged + 1);
    const timer = setInterval(() => {
      for (const connection of this.#open.values()) connection.look();
    }, everyMs).unref();
    server.once("close", () => clearInterval(timer));
  }

  /**
   * Accepts no new connections. Resolves when all are closed, the last of them by force after
   * `graceMs`.
   */
  close(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      // Node's closeAllConnections leaves out those that it has handed over, for an upgrade.
      const impatience = setTimeout(() => {
        for (const socket of this.#open.keys()) socket.destroy();
      }, graceMs);
      this.#server.close(() => {
        clearTimeout(impatience);
        resolve();
      });
      // Those that have never asked for anything, which node does not call idle.
      for (const connection of this.#open.values()) connection.dropUnused();
    });
  }
}

function connectProblem(): Problem {
  // RFC 9110 section 10.2.1: there is no method that what it names allows.
  const headers = { Allow: "" };
  const detail = "CONNECT is for proxies, and this is not one";
  return new Problem("method-not-allowed", detail, { headers });
}

/**
 * Whether node is to hand over the socket, where it asks. From 25 on it keeps the body to itself
 * when it does: requests with one are better served by the parser, on a connection that closes.
 */
export function handsOver({ rawHeaders }: IncomingMessage): boolean {
  return Number.parseInt(process.versions.node) < 25 || !announcesBody(readFields(rawHeaders));
}

/** The request as it came, but for its offer, and what came behind its header. */
function withoutUpgrade(request: IncomingMessage, behind: Buffer): Buffer {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (/^upgrade$/i.test(name)) continue;
    const isOptions = /^connection$/i.test(name);
    lines.push(`${name}: ${isOptions ? value.replaceAll(/\bupgrade\b/gi, "") : value}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), behind]);
}
