/**
 * How long one client makes the others wait. While one connection asks for something long, another
 * asks /healthz again and again: the longest wait is the hold-up. The same while thousands of
 * clients ask and do not read, with the memory that they cost.
 */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { authorization, create, get, timeOf, writeDocument } from "./pizzeria.ts";
import { progress, residentMiB, restored, type Server, startForno, table }
  from "./programs.ts";

const close = "Connection: close";

interface Question {
  readonly title: string;
  readonly bytes: string;
  /** Ends an answer that has no end. */
  readonly until?: string;
}

function questions(orders: number, tag: string, lastEvent: number): Question[] {
  const list = "/api/orders";
  const time = (part: number): string => new Date(timeOf(orders * part)).toISOString();
  const ask = (title: string, path: string, ...fields: string[]): Question =>
    ({ title, bytes: get(path, ...fields, close).text });
  const pipeline = (title: string, path: (index: number) => string): Question => {
    let bytes = "";
    for (let index = 0; bytes.length < 60_000; index++) bytes += get(path(index)).text;
    return { title, bytes: bytes + get("/healthz", close).text };
  };
  const unknown = { toppings: Array.from({ length: 4_000 }, (_, index) => ({ id: `x-${index}` })) };
  const body = JSON.stringify(unknown);
  const post = create(0).text.split("\r\n\r\n")[0]?.replace(/Length: \d+/, `Length: ${body.length}`);
  return [
    ask("nothing", "/healthz"),
    ask("all orders", list),
    ask("all orders with names", `${list}?embed=names`),
    ask("one status", `${list}?status=Delivered`),
    ask("open orders, one page", `${list}?status=Pending&status=Preparing&limit=9`),
    ask("part of the time", `${list}?since=${time(0.5)}&until=${time(0.9)}&embed=names`),
    ask("not modified", list, `If-None-Match: ${tag}`),
    ask("backup", "/api/backup", authorization),
    {
      title: "events since the start", bytes: get("/api/events", "Last-Event-ID: 1").text,
      until: "event: reset",
    },
    {
      title: "last 10,000 events", until: `\nid: ${lastEvent}\n`,
      bytes: get("/api/events", `Last-Event-ID: ${lastEvent - 10_000}`).text,
    },
    { title: "an order with 4,000 unknown ids", bytes: `${post}\r\n${close}\r\n\r\n${body}` },
    pipeline("pipelined pages of 1,000", (index) => `${list}?limit=1000&embed=names&_=${index}`),
    pipeline("pipelined ranges of time",
      (index) => `${list}?limit=1&since=${encodeURIComponent(time(index / 1_000))}`),
  ];
}

/** Asks a question and reads the whole answer. */
async function answered(port: number, { bytes, until }: Question): Promise<void> {
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

/** The longest that a client that asks /healthz all the time waits while `work` goes on. */
async function longestWait(port: number, work: () => Promise<void>): Promise<number> {
  const worker = new Worker(new URL("./ping.js", import.meta.url), { workerData: { port } });
  await once(worker, "message");
  await work();
  worker.postMessage("stop");
  const [milliseconds] = (await once(worker, "message")) as [number];
  await worker.terminate();
  return milliseconds;
}

async function lastEventOf(port: number): Promise<number> {
  const socket = connect(port, "127.0.0.1");
  socket.write(get("/api/events").text);
  let text = "";
  while (!/^id: \d+\n/m.test(text)) text += String((await once(socket, "data"))[0]);
  socket.destroy();
  return Number(/^id: (\d+)/m.exec(text)?.[1]);
}

/** More changes than a stream can be resumed over. */
async function change(port: number, count: number): Promise<void> {
  await Promise.all(Array.from({ length: 50 }, async () => {
    const socket = connect(port, "127.0.0.1");
    for (let index = 0; index < count / 50; index++) {
      socket.write(create(index).text);
      await once(socket, "data");
    }
    socket.destroy();
  }));
}

export async function measureHoldUps(dist: string, orders: number): Promise<string> {
  progress(`a store of ${orders.toLocaleString("en")} orders`);
  const document = await writeDocument("hold-ups", orders);
  const server = await startForno(dist, await restored(dist, document, "hold-ups"), "forno");
  const { port } = server;
  await change(port, 12_000);
  const { headers } = await fetch(`http://127.0.0.1:${port}/api/orders`, { method: "HEAD" });
  const rows: string[][] = [];
  for (const question of questions(orders, headers.get("etag") ?? "", await lastEventOf(port))) {
    progress(question.title);
    let wait = 0;
    for (let round = 0; round < 3; round++) {
      wait = Math.max(wait, await longestWait(port, () => answered(port, question)));
    }
    rows.push([question.title, wait.toFixed(1)]);
  }
  const readers = await memoryOf(server, "all orders", 2_000, get("/api/orders").text, 0);
  await server.program.stop();
  const idle = `${Math.round(server.startMs)} ms to start`;
  return [
    table([`one client asks, ${idle}`, "longest wait of the others, ms"], ...rows),
    table(readersHead, readers),
  ].join("\n\n");
}

const readersHead = ["clients that do not read", "clients", "longest wait, ms", "MiB", "still open"];

/** Both readings that have ended a process, or cost it much. */
export async function measureReaders(dist: string): Promise<string> {
  const few = await writeDocument("readers", 300, "ñ");
  const server = await startForno(dist, await restored(dist, few, "readers"), "forno");
  const pages = get("/api/orders?limit=120&embed=names").text.repeat(300);
  const rows = [
    await memoryOf(server, "300 pipelined lists, with a letter beyond ASCII", 1_400, pages, 0),
  ];
  await server.program.stop();
  const many = await writeDocument("backup", 100_000);
  const second = await startForno(dist, await restored(dist, many, "backup"), "forno");
  const backup = get("/api/backup", authorization).text;
  rows.push(await memoryOf(second, "the first bytes of a backup", 2_000, backup, 1));
  await second.program.stop();
  return table(readersHead, ...rows);
}

/** Opens so many connections, each of which sends `bytes`, reads `pieces`, and then no more. */
async function memoryOf(
  server: Server, title: string, clients: number, bytes: string, pieces: number,
): Promise<string[]> {
  progress(`${clients} clients that do not read: ${title}`);
  const before = residentMiB(server);
  const sockets: Socket[] = [];
  let peak = before;
  const wait = await longestWait(server.port, async () => {
    for (let index = 0; index < clients; index++) {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {}); // The server may close it: that is the bound.
      await once(socket, "connect");
      socket.write(bytes);
      if (pieces > 0) await once(socket, "data");
      sockets.push(socket.pause());
      peak = Math.max(peak, residentMiB(server));
    }
    // It has done its work once its memory has not grown for some seconds.
    for (let still = 0; still < 6; still++) {
      await pause(500);
      const now = residentMiB(server);
      if (now > peak + 1) still = 0;
      peak = Math.max(peak, now);
    }
  });
  server.program.requireRunning();
  const open = sockets.filter(({ destroyed }) => !destroyed).length;
  for (const socket of sockets) socket.destroy();
  return [title, String(clients), wait.toFixed(1), (peak - before).toFixed(0), String(open)];
}
