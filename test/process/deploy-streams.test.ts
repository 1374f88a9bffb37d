/**
 * The scripts of data/deploy that follow a shop: hooks and PostgreSQL. Each is killed and
 * started again, and goes on where it stopped.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual, promisify } from "node:util";
import {
  cleanUp, type Client, contentOf, startForno, temporaryFolder,
} from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { deploy, hasTools } from "../helpers/machine.ts";

const run = promisify(execFile);
const tools = ["bash", "curl", "jq", "iconv", "ps"];
const skip = hasTools(...tools) ? false : `needs ${tools.join(", ")}`;
const order = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };

async function place(forno: Client, id: string): Promise<void> {
  const init = { token: forno.staff, body: { id, ...order } };
  const { status } = await forno.call("POST", "/api/orders", init);
  assert.equal(status, 201);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

/** Starts a script as its unit does. */
class Unit {
  readonly #t: TestContext;
  readonly #name: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly state: string;
  #child: ChildProcess | undefined;

  constructor(t: TestContext, name: string, forno: Client, env: Record<string, string> = {}) {
    const folder = temporaryFolder(t);
    this.#t = t;
    this.#name = name;
    this.state = join(folder, "state");
    mkdirSync(this.state);
    const token = forno.token({ role: "reader", sub: name });
    writeFileSync(join(folder, "header"), `Authorization: Bearer ${token}\n`);
    this.#env = {
      PATH: process.env["PATH"],
      LC_ALL: "C.UTF-8",
      STATE_DIRECTORY: this.state,
      CREDENTIALS_DIRECTORY: folder,
      FORNO_URL: forno.origin,
      ...env,
    };
  }

  start(): void {
    const file = join(deploy, "bin", this.#name);
    // A group of its own, which is killed as a whole, as systemd does.
    const options = { env: this.#env, detached: true, stdio: "ignore" } as const;
    this.#child = spawn(file, [this.#env["SHOP"] ?? "rome"], options);
    cleanUp(this.#t, () => this.kill());
  }

  get hasEnded(): boolean {
    return this.#child?.exitCode !== null || this.#child.signalCode !== null;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || this.hasEnded) return;
    const ended = once(child, "exit");
    process.kill(-child.pid, "SIGKILL");
    await ended;
  }
}

/** When the loop of a script has failed, the next event, or heartbeat, ends curl and the unit. */
async function noticeFailure(forno: Client, unit: Unit): Promise<void> {
  let count = 0;
  await until(async () => {
    await forno.asStaff("PATCH", "/api/shop", { notice: `${(count += 1)}` });
    return unit.hasEnded;
  });
}

test("every new order is one message, also after a failure and a kill", { skip }, async (t) => {
  const messages: string[] = [];
  let commands = "";
  let isRefusing = true;
  const ntfy = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    commands += (await run("ps", ["-eo", "args"])).stdout;
    if (!isRefusing) messages.push(text);
    response.writeHead(isRefusing ? 503 : 200).end();
    isRefusing = false;
  }).listen(0, "127.0.0.1");
  await once(ntfy, "listening");
  t.after(() => ntfy.close());
  const topic = randomUUID();
  const NTFY_URL = `http://127.0.0.1:${(ntfy.address() as AddressInfo).port}/${topic}`;
  const forno = await startForno(t);
  await place(forno, "before");
  const unit = new Unit(t, "forno-hook", forno, { HOOK: join(deploy, "hooks/phone"), NTFY_URL });
  unit.start();
  const lastId = (): string => {
    const file = join(unit.state, "last-id");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  };
  await until(() => lastId() !== "");

  await place(forno, "one");
  await until(() => !isRefusing);
  await place(forno, "two");
  await noticeFailure(forno, unit);
  assert.deepEqual(messages, []);
  unit.start();
  await until(() => messages.length === 2);

  // Killed after it has written down the last event: earlier, that one would come twice.
  const before = lastId();
  await forno.asStaff("PATCH", "/api/orders/one", { status: "Ready" });
  await until(() => lastId() > before);
  await unit.kill();
  await place(forno, "three");
  unit.start();
  await until(() => messages.length === 3);
  assert.deepEqual(messages, ["one", "two", "three"].map((id) => `${id}: Large, Mushrooms`));
  assert.match(commands, /curl/);
  for (const secret of [topic, forno.token({ role: "reader" }).slice(0, 20)]) {
    assert.ok(!commands.includes(secret), "every user of the machine can read it with ps");
  }
});

test("a new order is one ticket, and other events are none", { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const lp = `#!/bin/sh\necho "$*" >> calls\ncat ticket >> paper\n`;
  writeFileSync(join(folder, "lp"), lp, { mode: 0o755 });
  const PATH = folder + delimiter + process.env["PATH"];
  const data = {
    id: "one", placedAt: "TIME", pizzaSize: { name: "Large" },
    toppings: [{ name: "Ragù €" }], beverages: [],
  };
  for (const event of ["orders.created", "orders.updated", "shop.updated", "reset"]) {
    const input = JSON.stringify({ id: "1", event, data });
    const env = { PATH, PRINTER: "tickets", LC_ALL: "C.UTF-8" };
    execFileSync(join(deploy, "hooks/printer"), { cwd: folder, env, input });
  }
  const tickets = [
    "one\nTIME\n\nLarge\n  Rag\x97 \xd5",
    "There may be orders without a ticket: look at the board.",
  ];
  const expected = tickets.map((text) => `\x1b@\x1bt\x13${text}\n\n\n\n\x1dVB\0`);
  assert.equal(readFileSync(join(folder, "paper"), "latin1"), expected.join(""));
  const calls = readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n");
  assert.deepEqual(calls, Array(2).fill("-s -d tickets -o raw ticket"));
});

/** A PostgreSQL server with an empty database, or undefined where there is none. */
async function startPostgres(t: TestContext): Promise<Record<string, string> | undefined> {
  const versions = "/usr/lib/postgresql";
  const [version = ""] = existsSync(versions) ? readdirSync(versions).sort().reverse() : [];
  const bin = join(versions, version, "bin");
  if (!hasTools("psql") || !existsSync(join(bin, "initdb"))) return undefined;
  const folder = temporaryFolder(t);
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const idOf = (option: string): number => Number(execFileSync("id", [option, "postgres"]));
  const user = isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  const data = join(folder, "data");
  await run(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "forno", "-N"], user);
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const args = ["-D", data, "-p", `${port}`, "-h", "127.0.0.1", "-k", folder, "-c", "fsync=off"];
  const server = spawn(join(bin, "postgres"), args, { ...user, stdio: "ignore" });
  cleanUp(t, async () => {
    server.kill("SIGQUIT");
    await once(server, "exit");
  });
  const isUp = (): Promise<boolean> => new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1").on("connect", () => resolve(true));
    socket.on("connect", () => socket.destroy()).on("error", () => resolve(false));
  });
  await until(isUp);
  const env = { PGHOST: "127.0.0.1", PGPORT: `${port}`, PGUSER: "forno", PGDATABASE: "postgres" };
  const options = { env: { ...process.env, ...env } };
  await until(() => run("psql", ["-qXAtc", "select 1"], options).then(() => true, () => false));
  return env;
}

test("PostgreSQL has what two shops have, after deletes and kills", { skip }, async (t) => {
  const pg = await startPostgres(t);
  if (pg === undefined) return t.skip("needs PostgreSQL");
  const env = { ...process.env, ...pg };
  const psql = async (...args: string[]): Promise<string> =>
    (await run("psql", ["-qXAt", "-v", "ON_ERROR_STOP=1", ...args], { env })).stdout;
  // A second time changes nothing.
  for (const _ of [1, 2]) await psql("-f", join(deploy, "warehouse.sql"));

  const rowsOf = async (shop: string): Promise<unknown> => JSON.parse(await psql("-c", `
    select coalesce(json_object_agg(kind, rows), '{}') from (
      select kind, json_agg(body - 'seq' order by (body ->> 'seq')::bigint) as rows
      from forno.resource where shop = '${shop}' group by kind) as kinds`));
  const assertSame = async (forno: Client, shop: string): Promise<void> => {
    const content = contentOf((await forno.asStaff("GET", "/api/backup")).text);
    const expected = { ...content, shop: [{ ...content.shop, id: "shop" }] };
    if (content.orders.length === 0) delete expected.orders;
    await until(async () => isDeepStrictEqual(await rowsOf(shop), expected));
  };

  const [rome, milan] = [await startForno(t), await startForno(t)];
  const units = [
    new Unit(t, "forno-warehouse", rome, pg),
    new Unit(t, "forno-warehouse", milan, { ...pg, SHOP: "milan" }),
  ];
  for (const unit of units) unit.start();
  await assertSame(rome, "rome");
  await assertSame(milan, "milan");

  const change = async (forno: Client, round: number): Promise<void> => {
    await place(forno, `order-${round}`);
    await place(forno, `gone-${round}`);
    const name = `O'Brien \\ "${round}" \\N`;
    await forno.asStaff("PATCH", "/api/toppings/funghi", { name });
    await forno.asStaff("DELETE", `/api/orders/gone-${round}`);
    await forno.asStaff("PATCH", "/api/shop", { notice: `round ${round}` });
  };
  const rounds = isLong ? 10 : 2;
  for (let round = 0; round < rounds; round += 1) {
    const changes = Promise.all([rome, milan].map((forno) => change(forno, round)));
    if (round % 2 === 0) await changes;
    for (const unit of units) await unit.kill();
    await changes;
    for (const unit of units) unit.start();
  }
  await assertSame(rome, "rome");
  await assertSame(milan, "milan");
  const count = "select count(*) from forno.orders where status = 'Preparing'";
  assert.equal(await psql("-c", count), `${2 * rounds}\n`);
});
