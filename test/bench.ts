/**
 * `npm run bench`: a table of requests per second. This process is the load: raw sockets, one
 * request at a time on each. An answer with the wrong status ends it. A bare `node --test` runs
 * this file, and nothing happens.
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { signToken } from "../src/auth/token.ts";
import { root } from "./helpers/readme.ts";

const usage = `npm run bench           a table in half a minute, on a machine that does nothing else
  -- --against COMMIT   builds that commit in a temporary folder, and measures it in turn

Requests per second over 64 connections, the median of five rounds. Writes go to the disk of TMPDIR,
and the log is off. A network, HTTPS and a proxy are not measured. Compare small differences over
several runs.`;

const rounds = 5;
const roundMs = 900;
const connections = 64;
const temporary = join(tmpdir(), `forno-bench-${process.pid}`);
const secret = "a signing key for the benchmark alone";
const exp = Math.floor(Date.now() / 1_000) + 7_200;
const token = signToken({ role: "staff", sub: "bench", exp }, Buffer.from(secret));

/** A request as it is sent, and the only right status of its answer. */
interface Call {
  readonly bytes: Buffer;
  readonly status: number;
}

function get(path: string): Call {
  return { status: 200, bytes: Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`) };
}

function post(path: string, value: object): Call {
  const body = JSON.stringify(value);
  const head = [
    `POST ${path} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${token}`,
    "Content-Type: application/json", `Content-Length: ${body.length}`,
  ];
  return { status: 201, bytes: Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`) };
}

const order = {
  pizzaSize: { id: "grande" },
  toppings: ["pomodoro", "mozzarella", "funghi", "basilico"].map((id) => ({ id })),
  beverages: ["acqua", "birra"].map((id) => ({ id })),
};
const one = "/api/orders/order-0";
const create = post("/api/orders", order);

/** The requests of a connection, which sends them over and over. */
const workloads: Readonly<Record<string, (connection: number) => readonly Call[]>> = {
  "read one order": () => [get(one)],
  "list of 50 orders": () => [get("/api/orders?limit=50")],
  "durable create": () => [create],
  // The connections create at different turns, as strangers would.
  "nine reads to one create": (connection) =>
    Array<Call>(10).fill(get(one)).with(connection % 10, create),
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

interface Server {
  readonly name: string;
  readonly port: number;
}

/** Requests per second in one round. */
async function measure(
  { port }: Server, callsOf: (connection: number) => readonly Call[],
): Promise<number> {
  const begin = performance.now();
  const counts = await Promise.all(Array.from({ length: connections }, (_, connection) =>
    run(port, callsOf(connection), begin + roundMs)));
  const count = counts.reduce((sum, one) => sum + one, 0);
  return (count * 1_000) / (performance.now() - begin);
}

/** A server with enough orders for a list. `project`: its folder, which is built first. */
async function start(name: string, project: string): Promise<Server> {
  console.error(`building ${name}`);
  execFileSync("npm", ["run", "build", "--silent"], { cwd: project });
  const DATA_DIR = join(temporary, `store of ${name}`);
  const { PATH } = process.env;
  const child = spawn(process.execPath, [join(project, "dist/server.js")], {
    env: { PATH, DATA_DIR, PORT: "0", TOKEN_SECRET: secret, LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const [said] = await once(child.stdout, "data");
  const port = Number(/"url":"[^"]*:(\d+)/.exec(String(said))?.[1]);
  for (let number = 0; number < 50; number += 1) {
    await run(port, [post("/api/orders", { id: `order-${number}`, ...order })], 0);
  }
  return { name, port };
}

/** Checks a commit out. Its packages are those of this checkout. */
function checkOut(commit: string): string {
  const project = join(temporary, "project");
  execFileSync("git", ["worktree", "add", "--quiet", "--detach", project, commit], { cwd: root });
  process.once("exit", () => {
    execFileSync("git", ["worktree", "remove", "--force", project], { cwd: root });
  });
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  return project;
}

/** The servers take turns: one that always came first would always find an idle machine. */
async function measureRow(
  callsOf: (connection: number) => readonly Call[], servers: readonly Server[],
): Promise<Record<string, number>> {
  const turns = [...servers];
  const figures = new Map(turns.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const server of turns) {
      const perSecond = await measure(server, callsOf);
      // In the first round Node compiles.
      if (round > 0) figures.get(server.name)?.push(perSecond);
    }
    turns.push(turns.shift()!);
  }
  return Object.fromEntries(Array.from(figures, ([name, values]) =>
    [name, Math.round(values.sort((a, b) => a - b)[rounds >> 1]!)]));
}

async function main(against: string | undefined): Promise<void> {
  mkdirSync(temporary);
  process.once("exit", () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
  process.on("SIGINT", () => process.exit(130)).on("SIGTERM", () => process.exit(143));
  const servers = [await start("this", root)];
  if (against !== undefined) servers.push(await start(against, checkOut(against)));
  const rows: Record<string, Record<string, number>> = {};
  for (const [title, callsOf] of Object.entries(workloads)) {
    console.error(title);
    rows[title] = await measureRow(callsOf, servers);
  }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`);
  console.table(rows);
  process.exit();
}

const { values: { against, help } } = parseArgs({
  options: { against: { type: "string" }, help: { type: "boolean" } },
});
if (help === true) console.log(usage);
else if (process.env["NODE_TEST_CONTEXT"] === undefined) await main(against);
