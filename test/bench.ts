/**
 * `npm run bench`: a table of requests per second over 64 connections, the median of five rounds, in
 * half a minute on a machine that does nothing else. This process is the load: raw sockets, one
 * request at a time on each. An answer with the wrong status ends it. Writes go to the disk of
 * TMPDIR, and the log is off. A network, HTTPS and a proxy are not measured. To compare with a
 * commit, run it there, too, several times in turn. A bare `node --test` runs this file, and nothing
 * happens.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { signToken } from "../src/auth/token.ts";
import { fileOf } from "./helpers/node.ts";
import { bearer, requestText } from "./helpers/raw-http.ts";

const rounds = 5;
const roundMs = 900;
const connections = 64;
const secret = "a signing key for the benchmark alone";
const exp = Math.floor(Date.now() / 1_000) + 7_200;
const token = signToken({ role: "staff", sub: "bench", exp }, Buffer.from(secret));

/** A request as it is sent, and the only right status of its answer. */
interface Call {
  readonly bytes: Buffer;
  readonly status: number;
}

function get(path: string): Call {
  return { status: 200, bytes: Buffer.from(requestText(`GET ${path}`)) };
}

function post(path: string, value: object): Call {
  return { status: 201, bytes: Buffer.from(requestText(`POST ${path}`, bearer(token), value)) };
}

const order = {
  pizzaSize: { id: "grande" },
  toppings: ["pomodoro", "mozzarella", "funghi", "basilico"].map((id) => ({ id })),
  beverages: ["acqua", "birra"].map((id) => ({ id })),
};
const read = get("/api/orders/order-0");
const create = post("/api/orders", order);

/** The requests of a connection, which sends them over and over. */
const workloads: Readonly<Record<string, (connection: number) => readonly Call[]>> = {
  "read one order": () => [read],
  "list of 50 orders": () => [get("/api/orders?limit=50")],
  "durable create": () => [create],
  // The connections create at different turns, as strangers would.
  "nine reads to one create": (connection) =>
    Array<Call>(10).fill(read).with(connection % 10, create),
};

/** Sends requests, each when the one before is answered. Resolves to their number. */
async function run(port: number, calls: readonly Call[], deadline: number): Promise<number> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let count = 0;
  let left = 0;
  const current = (): Call => calls[count % calls.length]!;
  const send = (): boolean => socket.write(current().bytes);
  socket.on("connect", send).on("data", (piece: Buffer) => {
    if (left === 0) left = lengthOf(piece, current());
    left -= piece.length;
    if (left > 0) return;
    count += 1;
    if (performance.now() < deadline) send();
    else socket.destroy();
  });
  await once(socket, "close");
  if (performance.now() < deadline) throw new Error("the server closed a connection");
  return count;
}

/** The length of an answer, of which this piece has the whole head. */
function lengthOf(piece: Buffer, { bytes, status }: Call): number {
  const end = piece.indexOf("\r\n\r\n") + 4;
  const head = piece.toString("latin1", 0, end);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (head.slice(9, 12) !== `${status}` || length === undefined) {
    throw new Error(`${bytes}\n\nwas answered with ${piece}`);
  }
  return end + Number(length);
}

/** Requests per second: the median of some rounds, after one in which Node compiles. */
async function measure(
  port: number, callsOf: (connection: number) => readonly Call[],
): Promise<number> {
  const figures: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const begin = performance.now();
    const counts = await Promise.all(Array.from({ length: connections }, (_, connection) =>
      run(port, callsOf(connection), begin + roundMs)));
    const count = counts.reduce((sum, one) => sum + one, 0);
    if (round > 0) figures.push((count * 1_000) / (performance.now() - begin));
  }
  return Math.round(figures.sort((one, other) => one - other)[rounds >> 1]!);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "forno-bench-"));
  const env = { PORT: "0", DATA_DIR: folder, TOKEN_SECRET: secret, LOG_LEVEL: "silent" };
  const server = spawn(process.execPath, [fileOf("dist/server.js")], {
    env, stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => {
    server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  process.on("SIGINT", () => process.exit(130)).on("SIGTERM", () => process.exit(143));
  const [said] = await once(server.stdout, "data");
  const port = Number(/"url":"[^"]*:(\d+)/.exec(String(said))?.[1]);
  // Enough for a list.
  for (let number = 0; number < 50; number += 1) {
    await run(port, [post("/api/orders", { id: `order-${number}`, ...order })], 0);
  }
  const rows: Record<string, object> = {};
  for (const [title, callsOf] of Object.entries(workloads)) {
    console.error(title);
    rows[title] = { "requests per second": await measure(port, callsOf) };
  }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`);
  console.table(rows);
  process.exit();
}

if (process.env["NODE_TEST_CONTEXT"] === undefined) await main();
