/**
 * The start on a terminal (contract part 1): a short banner with the addresses, the data folder and
 * two sign-in links. The terminal is util-linux's `script`, where the machine has it.
 */
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startForno, temporaryFolder } from "../helpers/forno.ts";
import { rawExchange } from "../helpers/raw-http.ts";
import { cleanEnvironment, entry, type Settings } from "./run.ts";

// The one of BSD and macOS takes other options.
const hasScript = spawnSync("script", ["--version"]).stdout?.toString().includes("util-linux");

interface Terminal {
  /** The text on the terminal once both sign-in links had come. */
  readonly banner: string;
  readonly dataDir: string;
  /** All the text so far. */
  shown(): string;
  /** Ends it as a person does, with control-C. */
  end(): Promise<number | null>;
  /** The exit code; of a signal 128 and its number. */
  readonly ended: Promise<number | null>;
  readonly child: ChildProcessWithoutNullStreams;
  /** The server's. */
  readonly pid: number;
  readonly isRunning: () => boolean;
}

/** The last line, after both links. */
const bothLinks = /#\S*eyJ[^]*#\S*eyJ[^]*Ctrl-C/;

async function startOnTerminal(t: TestContext, settings: Settings = {}): Promise<Terminal> {
  const dataDir = join(await realpath(temporaryFolder(t)), "store");
  const pidFile = join(dirname(dataDir), "pid");
  const words = [process.execPath, ...entry("server")].map((word) => `"${word}"`).join(" ");
  const command = `echo $$ > "${pidFile}"; exec ${words}`;
  const env = cleanEnvironment({ PORT: "0", DATA_DIR: dataDir, TERM: "xterm", ...settings });
  const child = spawn("script", ["-qec", command, "/dev/null"], { env, stdio: "pipe" });
  t.after(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  let shown = "";
  const plain = (): string => shown.replaceAll("\r", "");
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString();
      if (bothLinks.test(plain())) resolve();
    });
    void ended.then(() => reject(new Error(`Expected a banner, got ${plain()}`)));
  });
  const end = (): Promise<number | null> => {
    child.stdin.write("\u0003");
    return ended;
  };
  const pid = Number(readFileSync(pidFile, "utf8"));
  const rest = { dataDir, end, ended, child, pid, isRunning: () => isRunning(pid) };
  return { banner: plain(), shown: plain, ...rest };
}

/** One that has ended is a zombie, state Z, until its parent has seen that; then it is gone. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const linksIn = (banner: string): URL[] =>
  (banner.match(/https?:\/\/\S+#\S*eyJ\S+/g) ?? []).map((link) => new URL(link));

function tokenOf(link: URL): string {
  return /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(link.hash)?.[0] ?? "";
}

interface Claims {
  readonly role?: string;
  readonly exp?: number;
}

function claimsOf(token: string): Claims {
  const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
  return JSON.parse(payload) as Claims; // Both are asserted below.
}

test("a terminal is shown the folder, its content and two sign-in links for an hour", async (t) => {
  if (hasScript !== true) return t.skip("needs util-linux's script");
  const { banner, dataDir, end, shown } = await startOnTerminal(t);
  assert.ok(banner.split("\n").length < 25, banner);
  assert.ok(banner.includes(`${dataDir} (new)`), banner);
  assert.match(banner, /16 toppings/);
  const held = "ORDER_READS=public GUEST_ORDERS=on RATE_LIMIT=off TRUST_PROXY=(not set)";
  assert.ok(banner.includes(held), banner);
  assert.doesNotMatch(banner, /[^\n -~]/, "plain text, without colors");
  const links = linksIn(banner);
  assert.equal(links.length, 2);
  assert.deepEqual(links.map(({ pathname }) => pathname).sort(), ["/", "/board"]);
  const roles = { "/": "customer", "/board": "staff" } as Readonly<Record<string, string>>;
  for (const link of links) {
    const token = tokenOf(link);
    const { role, exp = 0 } = claimsOf(token);
    assert.equal(role, roles[link.pathname]);
    assert.ok(Math.abs(exp - Date.now() / 1000 - 3600) < 300);
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await fetch(new URL("/api/orders", link), { headers })).status, 200);
    const metrics = await fetch(new URL("/metrics", link), { headers });
    assert.equal(metrics.status, role === "staff" ? 200 : 403);
  }
  assert.equal(await end(), 0);
  // The log.
  assert.match(shown(), /^\d\d:\d\d:\d\d info +stopped$/m);
});

test("on all addresses the links open on another device", async (t) => {
  if (hasScript !== true) return t.skip("needs util-linux's script");
  const { dataDir, close } = await startForno(t);
  await close();
  const { banner, end } = await startOnTerminal(t, { HOST: "0.0.0.0", DATA_DIR: dataDir });
  assert.ok(banner.includes(`${dataDir} (opened)`), banner);
  const isAbroad = (address: NetworkInterfaceInfo): boolean =>
    !address.internal && address.family === "IPv4";
  const abroad = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(isAbroad));
  for (const { address } of [...abroad, { address: "127.0.0.1" }]) {
    assert.match(banner, new RegExp(`http://${address}:\\d+`));
  }
  const [first = "127.0.0.1"] = abroad.map(({ address }) => address);
  assert.deepEqual(linksIn(banner).map(({ hostname }) => hostname), [first, first]);
  assert.ok(banner.includes("ORDER_READS=own GUEST_ORDERS=off RATE_LIMIT=100"), banner);
  assert.equal(await end(), 0);
});

test("a closed terminal ends the server, and what was answered stays", async (t) => {
  if (hasScript !== true) return t.skip("needs util-linux's script");
  const { banner, dataDir, pid, ended } = await startOnTerminal(t);
  const board = linksIn(banner).find(({ pathname }) => pathname === "/board") ?? assert.fail();
  const headers = { authorization: `Bearer ${tokenOf(board)}` };
  const topping = new URL("/api/toppings/funghi", board);
  const deleted = await fetch(topping, { method: "DELETE", headers });
  assert.equal(deleted.status, 204);
  process.kill(pid, "SIGHUP");
  assert.equal(await ended, 129);
  const { call } = await startForno(t, { dataDir });
  assert.equal((await call("GET", "/api/toppings/funghi")).status, 404);
});

test("a terminal that nobody reads holds up no answer", { timeout: 180_000 }, async (t) => {
  if (hasScript !== true) return t.skip("needs util-linux's script");
  const { banner, child, pid, isRunning } = await startOnTerminal(t, { LOG_LEVEL: "debug" });
  child.stdout.pause();
  // A line in the log each, of more than 120 bytes: more than all buffers on the way hold.
  const get = "GET /api/shop HTTP/1.1\r\nHost: localhost\r\n";
  const one = `${get}X-Request-Id: ${"x".repeat(120)}\r\n\r\n`;
  const last = `${get}Connection: close\r\n\r\n`;
  const port = Number(linksIn(banner)[0]?.port);
  for (let connection = 0; connection < 130; connection += 1) {
    const responses = await rawExchange(port, one.repeat(15) + last);
    assert.equal(responses.match(/^HTTP\/1\.1 200 /gm)?.length, 16);
  }
  child.stdout.resume();
  process.kill(pid, "SIGTERM");
  while (isRunning()) await setImmediate();
});
