/**
 * The scripts of data/deploy that follow a shop: hooks and PostgreSQL. Each is killed and
 * started again, and goes on where it stopped.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual, promisify } from "node:util";
import {
  cleanUp, type Client, startForno, temporaryFolder,
} from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { deploy, hasTools, steps } from "../helpers/machine.ts";

const run = promisify(execFile);
const tools = ["bash", "curl", "jq", "iconv"];
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

const unitFile = readFileSync(join(deploy, "systemd/forno-client@.service"), "utf8");

/** systemd ignores SIGPIPE, unless the unit says otherwise, and no script can undo that. */
const launcher = /^IgnoreSIGPIPE=no$/m.test(unitFile)
  ? 'exec "$@"'
  : 'trap "" PIPE; exec "$@"';

/** Starts a script as forno-client@ does. */
class Unit {
  readonly #t: TestContext;
  readonly #command: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly state: string;
  #child: ChildProcess | undefined;
  /** Resolves when the script ends; null if it is killed. */
  exitCode: Promise<number | null> = Promise.resolve(null);

  /** `run`: the script and its argument, as RUN has them. */
  constructor(t: TestContext, run: string, forno: Client, env: Record<string, string> = {}) {
    this.#t = t;
    this.#command = run.split(" ");
    this.state = temporaryFolder(t);
    this.#env = {
      PATH: process.env["PATH"],
      LC_ALL: "C.UTF-8",
      STATE_DIRECTORY: this.state,
      FORNO_URL: forno.origin,
      FORNO_TOKEN: forno.token({ role: "reader", sub: "client" }),
      ...env,
    };
  }

  set token(token: string | undefined) {
    this.#env["FORNO_TOKEN"] = token;
  }

  start(): void {
    const [name = "", ...args] = this.#command;
    // A group of its own, which is killed as a whole, as systemd does.
    const options = { env: this.#env, detached: true, stdio: "ignore" } as const;
    const script = join(deploy, "bin", name);
    const child = spawn("sh", ["-c", launcher, "sh", script, ...args], options);
    this.#child = child;
    this.exitCode = once(child, "exit").then(([code]) => code);
    cleanUp(this.#t, () => this.kill());
  }

  async kill(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // All of its processes have ended.
    }
    await this.exitCode;
  }
}

test("a program gets each event, also after its failure and a kill", { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n[ ! -e refuse ] || exit 7\ncat >> seen\n", { mode: 0o755 });
  const log = join(folder, "calls");
  const curl = `#!/bin/sh\necho "$@" >> ${log}\nPATH=\${PATH#*:} exec curl "$@"\n`;
  writeFileSync(join(folder, "curl"), curl, { mode: 0o755 });
  const PATH = folder + delimiter + process.env["PATH"];
  const forno = await startForno(t, { env: { ORDER_READS: "own" } });
  const unit = new Unit(t, `forno-hook ${program}`, forno, { PATH });
  const textOf = (name: string): string => {
    const file = join(unit.state, name);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  };
  const seen = (): { id: string; event: string; data: { id?: string } }[] =>
    textOf("seen").split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const isSeen = (count: number) => (): boolean =>
    seen().length === count && textOf("last-id") === `${seen().at(-1)?.id}\n`;
  unit.start();
  await until(isSeen(1));
  await place(forno, "one");
  await until(isSeen(2));

  const refusal = join(unit.state, "refuse");
  writeFileSync(refusal, "");
  await place(forno, "two");
  assert.equal(await unit.exitCode, 1);
  rmSync(refusal);
  unit.start();
  await until(isSeen(3));
  await unit.kill();
  await place(forno, "three");
  unit.start();
  await until(isSeen(4));

  const events = seen().map(({ event, data }) => [event, data.id]);
  assert.deepEqual(events, [
    ["reset", undefined],
    ...["one", "two", "three"].map((id) => ["orders.created", id]),
  ]);
  const calls = readFileSync(log, "utf8");
  assert.match(calls, /Last-Event-ID: \d/);
  assert.doesNotMatch(calls, /Bearer/, "every user of the machine can read it with ps");
});

test("a refused token fails the unit, and a restart of the server does not", {
  skip,
}, async (t) => {
  const forno = await startForno(t);
  const unit = new Unit(t, "forno-hook /bin/true", forno);
  unit.start();
  await until(() => existsSync(join(unit.state, "last-id")));
  await forno.close();
  const [, successes = ""] = /^SuccessExitStatus=(.*)$/m.exec(unitFile) ?? [];
  assert.ok(["0", ...successes.split(" ")].includes(`${await unit.exitCode}`));
  await startForno(t, { dataDir: forno.dataDir, env: { PORT: `${forno.port}` } });
  unit.token = "refused";
  unit.start();
  assert.equal(await unit.exitCode, 22, "curl's code for an error of HTTP");
  unit.token = undefined;
  unit.start();
  assert.equal(await unit.exitCode, 1, "without a token it asks nothing");
});

test("a new order is one ticket, and other events are none", { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const lp = `#!/bin/sh\necho "$*" >> calls\ncat >> paper\n`;
  writeFileSync(join(folder, "lp"), lp, { mode: 0o755 });
  const program = steps("Follow a shop").find((block) => block.startsWith("#!")) ?? "";
  writeFileSync(join(folder, "ticket"), program, { mode: 0o755 });
  const env = { PATH: folder + delimiter + process.env["PATH"], LC_ALL: "C.UTF-8", TZ: "UTC" };
  const data = {
    id: "one", placedAt: "2026-01-31T18:05:00.000Z", pizzaSize: { name: "Large" },
    toppings: [{ name: "Ragù €" }], beverages: [{ name: "Cola" }],
  };
  for (const event of [
    { event: "orders.created", data },
    { event: "orders.created", data: { ...data, note: "no salt", table: "Table 7", group: "K7" } },
    { event: "orders.updated", data },
    { event: "reset", data: {} },
  ]) {
    const input = JSON.stringify({ id: "1", ...event });
    execFileSync(join(folder, "ticket"), { cwd: folder, env, input });
  }
  const tickets = ["one\n", "Table 7\nno salt\n"].map((head) =>
    `\x1b@\x1bt\x13${head}18:05\n\nLarge\n  Rag\x97 \xd5\nCola\n\n\n\n\x1dVB\0`);
  assert.equal(readFileSync(join(folder, "paper"), "latin1"), tickets.join(""));
  const calls = readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n");
  assert.deepEqual(calls, Array(2).fill("-s -d tickets -o raw"));
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
  for (const _ of [1, 2]) await psql("-f", join(deploy, "postgres.sql"));

  const kinds = ["shop", "toppings", "pizzasizes", "beverages", "orders"];
  const sorted = (resources: { id?: string }[]): unknown[] =>
    resources.sort((one, other) => `${one.id}` < `${other.id}` ? -1 : 1);
  const rowsOf = async (shop: string, kind: string): Promise<unknown> => sorted(JSON.parse(
    await psql("-c", `select coalesce(json_agg(data), '[]') from forno.resource
      where shop = '${shop}' and kind = '${kind}'`)));
  const assertSame = async (forno: Client, shop: string): Promise<void> => {
    for (const kind of kinds) {
      const { json } = await forno.asStaff("GET", `/api/${kind}`);
      const expected = sorted([json].flat());
      await until(async () => isDeepStrictEqual(await rowsOf(shop, kind), expected));
    }
  };

  const [rome, milan] = [await startForno(t), await startForno(t)];
  const [romeUnit, milanUnit] = [
    new Unit(t, "forno-postgres rome", rome, pg),
    new Unit(t, "forno-postgres milan", milan, pg),
  ];
  const units = [romeUnit, milanUnit];
  for (const unit of units) unit.start();
  await assertSame(rome, "rome");
  await assertSame(milan, "milan");

  const change = async (forno: Client, round: number): Promise<void> => {
    await place(forno, `order-${round}`);
    await place(forno, `gone-${round}`);
    const name = `O'Brien \\ "${round}" \\N :shop`;
    await forno.asStaff("PATCH", "/api/toppings/funghi", { name });
    await forno.asStaff("DELETE", `/api/orders/gone-${round}`);
    await forno.asStaff("PATCH", "/api/shop", { notice: `round ${round}` });
  };
  const rounds = isLong ? 20 : 3;
  for (let round = 0; round < rounds; round += 1) {
    const changes = Promise.all([rome, milan].map((forno) => change(forno, round)));
    if (round % 2 === 0) await changes;
    for (const unit of units) await unit.kill();
    await changes;
    for (const unit of units) unit.start();
  }
  await assertSame(rome, "rome");
  await assertSame(milan, "milan");
  const count = "select count(*) from forno.orders where pizza_size = 'Large'";
  assert.equal(await psql("-c", count), `${2 * rounds}\n`);

  // As when PostgreSQL restarts.
  await psql("-c", `select pg_terminate_backend(pid) from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`);
  let ended = 0;
  for (const unit of units) void unit.exitCode.then(() => (ended += 1));
  for (let count = 0; ended < units.length; count += 1) {
    for (const forno of [rome, milan]) await place(forno, `late-${count}`);
  }
  for (const unit of units) unit.start();
  await assertSame(rome, "rome");
  await assertSame(milan, "milan");

  // A position that the server does not know, and an order that it does not have.
  await romeUnit.kill();
  await psql("-c", `update forno.position set event_id = '12' where shop = 'rome';
    insert into forno.resource values ('rome', 'orders', 'lost', '{"id":"lost"}')`);
  romeUnit.start();
  await assertSame(rome, "rome");
  await assertSame(milan, "milan");
});
