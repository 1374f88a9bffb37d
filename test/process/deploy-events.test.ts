/**
 * The clients of data/deploy: programs that get a shop's events, and PostgreSQL. Each is killed and
 * started again, and goes on where it stopped.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { cleanUp, type Client, startForno, temporaryFolder } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import { deploy, hasTools } from "../helpers/machine.ts";
import { until } from "../helpers/patience.ts";
import { startPostgres } from "../helpers/postgres.ts";
import { blocksOf } from "../helpers/readme.ts";

const tools = ["bash", "curl", "jq", "iconv", "setpriv"];
const skip = hasTools(...tools) ? false : `needs ${tools.join(", ")}`;
const order = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };

function place(forno: Client, id: string): Promise<unknown> {
  return forno.write("POST", "/api/orders", { id, ...order });
}

/** A unit as systemd runs it: in a folder of its own, and started again whenever it ends. */
function startUnit(
  t: TestContext, program: string, forno: Client, settings: Record<string, string> = {},
) {
  const state = temporaryFolder(t);
  const env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    STATE_DIRECTORY: state,
    FORNO_URL: forno.origin,
    FORNO_TOKEN: forno.token({ role: "reader", sub: "client" }),
    ...settings,
  };
  /** The exit codes of the starts, oldest first; null for one that was killed. */
  const exitCodes: (number | null)[] = [];
  let child: ChildProcess;
  let isStopped = false;
  const start = (): void => {
    // Not even a test that is killed leaves one behind.
    const args = ["--pdeathsig", "KILL", join(deploy, "bin/forno-hook"), ...program.split(" ")];
    child = spawn("setpriv", args, { env, detached: true, stdio: "ignore" });
    child.once("exit", (code) => {
      kill();
      exitCodes.push(code);
      if (!isStopped) start();
    });
  };
  const kill = (): void => {
    try {
      process.kill(-(child.pid ?? assert.fail()), "SIGKILL");
    } catch {
      // All of its processes have ended.
    }
  };
  start();
  cleanUp(t, async () => {
    isStopped = true;
    const ended = once(child, "exit");
    kill();
    await ended;
  });
  return { state, env, exitCodes, kill };
}

test("a program gets each event, also after its failure and a kill", { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n[ ! -e refuse ] || exit 7\ncat >> seen\n", { mode: 0o755 });
  const log = join(folder, "calls");
  const curl = `#!/bin/sh\necho "$@" >> '${log}'\nPATH='${process.env["PATH"]}' exec curl "$@"\n`;
  writeFileSync(join(folder, "curl"), curl, { mode: 0o755 });
  const forno = await startForno(t, { env: { ORDER_READS: "own" } });
  const PATH = folder + delimiter + process.env["PATH"];
  const unit = startUnit(t, program, forno, { PATH });
  const textOf = (name: string): string =>
    existsSync(join(unit.state, name)) ? readFileSync(join(unit.state, name), "utf8") : "";
  const seen = (): { id: string; event: string; data: { id?: string } }[] =>
    textOf("seen").split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const isSeen = (count: number) => (): boolean =>
    seen().length === count && textOf("last-id") === `${seen().at(-1)?.id}\n`;
  await until(isSeen(1));
  await place(forno, "one");
  await until(isSeen(2));

  const refusal = join(unit.state, "refuse");
  writeFileSync(refusal, "");
  await place(forno, "two");
  await until(() => unit.exitCodes.length > 1);
  rmSync(refusal);
  await until(isSeen(3));
  unit.kill();
  await place(forno, "three");
  await until(isSeen(4));
  const events = seen().map(({ event, data }) => [event, data.id]);
  assert.deepEqual(events, [
    ["reset", undefined],
    ...["one", "two", "three"].map((id) => ["orders.created", id]),
  ]);
  assert.deepEqual(new Set(unit.exitCodes), new Set([7, null]));
  assert.doesNotMatch(readFileSync(log, "utf8"), /Bearer/, "everybody can read it with ps");

  // Curl's code for an error of HTTP.
  unit.env["FORNO_TOKEN"] = "refused";
  unit.kill();
  await until(() => unit.exitCodes.at(-1) === 22);
});

test("forno-api says on stderr why a request is refused", { skip }, async (t) => {
  const forno = await startForno(t);
  const api = join(deploy, "bin/forno-api");
  const ask = (token: string, path: string, ...args: string[]): Promise<unknown> => {
    const env = { PATH: process.env["PATH"], FORNO_URL: forno.origin, FORNO_TOKEN: token };
    return promisify(execFile)(api, [path, ...args], { env });
  };
  const patch = ["-X", "PATCH", "-d", "{}"];
  for (const [token, path, args, reason] of [
    ["x", "/api/shop", patch, "malformed token"],
    [forno.reader, "/api/shop", patch, "staff"],
    [forno.reader, "/api/orders/none", [], "no order has the id"],
  ] as const) {
    await assert.rejects(ask(token, path, ...args), ({ code, stdout, stderr }) =>
      code === 22 && stdout === "" && stderr.includes(reason));
  }
  const { json } = await forno.call("GET", "/api/toppings");
  const { stdout } = await ask(forno.reader, "/api/toppings") as { stdout: string };
  assert.deepEqual(JSON.parse(stdout), json);
  assert.deepEqual(await ask(forno.staff, "/api/toppings/funghi", "-X", "DELETE"),
    { stdout: "", stderr: "" });
});

/** A printer that keeps what it got, and the recipe's program for it. */
function ticketPrinter(t: TestContext, forno: Client) {
  const folder = temporaryFolder(t);
  const lp = `#!/bin/sh\necho "$*" >> calls\ncat >> paper\n`;
  writeFileSync(join(folder, "lp"), lp, { mode: 0o755 });
  const program = blocksOf("data/recipes.md").find(({ text }) => text.startsWith("#!"))?.text ?? "";
  writeFileSync(join(folder, "ticket"), program, { mode: 0o755 });
  const PATH = [folder, join(deploy, "bin"), process.env["PATH"]].join(delimiter);
  const env = {
    PATH, TZ: "Etc/GMT-1", FORNO_URL: forno.origin,
    FORNO_TOKEN: forno.token({ role: "reader", sub: "printer" }),
  };
  return {
    folder,
    /** The paper after that event, without the printer's codes. */
    async print(event: string, data: object): Promise<string> {
      const paper = join(folder, "paper");
      rmSync(paper, { force: true });
      const printing = promisify(execFile)(join(folder, "ticket"), { cwd: folder, env });
      printing.child.stdin?.end(JSON.stringify({ id: "1", event, data }));
      await printing;
      if (!existsSync(paper)) return "";
      const [, text = assert.fail()] =
        /^\x1b@\x1bt\x13([^]*)\n\n\n\n\x1dVB\0$/.exec(readFileSync(paper, "latin1")) ?? [];
      return text;
    },
  };
}

test("a ticket has an order as the printer can write it", { skip }, async (t) => {
  const forno = await startForno(t);
  const { folder, print } = ticketPrinter(t, forno);
  await forno.write("POST", "/api/toppings", {
    id: "ragu", name: "Ragù €", isVegetarian: false, isVegan: false,
  });
  const texts = { pizza: "Napoli", note: "don’t salt", name: "Łucja", table: "Table 7" };
  const wantedAt = "2026-01-31T23:30:00.000Z";
  for (const [id, more, head, pizza] of [
    ["one", {}, "one", "Large"],
    ["two", texts, "Table 7\nLucja", "Napoli, Large\ndon't salt"],
    ["three", { wantedAt, group: "K7", note: "аллергия? nuts" }, "K7",
      'Large\n"\\u0430\\u043b\\u043b\\u0435\\u0440\\u0433\\u0438\\u044f? nuts"'],
    // Struck out, which the printer would leave out.
    ["four", { note: "n\u0336u\u0336t\u0336s" }, "four",
      'Large\n"n\\u0336u\\u0336t\\u0336s"'],
  ] as const) {
    const items = { toppings: [{ id: "ragu" }], beverages: [{ id: "chinotto" }] };
    const body = { ...order, id, ...items, ...more };
    const placed = await forno.write("POST", "/api/orders", body);
    const hour = (new Date(placed.json.placedAt).getUTCHours() + 1) % 24;
    const time = `${String(hour).padStart(2, "0")}${placed.json.placedAt.slice(13, 16)}`;
    const wanted = "wantedAt" in more ? "\nfor 2026-02-01 00:30" : "";
    assert.equal(await print("orders.created", { id }),
      `${head}\n${time}${wanted}\n\n${pizza}\n  Rag\x97 \xd5\nChinotto`);
  }
  assert.equal(readFileSync(join(folder, "calls"), "utf8"), "-s -d tickets -o raw\n".repeat(4));
});

test("a ticket is printed once, and again when its order changes or is cancelled", { skip },
  async (t) => {
    const forno = await startForno(t);
    const { print } = ticketPrinter(t, forno);
    const change = (body: object): Promise<unknown> =>
      forno.write("PATCH", "/api/orders/one", body);
    await place(forno, "one");
    // After a pause, the order is printed as it is by then.
    await change({ note: "no cheese", table: "Table 4" });
    assert.match(await print("orders.created", { id: "one" }), /^Table 4\n[^]*no cheese/);
    // Served by mistake, and taken back.
    for (const status of ["Ready", "Delivered", "Ready"]) {
      await change({ status });
      assert.equal(await print("orders.updated", { id: "one" }), "");
    }
    await change({ note: "ALLERGY: nuts", table: "Table 9" });
    assert.match(await print("orders.updated", { id: "one" }),
      /^CHANGED\nTable 9\n[^]*ALLERGY: nuts/);
    await change({ status: "Cancelled" });
    assert.match(await print("orders.updated", { id: "one" }),
      /^CANCELLED\nTable 9\n[^]*ALLERGY: nuts/);
    assert.equal(await print("orders.updated", { id: "one" }), "");

    await place(forno, "two");
    await print("orders.created", { id: "two" });
    await forno.write("DELETE", "/api/orders/two");
    assert.match(await print("orders.deleted", { id: "two" }), /^CANCELLED\ntwo\n/);
    // Closed before it was printed.
    await place(forno, "three");
    await forno.write("PATCH", "/api/orders/three", { status: "Delivered" });
    assert.equal(await print("orders.created", { id: "three" }), "");
    assert.equal(await print("toppings.updated", { id: "one" }), "");
    // Events were missed.
    await place(forno, "four");
    assert.match(await print("reset", {}), /^four\n/);
    assert.equal(await print("reset", {}), "");
  });

test("PostgreSQL has what a shop has, after deletes, kills and restarts", { skip }, async (t) => {
  const postgres = await startPostgres(t);
  if (postgres === undefined) return t.skip("needs PostgreSQL");
  const { env, psql } = postgres;
  // A second time changes nothing.
  for (const _ of [1, 2]) await psql("-f", join(deploy, "postgres.sql"));
  const insert = "insert into forno.resource values";
  await psql("-c", `${insert} ('milan', 'orders', 'one', '{"id":"one"}')`);

  const forno = await startForno(t);
  const unit = startUnit(t, "forno-postgres rome", forno, env);
  const inShop = async (): Promise<unknown> => {
    const resources = new Map<string, unknown>([["milan orders one", { id: "one" }]]);
    for (const kind of ["shop", "toppings", "pizzasizes", "beverages", "orders"]) {
      const { json } = await forno.asStaff("GET", `/api/${kind}`);
      for (const data of [json].flat()) resources.set(`rome ${kind} ${data.id ?? "shop"}`, data);
    }
    return resources;
  };
  const select = "select json_agg(json_build_array(concat_ws(' ', shop, kind, id), data))";
  const lastId = join(unit.state, "last-id");
  /** Once the program has seen the last event. */
  const assertSame = async (): Promise<void> => {
    const last = `${forno.store.history.last}\n`;
    await until(() => existsSync(lastId) && readFileSync(lastId, "utf8") === last);
    const rows = JSON.parse(await psql("-c", `${select} from forno.resource`));
    assert.deepEqual(new Map(rows), await inShop());
  };
  await assertSame();

  const rounds = isLong ? 20 : 3;
  for (let round = 0; round < rounds; round += 1) {
    if (round === 1) await postgres.stop();
    await place(forno, `order-${round}`);
    await place(forno, `gone-${round}`);
    if (round === 2) unit.kill();
    const name = `O'Brien \\ "${round}" \\N :shop "event":"reset"`;
    await forno.write("PATCH", "/api/toppings/funghi", { name });
    await forno.write("DELETE", `/api/orders/gone-${round}`);
    unit.kill();
    await forno.write("PATCH", "/api/shop", { notice: `round ${round}` });
    if (round === 1) await postgres.start();
  }
  await assertSame();
  const count = "select count(*) from forno.orders where pizza_size = 'Large'";
  assert.equal(await psql("-c", count), `${rounds}\n`);
  const texts = { pizza: "Calzone", note: "hot", name: "Anna", table: "Table 7", group: "K7" };
  const wantedAt = "2026-01-31T23:30:00.000Z";
  await forno.write("PATCH", "/api/orders/order-0", { ...texts, wantedAt });
  await assertSame();
  const view = `select pizza, note, name, "table", "group", wanted_at at time zone 'UTC'
    from forno.orders where id = 'order-0'`;
  assert.equal(await psql("-c", view), "Calzone|hot|Anna|Table 7|K7|2026-01-31 23:30:00\n");

  // An event that the server does not know, and an order that it does not have.
  await psql("-c", `${insert} ('rome', 'orders', 'lost', '{"id":"lost"}')`);
  writeFileSync(lastId, "12\n");
  unit.kill();
  await assertSame();
});
