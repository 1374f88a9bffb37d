/**
 * The load generator, a process of its own: raw sockets with keep-alive, a closed loop on each
 * connection, and no more of HTTP than finding where an answer ends, so that a request costs it
 * far less than it costs the server. A LoadJob comes in by IPC, a LoadReply goes back.
 */

import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { Latencies, quantile } from "./latencies.ts";
import type { LoadJob, LoadReply, LoadRequest, LoadResult, RequestClass } from "./load-job.ts";
import { cpuMicros } from "./process-cpu.ts";
import { ResponseReader } from "./response-reader.ts";

interface PreparedRequest {
  readonly bytes: Buffer;
  readonly status: number;
  readonly class: RequestClass;
}

// One for all sockets: a read's bytes are used up before the next read starts. Large, because a
// long list read in pieces of 64 KiB costs the generator more than it costs the server.
const received = Buffer.allocUnsafe(1 << 20);

class Load {
  readonly latencies: Readonly<Record<RequestClass, Latencies>> = {
    read: new Latencies(),
    write: new Latencies(),
  };
  readonly firstBytes = new Latencies();
  readonly finished: Promise<void>;
  deadline = 0;
  #open: number;
  #finish!: () => void;
  #fail!: (cause: Error) => void;

  constructor(connections: number) {
    this.#open = connections;
    this.finished = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
  }

  closed(): void {
    if (--this.#open === 0) this.#finish();
  }

  fail(message: string): void {
    this.#fail(new Error(message));
  }
}

class Connection {
  readonly socket: Socket;
  readonly #load: Load;
  readonly #lane: readonly PreparedRequest[];
  readonly #reader = new ResponseReader();
  #next = 0;
  #current!: PreparedRequest;
  #sentAt = 0;
  #firstByteAt = 0;

  constructor(load: Load, port: number, lane: readonly LoadRequest[]) {
    this.#load = load;
    this.#lane = lane.map(prepare);
    const callback = (length: number): boolean => this.#receive(length);
    const onread = { buffer: received, callback };
    this.socket = connect({ host: "127.0.0.1", port, noDelay: true, onread });
    this.socket.on("error", (cause) => load.fail(`a connection failed: ${cause.message}`));
    this.socket.on("end", () => load.fail("the server closed a connection under load"));
  }

  send(now: number): void {
    this.#current = this.#lane[this.#next]!; // #next stays below the lane's length, which is not 0
    this.#next = (this.#next + 1) % this.#lane.length;
    this.#sentAt = now;
    this.#firstByteAt = 0;
    this.socket.write(this.#current.bytes);
  }

  #receive(length: number): boolean {
    const now = performance.now();
    if (this.#firstByteAt === 0) this.#firstByteAt = now;
    const status = this.#reader.push(received, length);
    if (status !== 0) this.#complete(status, length, now);
    return true;
  }

  #complete(status: number, length: number, now: number): void {
    if (status !== this.#current.status) return this.#refuse(status, length);
    this.#load.latencies[this.#current.class].add(now - this.#sentAt);
    this.#load.firstBytes.add(this.#firstByteAt - this.#sentAt);
    if (now < this.#load.deadline) this.send(now);
    else this.#load.closed();
  }

  #refuse(status: number, length: number): void {
    const request = this.#current.bytes.toString("latin1").split("\r\n", 1)[0];
    const answer = received.toString("utf8", 0, Math.min(length, 2000));
    this.#load.fail(`${request}: expected ${this.#current.status}, got ${status}\n${answer}`);
  }
}

function prepare({ text, status, class: requestClass }: LoadRequest): PreparedRequest {
  return { bytes: Buffer.from(text, "latin1"), status, class: requestClass };
}

async function run(job: LoadJob): Promise<LoadResult> {
  const load = new Load(job.lanes.length);
  const connections = job.lanes.map((lane) => new Connection(load, job.port, lane));
  try {
    const connected = connections.map(({ socket }) => once(socket, "connect"));
    await Promise.race([Promise.all(connected), load.finished]);
    return await measure(job, load, connections);
  } finally {
    for (const { socket } of connections) socket.destroy();
  }
}

async function measure(
  job: LoadJob, load: Load, connections: readonly Connection[],
): Promise<LoadResult> {
  const serverBefore = cpuMicros(job.pid);
  const ownBefore = process.cpuUsage();
  const start = performance.now();
  load.deadline = start + job.milliseconds;
  for (const connection of connections) connection.send(performance.now());
  await load.finished;
  const seconds = (performance.now() - start) / 1000;
  const own = process.cpuUsage(ownBefore);
  const server = cpuMicros(job.pid) - serverBefore;
  return summarize(load, seconds, server, (own.user + own.system) / 1e6);
}

function summarize(
  load: Load, seconds: number, serverMicros: number, ownSeconds: number,
): LoadResult {
  const { read, write } = load.latencies;
  const readP99 = quantile(read.ascending(), 0.99);
  const requests = read.count + write.count;
  read.addAll(write);
  const all = read.ascending();
  return {
    requests,
    perSecond: requests / seconds,
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
    readP99,
    firstByteP50: quantile(load.firstBytes.ascending(), 0.5),
    cpuMicros: serverMicros / requests,
    generatorBusy: ownSeconds / seconds,
  };
}

process.on("message", (job: LoadJob) => {
  const reply = (message: LoadReply): void => void process.send?.(message);
  run(job).then(
    (result) => reply({ result }),
    (cause: Error) => reply({ failure: cause.message }),
  );
});
// The bench is gone, however it went: so is the reason to load anything.
process.on("disconnect", () => process.exit());
