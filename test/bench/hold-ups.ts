/**
 * How long one client makes the others wait. While one connection asks for something long, another
 * asks /healthz again and again: the longest wait is the hold-up.
 */

import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { authorization, create, get, timeOf, writeDocument } from "./pizzeria.ts";
import { progress, restored, startForno, table } from "./programs.ts";

const close = "Connection: close";

interface Question {
  readonly title: string;
  readonly bytes: string;
}

function questions(orders: number, tag: string): Question[] {
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
    { title: "an order with 4,000 unknown ids", bytes: `${post}\r\n${close}\r\n\r\n${body}` },
    pipeline("pipelined pages of 1,000", (index) => `${list}?limit=1000&embed=names&_=${index}`),
    pipeline("pipelined ranges of time",
      (index) => `${list}?limit=1&since=${encodeURIComponent(time(index / 1_000))}`),
  ];
}

/** Asks a question and reads the whole answer. */
async function answered(port: number, { bytes }: Question): Promise<void> {
  const socket = connect(port, "127.0.0.1").resume();
  socket.write(bytes);
  await once(socket, "close");
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

export async function measureHoldUps(dist: string, orders: number): Promise<string> {
  progress(`a store of ${orders.toLocaleString("en")} orders`);
  const document = await writeDocument("hold-ups", orders);
  const server = await startForno(dist, await restored(dist, document, "hold-ups"), "forno");
  const { port } = server;
  const { headers } = await fetch(`http://127.0.0.1:${port}/api/orders`, { method: "HEAD" });
  const rows: string[][] = [];
  for (const question of questions(orders, headers.get("etag") ?? "")) {
    progress(question.title);
    let wait = 0;
    for (let round = 0; round < 3; round++) {
      wait = Math.max(wait, await longestWait(port, () => answered(port, question)));
    }
    rows.push([question.title, wait.toFixed(1)]);
  }
  await server.program.stop();
  const idle = `${Math.round(server.startMs)} ms to start`;
  return table([`one client asks, ${idle}`, "longest wait of the others, ms"], ...rows);
}
