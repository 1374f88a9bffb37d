/** The workloads, as rows: what is asked, over how many connections, and what is wanted of it. */

import { newOrderBody, orderId } from "./fixture.ts";
import type { LoadRequest } from "./load-job.ts";

/** Bounds on a ratio to the naive server; of throughput at least, of CPU and p99 at most. */
export interface Wanted {
  readonly throughput?: number;
  readonly cpu?: number;
  readonly readP99?: number;
  /** Milliseconds to the first byte on an otherwise idle server. */
  readonly firstByte?: number;
}

export interface LaneContext {
  readonly lane: number;
  readonly round: number;
  readonly token: string;
  /** The ETag of the fixture's order with that index, for those that a lane of its own asks for. */
  etag(orderIndex: number): string;
}

export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** The GET whose answer the bare servers give. */
  readonly model: string;
  readonly conditional?: boolean;
  readonly writes: boolean;
  readonly requests: (context: LaneContext) => LoadRequest[];
  readonly wanted: Wanted;
}

/** So many connections that the server always has the next request at hand, and no more. */
const busy = 64;

const order = `/api/orders/${orderId(1)}`;

export const workloads: readonly Workload[] = [
  {
    name: "read-one", title: "read one order", connections: busy, model: order, writes: false,
    requests: ({ lane }) => several(16, (n) => get(`/api/orders/${orderId(lane * 16 + n)}`)),
    wanted: { throughput: 1.2, cpu: 0.85 },
  },
  {
    name: "not-modified", title: "conditional read, 304", connections: busy, model: order,
    conditional: true, writes: false,
    requests: ({ lane, etag }) => [conditionalGet(`/api/orders/${orderId(lane)}`, etag(lane))],
    wanted: { throughput: 1.2, cpu: 0.85 },
  },
  {
    name: "list-50", title: "list of 50 menu items", connections: busy, model: "/api/beverages",
    writes: false,
    requests: () => [get("/api/beverages")],
    wanted: { throughput: 2, cpu: 0.5 },
  },
  {
    name: "page-50", title: "page of 50 orders", connections: busy, model: "/api/orders?limit=50",
    writes: false,
    requests: () => [get("/api/orders?limit=50")],
    wanted: { throughput: 3.4, cpu: 0.3 },
  },
  {
    name: "list-10000", title: "list of 10,000 orders", connections: 4, model: "/api/orders",
    writes: false,
    requests: () => [get("/api/orders")],
    wanted: { throughput: 27, cpu: 0.04, firstByte: 5 },
  },
  {
    name: "create-1", title: "durable create, 1 connection", connections: 1, model: order,
    writes: true, requests: creates, wanted: { throughput: 0.33 },
  },
  {
    name: "create-64", title: "durable create, 64 connections", connections: 64, model: order,
    writes: true, requests: creates, wanted: { throughput: 0.85, cpu: 1.2 },
  },
  {
    name: "create-256", title: "durable create, 256 connections", connections: 256, model: order,
    writes: true, requests: creates, wanted: { throughput: 0.85, cpu: 1.2 },
  },
  {
    name: "status-change", title: "durable status change, 64 connections", connections: 64,
    model: order, writes: true, requests: statusChanges, wanted: { throughput: 0.85, cpu: 1.2 },
  },
  {
    name: "mix", title: "9 reads to 1 durable create", connections: busy, model: order,
    writes: true, requests: mixed, wanted: { throughput: 1.25, cpu: 1, readP99: 1 },
  },
];

function creates({ lane, token }: LaneContext): LoadRequest[] {
  return several(4, (n) => create(newOrderBody(lane + n, "Preparing"), token));
}

/**
 * Every lane has orders of its own and each request changes one: two statuses in turn, and other
 * two in the next round, since an update that changes nothing is not written.
 */
function statusChanges({ lane, round, token }: LaneContext): LoadRequest[] {
  const [there, back] = round % 2 === 0 ? ["Ready", "Preparing"] : ["Pending", "Out for Delivery"];
  const path = (n: number): string => `/api/orders/${orderId(lane * 8 + n)}`;
  return [
    ...several(8, (n) => patch(path(n), JSON.stringify({ status: there }), token)),
    ...several(8, (n) => patch(path(n), JSON.stringify({ status: back }), token)),
  ];
}

/** The lanes create at different turns, as strangers would, not all of them at once. */
function mixed(context: LaneContext): LoadRequest[] {
  const { lane, token } = context;
  return several(10, (n) =>
    n === lane % 10
      ? create(newOrderBody(lane, "Preparing"), token)
      : get(`/api/orders/${orderId(lane * 16 + n)}`),
  );
}

function several(count: number, make: (index: number) => LoadRequest): LoadRequest[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function get(path: string): LoadRequest {
  return { text: `GET ${path} HTTP/1.1\r\nHost: forno\r\n\r\n`, status: 200, class: "read" };
}

function conditionalGet(path: string, etag: string): LoadRequest {
  const text = `GET ${path} HTTP/1.1\r\nHost: forno\r\nIf-None-Match: ${etag}\r\n\r\n`;
  return { text, status: 304, class: "read" };
}

export function create(body: string, token: string): LoadRequest {
  return { text: withBody("POST /api/orders", body, token), status: 201, class: "write" };
}

function patch(path: string, body: string, token: string): LoadRequest {
  return { text: withBody(`PATCH ${path}`, body, token), status: 200, class: "write" };
}

function withBody(start: string, body: string, token: string): string {
  const fields = [
    "Host: forno",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return `${start} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n${body}`;
}
