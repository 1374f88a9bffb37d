/**
 * What one client's requests cost the others: `node dist-test/bench/hold-ups.js [orders]`. While
 * one connection asks everything that is long in all, a second one asks /healthz again and again:
 * the longest wait for an answer is printed for each question, and then the memory that readers
 * cost who do not read. On a store of 1,000,000 orders unless another number is given.
 */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { newOrderBody, orderId, seededFolder } from "./fixture.ts";
import { cpuMicros, mainThreadMicros, residentBytes } from "./process-cpu.ts";
import { progress } from "./progress.ts";
import { type Contender, Servers, staffToken } from "./servers.ts";
import { create } from "./workloads.ts";
import { Workspace } from "./workspace.ts";

const rounds = 3;
const readers = 2_000;
/** About what one read from a socket holds. */
const pipelineBytes = 65_536;

interface Question {
  readonly title: string;
  readonly bytes: string;
  /** The answer ends with the connection, or, where it has no end, with this. */
  readonly until?: string;
}

/** What the asking thread is told; it answers when the whole answer has come. */
interface Errand extends Question {
  readonly port: number;
}

const token = staffToken();
const authorization = `Authorization: Bearer ${token}\r\n`;

function request(target: string, fields = "", method = "GET"): string {
  return `${method} ${target} HTTP/1.1\r\nHost: forno\r\n${fields}\r\n`;
}

function last(target: string, fields = "", method = "GET"): string {
  return request(target, `${fields}Connection: close\r\n`, method);
}

/** As many as arrive at once, each another one. */
function pipeline(one: (index: number) => string): string {
  let bytes = "";
  for (let index = 0; bytes.length < pipelineBytes; index += 1) bytes += one(index);
  return bytes + last("/healthz");
}

function post(body: string): string {
  const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return last("/api/orders", authorization + length, "POST") + body;
}

function questions(orders: number, tag: string): readonly Question[] {
  const list = "/api/orders";
  /** When that part of the orders had been placed. */
  const timeAt = (part: number): string =>
    new Date(Date.UTC(2025, 0, 1) + orders * part * 1_000).toISOString();
  const middle = timeAt(0.5);
  const end = `&until=${timeAt(0.9)}`;
  const open = "status=Pending&status=Preparing&status=Ready&status=Out+for+Delivery";
  const misspelt = Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`toping${n}`, n]));
  const references = Array.from({ length: 4_000 }, (_, n) => ({ id: `nowhere-${n}` }));
  return [
    { title: "nothing", bytes: last("/healthz") },
    { title: "the list", bytes: last(list) },
    { title: "with names", bytes: last(`${list}?embed=names`) },
    { title: "newest first", bytes: last(`${list}?sort=newest`) },
    { title: "one status", bytes: last(`${list}?status=Delivered`) },
    { title: "every status", bytes: last(`${list}?${open}&status=Delivered&status=Cancelled`) },
    { title: "several statuses, a page", bytes: last(`${list}?${open}&status=Delivered&limit=9`) },
    { title: "one id and a status", bytes: last(`${list}?id=${orderId(7)}&status=Delivered`) },
    { title: "since the middle", bytes: last(`${list}?since=${middle}`) },
    { title: "since and until", bytes: last(`${list}?since=${middle}${end}&embed=names`) },
    { title: "HEAD", bytes: last(list, "", "HEAD") },
    { title: "HEAD with names", bytes: last(`${list}?embed=names&_=1`, "", "HEAD") },
    { title: "not modified", bytes: last(list, `If-None-Match: ${tag}\r\n`) },
    { title: "backup", bytes: last("/api/backup", authorization) },
    { title: "metrics", bytes: last("/metrics", authorization) },
    {
      title: "events from far back",
      bytes: request("/api/events", "Last-Event-ID: 1\r\n"),
      until: "event: reset",
    },
    {
      title: "as many as are kept",
      bytes: request("/api/events", `Last-Event-ID: ${knownEvent}\r\n`),
      until: `\nid: ${lastEvent}\n`,
    },
    { title: "a long path", bytes: last(`/${"a".repeat(15_000)}/b/c`) },
    {
      title: "a long Accept-Language",
      bytes: last("/", `Accept-Language: ${"a-".repeat(7_500)}a\r\n`),
    },
    { title: "a body of unknown members", bytes: post(JSON.stringify(misspelt)) },
    { title: "a body of unknown ids", bytes: post(JSON.stringify({ toppings: references })) },
    {
      title: "pipelined HEADs",
      bytes: pipeline((index) => request(`${list}?embed=names&_=${index}`, "", "HEAD")),
    },
    {
      title: "pipelined pages of 1,000",
      bytes: pipeline((index) => request(`${list}?limit=1000&embed=names&after=s${index}`)),
    },
    {
      title: "pipelined pages of 50",
      bytes: pipeline((index) => request(`${list}?limit=50&embed=names&after=s${index}`)),
    },
    {
      title: "pipelined ranges of time",
      bytes: pipeline((index) => request(`${list}?limit=1&since=${timeAt(index / 1_000)}`)),
    },
    { title: "pipelined small reads", bytes: pipeline(() => request("/api/toppings")) },
    {
      title: "pipelined faulty queries",
      bytes: pipeline((index) => request(`${list}?${"a&bb&ccc&dddd&eeeee&".repeat(40)}${index}`)),
    },
  ];
}

/** Milliseconds: by the clock, and those in which the server computed, whoever else did. */
interface Wait {
  readonly wall: number;
  readonly own: number;
}

const none: Wait = { wall: 0, own: 0 };

function longer(one: Wait, other: Wait): Wait {
  return { wall: Math.max(one.wall, other.wall), own: Math.max(one.own, other.own) };
}

/** The longest that one of many requests for /healthz took while `work` went on. */
async function longestWait({ port, program }: Contender, work: Promise<unknown>): Promise<Wait> {
  const socket = connect(port, "127.0.0.1").setNoDelay();
  await once(socket, "connect");
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  let longest = none;
  while (!isDone) {
    const own = mainThreadMicros(program.pid);
    const began = performance.now();
    socket.write(request("/healthz"));
    await once(socket, "data");
    const wall = performance.now() - began;
    longest = longer(longest, { wall, own: (mainThreadMicros(program.pid) - own) / 1_000 });
  }
  socket.destroy();
  await done;
  return longest;
}

/** In a thread of its own, so that reading an answer does not keep /healthz waiting here. */
async function runErrand({ port, bytes, until }: Errand): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  let tail = "";
  for await (const piece of socket) {
    if (until === undefined) continue;
    tail += String(piece);
    if (tail.includes(until)) break;
    tail = tail.slice(-until.length);
  }
  socket.destroy();
}

/** The ids of the last change, and of one that a stream can resume after. */
let lastEvent = 0;
let knownEvent = 0;

async function waits(forno: Contender, orders: number): Promise<void> {
  const { port } = forno;
  const asker = new Worker(fileURLToPath(import.meta.url));
  const { headers } = await fetch(`http://127.0.0.1:${port}/api/orders`, { method: "HEAD" });
  const all = questions(orders, headers.get("etag") ?? "");
  const worst = new Map<string, Wait>();
  for (let round = 0; round < rounds; round += 1) {
    for (const question of all) {
      asker.postMessage({ ...question, port });
      const wait = await longestWait(forno, once(asker, "message"));
      worst.set(question.title, longer(worst.get(question.title) ?? none, wait));
    }
  }
  await asker.terminate();
  const shown = (milliseconds: number): string => milliseconds.toFixed(1).padStart(8);
  for (const [title, { wall, own }] of worst) {
    print(`${title.padEnd(28)} ${shown(wall)} ms, computing ${shown(own)} ms`);
  }
}

/** Changes to resume from: more than the server keeps. */
async function makeChanges(servers: Servers, forno: Contender): Promise<void> {
  const generator = servers.generator();
  const lanes = Array.from({ length: 64 }, (_, lane) => [
    create(newOrderBody(lane, "Delivered"), token),
  ]);
  const before = await lastEventOf(forno);
  await generator.run(forno, 4_000, lanes);
  lastEvent = await lastEventOf(forno);
  knownEvent = Math.max(before, lastEvent - 10_000);
}

/** As a new stream is told it. */
async function lastEventOf({ port }: Contender): Promise<number> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request("/api/events"));
  let text = "";
  while (!/^id: \d+\n/m.test(text)) text += String((await once(socket, "data"))[0]);
  socket.destroy();
  return Number(/^id: (\d+)/m.exec(text)?.[1]);
}

/** Readers that ask for a long list and do not read, `between` called after each. */
async function memoryOf(
  forno: Contender, target: string, between: (index: number) => Promise<unknown>,
): Promise<number> {
  const { port, program } = forno;
  const before = residentBytes(program.pid);
  const sockets: Socket[] = [];
  for (let index = 0; index < readers; index += 1) {
    const socket = connect(port, "127.0.0.1").pause();
    socket.on("error", () => {}); // the server may end them
    await once(socket, "connect");
    socket.write(request(target));
    sockets.push(socket);
    await between(index);
  }
  // What a socket takes is sent first; then the server has nothing more to do.
  for (let used = -1; used !== cpuMicros(program.pid); await pause(500)) {
    used = cpuMicros(program.pid);
  }
  program.requireRunning();
  const after = residentBytes(program.pid);
  for (const socket of sockets) socket.destroy();
  return after - before;
}

async function change(forno: Contender, index: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${forno.port}/api/orders/${orderId(index)}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ status: "Preparing" }),
  });
  if (answer.status !== 200) throw new Error(`a change was answered with ${answer.status}`);
  await answer.arrayBuffer();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  const orders = Number(process.argv[2] ?? 1_000_000);
  const servers = new Servers(new Workspace());
  progress(`a store of ${orders.toLocaleString("en")} orders`);
  const dataDir = await seededFolder(servers, "hold-ups", orders, 40);
  const forno = await servers.forno(dataDir);
  await makeChanges(servers, forno);
  progress("waits for /healthz");
  await waits(forno, orders);
  progress(`${readers} readers that do not read`);
  const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0).padStart(8)} MiB`;
  const same = await memoryOf(forno, "/api/orders", async () => {});
  print(`${readers} that do not read, one version    ${mebibytes(same)}`);
  await pause(3_000);
  const many = await memoryOf(forno, "/api/orders", (index) => change(forno, index));
  print(`${readers} that do not read, ${readers} versions ${mebibytes(many)}`);
  await forno.program.stop("SIGKILL");
}

if (isMainThread) {
  await main();
  process.exit(0);
}
parentPort?.on("message", (errand: Errand) => {
  void runErrand(errand).then(() => parentPort?.postMessage("done"));
});
