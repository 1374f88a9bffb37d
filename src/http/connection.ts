/**
 * One connection: whose turn it is on it, what is done with what is no HTTP, and when it closes.
 *
 * Promises (contract part 3, RFC 9112 section 9.3.2): answers come in the order of their requests.
 * What a client pipelines behind a request that is still being answered is not carried out: the
 * connection closes after that answer, which says so where its header is not sent yet; a stream of
 * events ends. What the parser refuses is answered once, in its turn, and the connection closed.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Problem } from "../problems/problem.ts";
import type { BodyLimits } from "./body.ts";
import { Exchange } from "./exchange.ts";
import { endsTooEarly, malformed } from "./parser-refusals.ts";

export interface ConnectionOptions {
  readonly bodyLimits: BodyLimits;
  /** Answers a request, now or later. Throws nothing. */
  serve(exchange: Exchange): void;
  /** The answer to what the parser refuses, as it goes over the wire. */
  refusalText(problem: Problem): string;
}

/** In how many looks a connection may stay unchanged. */
export const looksUnchanged = 5;
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
export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  /** The last of the requests that were carried out. */
  #last: Exchange | undefined;
  /** What the parser has refused: nothing more comes. */
  #refusal: Problem | undefined;
  #waiting = 0;
  /** What it had carried, both ways, at the last look, and in how many looks that has not changed. */
  #bytes = 0;
  #looks = 0;
  readonly #goOn = (): void => this.#afterAnswer();

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    // Node takes its own listener off when it hands a socket over, for an upgrade or CONNECT.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#setWaiting(0));
  }

  /** A request has come. */
  take(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    if (!this.#isFree()) return;
    const { bodyLimits, serve } = this.#options;
    const exchange = new Exchange(request, response, bodyLimits, expectsContinue);
    exchange.closes = !response.shouldKeepAlive;
    this.#last = exchange;
    serve(exchange);
    // Most reads are answered by now: a listener each would cost them 3 %.
    if (response.writableEnded) return;
    response.on("close", this.#goOn);
    // Where an upgrade is offered, llhttp does not say that the body is cut short.
    if (exchange.fields.upgrade === undefined) return;
    this.#socket.once("end", () => {
      if (!request.complete) this.refuse(malformed(endsTooEarly));
    });
  }

  /**
   * Whether what has come may be carried out. Where an answer under way is in the way, the
   * connection closes after that.
   */
  #isFree(): boolean {
    if (this.#refusal !== undefined || !this.#socket.writable) return false;
    const last = this.#last;
    if (last === undefined || isSent(last)) {
      if (this.#waiting > 0) this.#setWaiting(0);
    } else {
      this.#setWaiting(this.#waiting + 1);
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
    exchange.closes = true;
    if (exchange.isEndless) exchange.response.end();
    // What follows is dropped as it comes, not parsed. Were it left unread, the kernel would reset
    // the connection when it closes, and the client might not see the answer.
    this.#socket.removeAllListeners("data").on("data", drop);
  }

  #afterAnswer(): void {
    const last = this.#last;
    // A quick client's next request may have come before node told of the end of this answer.
    if (last !== undefined && !isSent(last)) return;
    if (this.#refusal !== undefined) this.#sendRefusal(this.#refusal);
    else if (last?.closes === true) this.#socket.destroySoon();
  }

  /** The parser can go on no further. Undefined: the connection itself has failed. */
  refuse(problem: Problem | undefined): void {
    const last = this.#last;
    if (problem === undefined || !this.#socket.writable) {
      this.#socket.destroy();
    } else if (last !== undefined && !isEnded(last) && !last.request.complete) {
      // A body that is complete, though not yet read, was in order: what is broken came after it.
      last.body.fail(problem);
    } else if (this.#refusal === undefined && last?.closes !== true) {
      this.#refusal = problem;
      if (last === undefined || isSent(last)) this.#sendRefusal(problem);
      else if (isEnded(last)) last.response.on("close", this.#goOn);
    }
  }

  #sendRefusal(problem: Problem): void {
    const socket = this.#socket;
    if (!socket.writable) return;
    socket.end(this.#options.refusalText(problem), () => socket.destroy());
  }

  /**
   * CONNECT has come, or an offer to upgrade, and node's parser has let go of the socket. The
   * connection is of no more use to an answer that goes on, which nobody would tell any more that
   * the client has taken what it was given.
   */
  takeHandedOver(goOn: (socket: Socket) => void): void {
    const last = this.#last;
    if (!this.#isFree()) {
      if (last?.response.headersSent === true && !isEnded(last)) this.#socket.destroy();
    } else if (last !== undefined && !isSent(last)) {
      last.response.on("close", () => goOn(this.#socket));
    } else {
      goOn(this.#socket);
    }
  }

  /** Whether it has never been asked for anything. */
  get isUnused(): boolean {
    return this.#socket.bytesRead === 0;
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
    if (this.#last?.closes === false && isSent(this.#last)) {
      this.#last = undefined;
      this.#setWaiting(0);
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

function drop(): void {}

/**
 * Whether the client may have its answer. One whose body nobody has read gets that before the
 * answer is ended, and goes on behind its body, of which node tells only later that it has come.
 */
function isAnswered(exchange: Exchange): boolean {
  return isEnded(exchange) || (exchange.awaitsRest && exchange.request.complete);
}

/** Whether nothing is to be added to the answer. */
function isEnded({ response }: Exchange): boolean {
  return response.writableEnded;
}

/** Whether nothing of it is left to be sent, either. */
function isSent({ response }: Exchange): boolean {
  return response.writableFinished;
}
