/**
 * The start (contract part 1). Without a terminal: one JSON line, in any working directory. On a
 * terminal, which is util-linux's `script`: a short banner with the addresses, the data folder and
 * two sign-in links. A start that cannot succeed is one line that says what is wrong and what to
 * do, exit code 1, no stack, no secret. api/log.test.ts tests the log.
 */

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync,
  writeFileSync,
} from "node:fs";
import { Server } from "node:http";
import { type AddressInfo, Server as NetServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { explain } from "../../src/commands/command.ts";
import { diskFileSystem } from "../../src/store/file-system.ts";
import { spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { programOf } from "../helpers/node.ts";
import { until } from "../helpers/patience.ts";
import { rawExchange } from "../helpers/raw-http.ts";
import { cleanEnvironment, runToExit, type Settings } from "../helpers/run.ts";
import { topping } from "../helpers/samples.ts";
import { orderLine, storeFile } from "../helpers/store-file.ts";

test("from any folder, the start is one JSON line, and it outlives who started it", async (t) => {
  const forno = await spawnForno(t, { cwd: "/", env: { LOG_LEVEL: "silent", TRUST_PROXY: "on" } });
  const { time: _, ...line } = JSON.parse(forno.stdout());
  assert.deepEqual(line, {
    level: "info", msg: "listening", url: forno.origin, data: forno.dataDir, new: true, orders: 0,
    orderReads: "own", rateLimit: 100, guestOrders: "off", trustProxy: "on",
  });
  // As below nohup.
  forno.child.kill("SIGHUP");
  const { json } = await forno.call("GET", "/api/toppings/funghi");
  assert.equal(json.name, "Mushrooms");
  await forno.end();
  assert.equal(forno.stderr(), "");
});

test("a start tells misspelled settings, its orders, and when they changed last", async (t) => {
  const days = ["2026-01-30", "2026-02-01", "2026-01-31"];
  const lines = days.map((day) => orderLine(day, `${day}T18:00:00.000Z`));
  const dataDir = temporaryFolder(t);
  writeFileSync(join(dataDir, "store.ndjson"), storeFile(lines));
  const forno = await spawnForno(t, { dataDir, env: { RATELIMIT: "3" } });
  const log = forno.stdout().trimEnd().split("\n").map((line) => JSON.parse(line));
  const misspelled = "RATELIMIT is no setting and does nothing; did you mean RATE_LIMIT?";
  assert.deepEqual([log[0].level, log[0].msg], ["error", misspelled]);
  const { orders, lastChangeAt } = log.find(({ msg }) => msg === "listening");
  assert.deepEqual([orders, lastChangeAt], [3, "2026-02-01T18:00:00.000Z"]);
});

// The one of BSD and macOS takes other options.
const hasScript = String(spawnSync("script", ["--version"]).stdout).includes("util-linux");
const skip = hasScript ? false : "needs util-linux's script";

/** Resolves when the banner is complete. */
async function startOnTerminal(t: TestContext, settings: Settings = {}) {
  const folder = realpathSync(temporaryFolder(t));
  const dataDir = join(folder, "store");
  const pidFile = join(folder, "pid");
  const words = [process.execPath, ...programOf("server")].map((word) => `"${word}"`).join(" ");
  const command = `echo $$ > "${pidFile}"; exec ${words}`;
  const env = cleanEnvironment({ PORT: "0", DATA_DIR: dataDir, TERM: "xterm", ...settings });
  const child = spawn("script", ["-qec", command, "/dev/null"], { env, stdio: "pipe" });
  t.after(() => void child.kill("SIGKILL"));
  // The exit code; of a signal 128 and its number.
  const ended = once(child, "close").then(([code]) => code);
  let text = "";
  const shown = (): string => text.replaceAll("\r", "");
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("Ctrl-C")) resolve();
    });
    void ended.then(() => reject(new Error(`Expected a banner, got ${shown()}`)));
  });
  const banner = shown();
  const pid = Number(readFileSync(pidFile, "utf8"));
  const found = banner.matchAll(/(http\S+)#token=(\S+)/g);
  const links = Array.from(found, ([, url = "", token = ""]) => ({ url: new URL(url), token }));
  return { banner, links, dataDir, shown, child, ended, pid };
}

test("a terminal is shown the folder, its content and two sign-in links for an hour", {
  skip,
}, async (t) => {
  const { banner, links, dataDir, child, ended, shown } = await startOnTerminal(t);
  assert.ok(banner.split("\n").length < 25, banner);
  for (const words of [
    `${dataDir} (new)`, "16 toppings",
    "ORDER_READS=public GUEST_ORDERS=10 RATE_LIMIT=off TRUST_PROXY=(not set)",
  ]) assert.ok(banner.includes(words), banner);
  assert.doesNotMatch(banner, /[^\n -~]/, "plain text, without colors");
  assert.deepEqual(links.map(({ url }) => url.pathname), ["/", "/board"]);
  for (const [index, { url, token }] of links.entries()) {
    const { exp, role, sub } = JSON.parse(atob(token.split(".")[1] ?? ""));
    assert.equal(role, ["customer", "owner"][index]);
    // The board shows it: "This device is …".
    assert.equal(sub, `${role}-link`);
    assert.ok(Math.abs(exp - Date.now() / 1_000 - 3_600) < 300);
    const headers = { authorization: `Bearer ${token}` };
    const metrics = await fetch(new URL("/metrics", url), { headers });
    assert.equal(metrics.status, [403, 200][index]);
  }
  child.stdin.write("\u0003");
  assert.equal(await ended, 0);
  // The log.
  assert.match(shown(), /^\d\d:\d\d:\d\d info +stopped$/m);
});

test("on all addresses the links open on another device", { skip }, async (t) => {
  const { dataDir, close } = await startForno(t);
  await close();
  const settings = { HOST: "0.0.0.0", DATA_DIR: dataDir };
  const { banner, links, child, ended } = await startOnTerminal(t, settings);
  const abroad = Object.values(networkInterfaces()).flatMap((all = []) => all)
    .filter(({ internal, family }) => !internal && family === "IPv4").map(({ address }) => address);
  for (const address of [...abroad, "127.0.0.1"]) assert.ok(banner.includes(`http://${address}:`));
  const [first = "127.0.0.1"] = abroad;
  assert.deepEqual(links.map(({ url }) => url.hostname), [first, first]);
  for (const words of [
    `${dataDir} (opened)`, "ORDER_READS=own GUEST_ORDERS=off RATE_LIMIT=100",
  ]) assert.ok(banner.includes(words), banner);
  child.stdin.write("\u0003");
  assert.equal(await ended, 0);
});

test("a closed terminal ends the server, and what was answered stays", { skip }, async (t) => {
  const { links, dataDir, pid, ended } = await startOnTerminal(t);
  const { url, token } = links[1] ?? assert.fail();
  const headers = { authorization: `Bearer ${token}` };
  const deleted = await fetch(new URL("/api/toppings/funghi", url), { method: "DELETE", headers });
  assert.equal(deleted.status, 204);
  process.kill(pid, "SIGHUP");
  assert.equal(await ended, 129);
  const { call } = await startForno(t, { dataDir });
  assert.equal((await call("GET", "/api/toppings/funghi")).status, 404);
});

test("a terminal that nobody reads holds up no answer", { skip }, async (t) => {
  const { links, child, pid, ended } = await startOnTerminal(t, { LOG_LEVEL: "debug" });
  child.stdout.pause();
  // A line in the log each, of more than 600 bytes: more than all buffers on the way hold.
  const get = `GET /${"x".repeat(600)} HTTP/1.1\r\nHost: localhost\r\n`;
  const [one, last] = [`${get}\r\n`, `${get}Connection: close\r\n\r\n`];
  const port = Number(links[0]?.url.port);
  for (let connection = 0; connection < 400; connection += 1) {
    const responses = await rawExchange(port, one + last);
    assert.equal(responses.match(/^HTTP\/1\.1 404 /gm)?.length, 2);
  }
  child.stdout.resume();
  process.kill(pid, "SIGTERM");
  assert.equal(await ended, 0);
});

/** Starts a server that must end in one line with these words. */
async function refuse(
  t: TestContext, env: Record<string, string>, ...words: readonly string[]
): Promise<void> {
  const line = await startForno(t, { env }).then(() => assert.fail("it started"), explain);
  assert.doesNotMatch(line, /\n|^\s+at |node:internal|\.js:\d+/);
  for (const word of words) assert.ok(line.includes(word), `${word} in ${line}`);
}

function fifo(path: string): string {
  execFileSync("mkfifo", [path]);
  return path;
}

test("a failed start is one line on stderr and exit code 1, --help an answer", async (t) => {
  for (const [settings, args, reason] of [
    [{ PORT: "65536" }, [], /^forno: PORT is "65536", but must be a whole number from 0 to 65535$/],
    [{}, ["--port", "8080"], /^forno: expected no arguments, got --port: .*PORT=8080 node dist/],
  ] as const) {
    const { code, stdout, lines } = await runToExit(t, "server", args, settings);
    assert.deepEqual([code, stdout, lines.length], [1, "", 1], lines.join("\n"));
    assert.match(lines[0] ?? "", reason);
  }
  const help = await runToExit(t, "server", ["--help"]);
  const words = /^0 Serves Forno: settings [^]*PORT=8080 node dist\/server\.js/;
  assert.match(`${help.code} ${help.stdout}`, words);
});

test("a Node that is too old is told which one is needed, by every command", async (t) => {
  const script = 'Object.defineProperty(process,"versions",{value:{node:"20.14.9"}})';
  for (const name of ["server", "token"]) {
    const module = `data:text/javascript,${encodeURIComponent(script)}`;
    // tsx takes the false version for a true one, and a way of loading that Node 26 warns of.
    const settings = { NODE_OPTIONS: `--import=${module}`, NODE_NO_WARNINGS: "1" };
    const { code, lines } = await runToExit(t, name, [], settings);
    assert.equal(code, 1, lines.join("\n"));
    assert.deepEqual(lines, ["forno: Node 20.14.9 is too old. Install Node 20.15 or newer."]);
  }
});

test("a port, an address or a folder that cannot be used stops the start", async (t) => {
  const first = await startForno(t);
  const port = `${first.port}`;
  const second = await startForno(t);
  await second.close();
  const path = join(second.dataDir, "store.ndjson");
  const { ino } = statSync(path);
  const taken = `Port ${port} is already in use. Set PORT to another one, or stop the program`;
  // The last is a name that no resolver has to look up.
  for (const [env, words] of [
    [{ PORT: port }, taken],
    ...["203.0.113.1", "a..b"].map((HOST) =>
      [{ HOST }, `HOST "${HOST}" is not an address of this machine. `] as const),
  ] as const) {
    for (const DATA_DIR of [second.dataDir, join(temporaryFolder(t), "new")]) {
      await refuse(t, { ...env, DATA_DIR, TOKEN_SECRET: "" }, words);
      const isNew = DATA_DIR !== second.dataDir;
      assert.deepEqual(readdirSync(DATA_DIR), isNew ? [] : ["store.ndjson"], "nothing is written");
    }
    assert.equal(statSync(path).ino, ino, "nor written afresh");
  }
  const { dataDir } = first;
  await refuse(t, { DATA_DIR: dataDir }, `another process is using the folder ${dataDir}`);
  await first.write("POST", "/api/toppings", topping());
});

test("until the store is read, every request is 503 and says when to come back", async (t) => {
  const listen = t.mock.method(NetServer.prototype, "listen");
  let goOn = (): void => {};
  const reading = new Promise<void>((resolve) => (goOn = resolve));
  const { stat } = diskFileSystem;
  t.mock.method(diskFileSystem, "stat", async (path: string) => {
    await reading;
    return stat(path);
  });
  const starting = startForno(t);
  const isHttp = (one: unknown): one is Server => one instanceof Server && one.listening;
  await until(() => listen.mock.calls.some((call) => isHttp(call.this)));
  const server = listen.mock.calls.map((call): unknown => call.this).find(isHttp);
  const { port } = server?.address() as AddressInfo;
  for (const path of ["/healthz", "/readyz", "/", "/api/orders", "/nowhere"]) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "1"], path);
    const { type } = await response.json() as { type: string };
    assert.equal(type, "/problems#starting");
  }
  goOn();
  const forno = await starting;
  assert.equal((await forno.call("GET", "/readyz")).status, 200);
});

test("a path that cannot be used stops the start and is named", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "a\nfile");
  writeFileSync(file, "no folder");
  const none = join(folder, "none.json");
  await refuse(t, { MENU_FILE: none }, `${none}: cannot be read: ENOENT`);
  for (const path of [folder, fifo(join(folder, "fifo"))]) {
    await refuse(t, { MENU_FILE: path }, `${path}: cannot be read: expected a file, got a folder`);
  }
  for (const path of [file, join(file, "below"), "/sys/forno-store"]) {
    // A line break in its name is still told in one line.
    const name = path.replace("\n", "\\u000a");
    await refuse(t, { DATA_DIR: path }, name, "this user can read and write");
  }
  assert.equal(readFileSync(file, "utf8"), "no folder");
});

test("a folder that cannot be written is refused with what it must be", {
  skip: process.getuid?.() === 0 && "needs a user whom permissions bind",
}, async (t) => {
  const DATA_DIR = temporaryFolder(t);
  chmodSync(DATA_DIR, 0o500);
  await refuse(t, { DATA_DIR }, DATA_DIR, "this user can read and write");
});

test("a folder, a pipe or a link in the place of the store stops the start", async (t) => {
  const { dataDir } = await startForno(t);
  for (const make of [
    mkdirSync,
    fifo,
    (path: string) => symlinkSync("nowhere", path),
    // Two servers with such links would write into one file.
    (path: string) => symlinkSync(join(dataDir, "store.ndjson"), path),
  ]) {
    const DATA_DIR = temporaryFolder(t);
    make(join(DATA_DIR, "store.ndjson"));
    await refuse(t, { DATA_DIR }, "store.ndjson: expected a file, got a folder, a link,");
    assert.deepEqual(readdirSync(DATA_DIR), ["store.ndjson"]);
  }
});
