/**
 * `npm run bench`: a table of what Forno does a second, beside a bare node:http server that has its
 * turn in every round. This process is the load: raw sockets, one request at a time on each. An
 * answer with the wrong status ends it. A bare `node --test` runs this file, too: nothing happens.
 */

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { nodeFlags } from "./helpers/node.ts";
import { root } from "./helpers/readme.ts";

const usage = `npm run bench           a table in a minute, on a machine that does nothing else
  -- --against COMMIT   builds that commit in a temporary folder, and measures it in turn
  -- --row create       only the rows with this text in their title
  -- --seconds 5        the length of a round (0.6): a single pause sets a short one's p99
  -- --rounds 3         another number of rounds (5); a figure is the median of the rounds

bare: a node:http server that answers the same with JSON.stringify. It routes, checks and stores
nothing. CPU: the server's processor time for a request, in µs. p99: in ms. *: the load was busy all
the time, and the servers may be faster. Durable writes go to the disk of TMPDIR. A network, HTTPS
and a proxy are not measured. Compare small differences over several runs.`;

const { values: options, positionals: [role] } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: "string" },
    row: { type: "string", default: "" },
    seconds: { type: "string", default: "0.6" },
    rounds: { type: "string", default: "5" },
    help: { type: "boolean", default: false },
  },
});
const temporary = join(tmpdir(), `forno-bench-${process.pid}`);
const secret = "a signing key for the benchmark alone";
const token = ((): string => {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = { role: "staff", sub: "bench", exp: Math.floor(Date.now() / 1_000) + 7_200 };
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
})();

function several<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A request as it is sent, and the only right status of its answer. */
interface Call {
  readonly bytes: Buffer;
  readonly status: number;
}

function call(status: number, line: string, fields: readonly string[] = [], body = ""): Call {
  const head = [`${line} HTTP/1.1`, "Host: localhost", ...fields, "", ""].join("\r\n");
  return { status, bytes: Buffer.from(head + body) };
}

function write(status: number, line: string, body: object): Call {
  const text = JSON.stringify(body);
  const type = "Content-Type: application/json";
  const fields = [`Authorization: Bearer ${token}`, type, `Content-Length: ${text.length}`];
  return call(status, line, fields, text);
}

const order = {
  pizzaSize: { id: "grande" },
  toppings: ["pomodoro", "mozzarella", "funghi", "basilico"].map((id) => ({ id })),
  beverages: ["acqua", "birra"].map((id) => ({ id })),
  status: "Preparing",
};
const pathOf = (index: number): string => `/api/orders/order-${index}`;
const create = write(201, "POST /api/orders", order);
const reads = (lane: number): Call[] =>
  several(16, (index) => call(200, `GET ${pathOf(lane * 16 + index)}`));
const statusChanges = (lane: number): Call[] => ["Ready", "Preparing"].flatMap((status) =>
  several(8, (index) => write(200, `PATCH ${pathOf(lane * 8 + index)}`, { status })));

interface Workload {
  readonly title: string;
  readonly connections: number;
  /** The path whose answer is the bare server's to every read. */
  readonly model: string;
  /** The requests of one connection, which sends them over and over. `tag`: of the model. */
  readonly calls: (lane: number, tag: string) => readonly Call[];
}

const usual = { connections: 64, model: pathOf(0) };
const workloads: readonly Workload[] = [
  { ...usual, title: "read one order", calls: reads },
  {
    ...usual, title: "not modified (304)",
    calls: (_, tag) => [call(304, `GET ${pathOf(0)}`, [`If-None-Match: ${tag}`])],
  },
  ...["beverages", "orders"].map((kind) => {
    const model = `/api/${kind}?limit=50`;
    const calls = (): Call[] => [call(200, `GET ${model}`)];
    return { ...usual, title: `list of 50 ${kind}`, model, calls };
  }),
  ...[64, 256].map((connections) => ({
    ...usual, title: `durable create, ${connections} connections`, connections,
    calls: () => [create],
  })),
  { ...usual, title: "status change", calls: statusChanges },
  {
    ...usual, title: "nine reads to one create",
    // The connections create at different turns, as strangers would.
    calls: (lane) => reads(lane).slice(0, 10).with(lane % 10, create),
  },
];

interface Server {
  readonly name: string;
  readonly port: number;
  readonly child: ChildProcess;
}

/** One connection. `next` goes on over the rounds: a status that an order has is not written. */
interface Lane {
  readonly calls: readonly Call[];
  next: number;
}

interface Result {
  readonly perSecond: number;
  readonly p99: number;
  readonly cpu: number;
  /** The share of its time in which the load was busy: near 1 it sets the pace. */
  readonly busy: number;
}

// Shared by all sockets: what was read is used up before the next read.
const buffer = Buffer.allocUnsafe(1 << 20);

/** Sends requests until `deadline`, each when the one before is answered. */
async function run(port: number, lane: Lane, times: number[], deadline: number): Promise<void> {
  let sentAt = 0;
  let head = "";
  let left = 0;
  const current = (): Call => lane.calls[lane.next % lane.calls.length]!;
  const send = (): void => {
    sentAt = performance.now();
    socket.write(current().bytes);
  };
  const takeHead = (piece: string): void => {
    head += piece;
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const { bytes, status } = current();
    const length = /^content-length: (\d+)/im.exec(head.slice(0, end))?.[1];
    if (head.slice(9, 12) !== `${status}` || (length === undefined && status !== 304)) {
      socket.destroy(new Error(`${bytes}\n\nwas answered with ${head}`));
    }
    left = Number(length ?? 0) - (head.length - end - 4);
    head = "";
  };
  const callback = (length: number): boolean => {
    if (left > 0) left -= length;
    else takeHead(buffer.toString("latin1", 0, length));
    if (left > 0 || head !== "" || socket.destroyed) return true;
    const now = performance.now();
    times.push(now - sentAt);
    lane.next += 1;
    if (now < deadline) send();
    else socket.destroy();
    return true;
  };
  const onread = { buffer, callback };
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread }, send);
  // Rejects when the socket was destroyed with an error.
  await once(socket, "close");
  if (performance.now() < deadline) throw new Error("the server closed a connection");
}

async function measure(server: Server, lanes: readonly Lane[]): Promise<Result> {
  const times: number[] = [];
  const [begin, own, before] = [performance.now(), process.cpuUsage(), cpuMicros(server)];
  const deadline = begin + 1_000 * Number(options.seconds);
  await Promise.all(lanes.map((lane) => run(server.port, lane, times, deadline)));
  const elapsed = performance.now() - begin;
  const { user, system } = process.cpuUsage(own);
  return {
    perSecond: (times.length * 1_000) / elapsed,
    p99: times.sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0,
    cpu: (cpuMicros(server) - before) / times.length,
    busy: (user + system) / 1_000 / elapsed,
  };
}

/** User and system time of all threads so far; NaN where there is no /proc. */
function cpuMicros({ child }: Server): number {
  if (process.platform !== "linux") return NaN;
  const stat = readFileSync(`/proc/${child.pid}/stat`, "latin1");
  // The program's name stands in brackets and may hold spaces; utime and stime are fields 14, 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** The server to compare with, in a process of its own. It is sent what it answers to reads. */
function serveBare(): void {
  let model: object = {};
  const send = (response: ServerResponse, status: number, value: object): void => {
    response.statusCode = status;
    response.setHeader("content-type", "application/json; charset=utf-8");
    // Without writeHead, Node sends the length.
    response.end(JSON.stringify(value));
  };
  const server = createServer((request, response) => {
    const tag = request.headers["if-none-match"];
    if (tag !== undefined) return response.writeHead(304, { etag: tag }).end();
    if (request.method === "GET") return send(response, 200, model);
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece)).on("end", () => {
      const body = JSON.parse(text) as object;
      if (request.method === "POST") send(response, 201, body);
      else send(response, 200, { ...model, ...body });
    });
  });
  process.on("message", (next: object) => (model = next)).on("disconnect", () => process.exit());
  server.listen(Number(process.env["PORT"]), "127.0.0.1");
}

const isPinned = process.platform === "linux" && spawnSync("taskset", ["-V"]).status === 0;

/** Starts a server on the first core, away from the load, and resolves when it answers. */
async function start(name: string, args: readonly string[]): Promise<Server> {
  // Not PORT=0: this process would have to read the server's log.
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  const pin = isPinned ? ["taskset", "-c", "0"] : [];
  const [command = "", ...rest] = [...pin, process.execPath, ...args];
  const { PATH } = process.env;
  const DATA_DIR = join(temporary, `store of ${name}`);
  const child = spawn(command, rest, {
    env: { PATH, DATA_DIR, PORT: `${port}`, TOKEN_SECRET: secret },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok, () => false);
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    await pause(5);
  }
  return { name, port, child };
}

/** A Forno with 50 more drinks and 1,024 orders. `project`: its folder, which is built first. */
async function startForno(name: string, project: string): Promise<Server> {
  console.error(`building ${name}`);
  execFileSync("npm", ["run", "build", "--silent"], { cwd: project });
  const server = await start(name, [join(project, "dist/server.js")]);
  const post = async (kind: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${token}` };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`http://127.0.0.1:${server.port}/api/${kind}`, init);
    if (response.status !== 201) throw new Error(await response.text());
  };
  for (const name of several(50, (index) => `Drink ${index}`)) {
    await post("beverages", { name, isCarbonated: true, sizeOptions: ["0.33 l", "0.5 l"] });
  }
  for (const id of several(1_024, (index) => `order-${index}`)) {
    await post("orders", { id, ...order });
  }
  return server;
}

/** Checks a commit out. Its packages are those of this checkout. */
function checkOut(commit: string): string {
  const project = join(temporary, "project");
  execFileSync("git", ["worktree", "add", "--quiet", "--detach", project, commit], { cwd: root });
  process.once("exit", () => {
    spawnSync("git", ["worktree", "remove", "--force", project], { cwd: root });
  });
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  return project;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}

/** The servers take turns: one that always came first would always find an idle machine. */
async function measureRow(
  { title, connections, model, calls }: Workload, servers: readonly Server[],
): Promise<string[]> {
  const lanes: Lane[][] = [];
  for (const { port } of servers) {
    const response = await fetch(`http://127.0.0.1:${port}${model}`);
    if (port === servers[1]?.port) servers[0]?.child.send((await response.json()) as object);
    const tag = response.headers.get("etag") ?? '"bare"';
    lanes.push(several(connections, (lane) => ({ calls: calls(lane, tag), next: 0 })));
  }
  const results = servers.map((): Result[] => []);
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (let turn = 0; turn < servers.length; turn++) {
      const at = (turn + round) % servers.length;
      const result = await measure(servers[at]!, lanes[at]!);
      // In the first round Node compiles.
      if (round > 0) results[at]?.push(result);
    }
  }
  const [bare = []] = results;
  const middle = (some: readonly Result[], key: keyof Result, digits: number): string =>
    median(some.map((result) => result[key])).toFixed(digits);
  // Within a round, since machines are noisy in spells.
  const ratio = (some: readonly Result[], key: keyof Result): string =>
    median(some.map((result, round) => result[key] / bare[round]![key])).toFixed(2);
  const isLoadBusy = results.some((some) => median(some.map(({ busy }) => busy)) > 0.9);
  return [
    isLoadBusy ? `${title} *` : title, middle(bare, "perSecond", 0), middle(bare, "p99", 1),
    ...results.slice(1).flatMap((some) => [
      middle(some, "perSecond", 0), ratio(some, "perSecond"), middle(some, "p99", 1),
      middle(some, "cpu", 0), ratio(some, "cpu"),
    ]),
  ];
}

/** Markdown with the columns lined up. */
function table(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const rule = widths.map((width, at) => `${"-".repeat(width - 1)}${at === 0 ? "-" : ":"}`);
  const lines = [head, rule, ...rows.slice(1)].map((row) => row.map((cell, at) =>
    at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

async function main(): Promise<void> {
  const { against, row } = options;
  mkdirSync(temporary);
  process.once("exit", () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
  process.on("SIGINT", () => process.exit(130)).on("SIGTERM", () => process.exit(143));
  if (isPinned) spawnSync("taskset", ["-cp", `${availableParallelism() - 1}`, `${process.pid}`]);
  const servers = [await start("bare", [...nodeFlags, import.meta.filename, "bare"])];
  servers.push(await startForno("this", root));
  if (against !== undefined) servers.push(await startForno(against, checkOut(against)));
  const own = servers.slice(1).flatMap(({ name }) => [name, "× bare", "p99", "CPU", "× bare"]);
  const rows = [["requests per second", "bare", "p99", ...own]];
  for (const workload of workloads.filter(({ title }) => title.includes(row))) {
    console.error(workload.title);
    rows.push(await measureRow(workload, servers));
  }
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}\n`);
  console.log(table(rows));
  process.exit();
}

if (options.help) console.log(usage);
else if (role === "bare") serveBare();
else if (process.env["NODE_TEST_CONTEXT"] === undefined) await main();
