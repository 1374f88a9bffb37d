/**
 * node:http, by require. An `import` of it would read each of its exports, and one of them,
 * WebSocket, loads the whole of fetch's client: from Node 22 on a fifth of the start.
 */

import { createRequire } from "node:module";

type Http = typeof import("node:http");

const http = createRequire(import.meta.url)("node:http") as Http;

export const createServer: Http["createServer"] = http.createServer;
export const STATUS_CODES: Http["STATUS_CODES"] = http.STATUS_CODES;
export const ServerResponse: Http["ServerResponse"] = http.ServerResponse;
