/**
 * The load, a process of its own: raw sockets, on each one request at a time, and no more of HTTP
 * than where an answer ends, so that a request costs it far less than it costs the server. A job
 * comes in by IPC, its result goes back.
 */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Call } from "./pizzeria.ts";

export interface Job {
  readonly port: number;
  readonly milliseconds: number;
  /** One per connection, which sends its calls in turn, over and over. */
  readonly lanes: readonly (readonly Call[])[];
}

/** Milliseconds from the first byte of a request to the last byte of its answer. */
export interface Result {
  readonly requests: number;
  readonly perSecond: number;
  readonly p99: number;
  /** Share of its time in which the load itself was busy: near 1 it sets the pace. */
  readonly busy: number;
}

const headEnd = Buffer.from("\r\n\r\n");
const lastChunk = Buffer.from("\r\n0\r\n\r\n");

/** Says when an answer is whole: by its length, or by the last chunk, which no JSON text holds. */
class ResponseEnd {
  status = 0;
  #left = 0;
  #isChunked = false;
  #tail: Buffer = Buffer.alloc(0);

  /** Takes what has come; true when that completes an answer. */
  take(bytes: Buffer): boolean {
    const rest = this.status === 0 ? this.#takeHead(Buffer.concat([this.#tail, bytes])) : bytes;
    if (this.status === 0) return false;
    if (!this.#isChunked) return (this.#left -= rest.length) === 0;
    this.#tail = Buffer.concat([this.#tail, rest.subarray(-lastChunk.length)])
      .subarray(-lastChunk.length);
    return this.#tail.equals(lastChunk);
  }

  next(): void {
    this.status = 0;
    this.#tail = Buffer.alloc(0);
  }

  #takeHead(bytes: Buffer): Buffer {
    const end = bytes.indexOf(headEnd);
    this.#tail = Buffer.from(end < 0 ? bytes : []);
    if (end < 0) return bytes;
    const head = bytes.toString("latin1", 0, end + 2);
    this.status = Number(head.slice(9, 12));
    this.#isChunked = /^transfer-encoding: *chunked\r$/im.test(head);
    this.#left = Number(/^content-length: *(\d+)\r$/im.exec(head)?.[1] ?? 0);
    return bytes.subarray(end + headEnd.length);
  }
}

// Shared by all sockets: what was read is used up before the next read.
const received = Buffer.allocUnsafe(1 << 20);

interface Load {
  readonly times: number[];
  deadline: number;
  fail(message: string): void;
  end(): void;
}

function open(load: Load, port: number, lane: readonly Call[]): { socket: Socket; send(): void } {
  const calls = lane.map(({ text, ...call }) => ({ ...call, bytes: Buffer.from(text, "latin1") }));
  const response = new ResponseEnd();
  let index = -1;
  let sentAt = 0;
  const send = (): void => {
    index = (index + 1) % calls.length;
    sentAt = performance.now();
    socket.write(calls[index]!.bytes);
  };
  const callback = (length: number): boolean => {
    if (!response.take(received.subarray(0, length))) return true;
    const now = performance.now();
    const call = calls[index]!;
    if (response.status !== call.status) {
      load.fail(`${call.bytes}\nwas answered with ${received.toString("utf8", 0, length)}`);
    }
    load.times.push(now - sentAt);
    response.next();
    if (now < load.deadline) send();
    else load.end();
    return true;
  };
  const onread = { buffer: received, callback };
  const socket = connect({ host: "127.0.0.1", port, noDelay: true, onread });
  socket.on("error", ({ message }) => load.fail(message));
  socket.on("end", () => load.fail("the server closed a connection"));
  return { socket, send };
}

function p99(times: number[]): number {
  const sorted = Float64Array.from(times).sort();
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
}

async function run({ port, milliseconds, lanes }: Job): Promise<Result> {
  const load: Load = { times: [], deadline: 0, fail: () => {}, end: () => {} };
  const ended = new Promise<void>((resolve, reject) => {
    let running = lanes.length;
    load.end = () => void (--running === 0 && resolve());
    load.fail = (message) => reject(new Error(message));
  });
  const connections = lanes.map((lane) => open(load, port, lane));
  await Promise.all(connections.map(({ socket }) => once(socket, "connect")));
  const begin = performance.now();
  const cpu = process.cpuUsage();
  load.deadline = begin + milliseconds;
  for (const { send } of connections) send();
  await ended;
  const elapsedMs = performance.now() - begin;
  const { user, system } = process.cpuUsage(cpu);
  for (const { socket } of connections) socket.destroy();
  return {
    requests: load.times.length,
    perSecond: (load.times.length * 1_000) / elapsedMs,
    p99: p99(load.times),
    busy: (user + system) / 1_000 / elapsedMs,
  };
}

process.on("message", (job: Job) => void run(job).then((result) => process.send?.(result)));
process.on("disconnect", () => process.exit());
