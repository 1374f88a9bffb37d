/**
 * Every reach into what node keeps to itself: fields that its documentation does not name, used
 * because they save a quarter of what a read costs, or because there is no other way. Each looks
 * first whether the field is there and nobody else has a hand in it, and says or does the same by
 * documented means where not; a node without them is served as well, only slower.
 *
 * NODE_INTERNALS=off in the environment leaves them all alone: for those who preload
 * instrumentation that wants to see every call, and for the tests, which run with it too.
 */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createRequire } from "node:module";

/**
 * node:http, by require. An `import` of it would read each of its exports, and one of them,
 * WebSocket, loads the whole of fetch's client: from Node 22 on a fifth of the start.
 */
export const http: typeof import("node:http") = createRequire(import.meta.url)("node:http");

const isOn = process.env["NODE_INTERNALS"] !== "off";

/**
 * A client that has sent its request and closed its side (nc -N) still gets its answer. There are
 * no documented means to that: without, it gets those alone that are made at once.
 */
export function allowHalfOpen(server: Server): void {
  if (isOn && "httpAllowHalfOpen" in server) server.httpAllowHalfOpen = true;
}

/** The fields of a request's stream; newer nodes set them too, asked by `optimizeEmptyRequests`. */
interface RequestInternals {
  _dumped: boolean;
  readonly _readableState: {
    ended: boolean;
    endEmitted: boolean;
    destroyed: boolean;
    closed: boolean;
    closeEmitted: boolean;
  };
}

/**
 * Ends the stream of a request whose body does not come, or has been taken whole. Node would
 * resume, end and destroy it in five ticks of its own, 7 % of a read's time; it still does where
 * somebody waits for that.
 */
export function endStream(request: IncomingMessage): void {
  const isAwaited = request.listenerCount("end") + request.listenerCount("close") > 0;
  if (!isOn || isAwaited || !hasInternals(request)) return void request.resume();
  try {
    const state = request._readableState;
    request._dumped = true;
    state.ended = true;
    state.endEmitted = true;
    state.destroyed = true;
    state.closed = true;
    state.closeEmitted = true;
  } catch {
    // Frozen: node's own way then, as far as it goes.
    request.resume();
  }
}

function hasInternals(request: IncomingMessage): request is IncomingMessage & RequestInternals {
  return "_dumped" in request && "_readableState" in request;
}

/** Node has it under two names, of which those who wrap it know one. */
const { writeHead, writeHeader }: Partial<Record<string, unknown>> = {
  ...http.ServerResponse.prototype,
};

/**
 * Gives an answer its header, and a body behind it, as the text that goes over the wire: by
 * writeHead and end(body) node looks at each field again and hands the socket two pieces to gather,
 * which is a fifth of what a read costs. False: it has to be done that way after all, for example
 * because a module that was loaded before wants to be told of the header, or has added to it.
 */
export function setHeadText(response: ServerResponse, status: number, text: string): boolean {
  if (!isOn || response.writeHead !== writeHead || writeHead !== writeHeader) return false;
  if (!("_header" in response) || response.getHeaderNames().length > 0) return false;
  response.statusCode = status;
  response._header = text;
  return response.headersSent;
}
