/**
 * How the built service starts where no terminal is (contract part 1): one JSON line, no token
 * anywhere in what it writes, its folder where DATA_DIR says, whatever the working directory.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { spawnForno, temporaryFolder, type FornoProcess } from "../helpers/forno.ts";
import { cleanEnvironment, entry, runToExit } from "./run.ts";

type LogLine = Readonly<Record<string, unknown>>;

/** Every line on stdout, each of which must be a JSON object. */
function logLines(forno: FornoProcess): LogLine[] {
  const lines = forno.stdout().split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const parsed: unknown = JSON.parse(line);
    assert.ok(typeof parsed === "object" && parsed !== null && !Array.isArray(parsed), line);
    return parsed as LogLine; // Just found to be an object.
  });
}

const topping = { name: "Rocket", isVegetarian: true, isVegan: true };

test("--help is an answer, and nothing is served", async (t) => {
  const { exit, lines } = await runToExit(t, "server.js", ["--help"]);
  assert.equal(exit.code, 0);
  assert.match(lines.join("\n"), /^Serves Forno: settings .*PORT=8080 node dist\/server\.js/);
});

test("without a terminal the start is one JSON line with the address and the folder", async (t) => {
  const forno = await spawnForno(t, { env: { LOG_LEVEL: "info" } });
  const listening = logLines(forno).filter(({ msg }) => msg === "listening");
  assert.equal(listening.length, 1, forno.stdout());
  assert.equal(String(listening[0]?.["url"]).replace(/\/$/, ""), forno.origin);
  assert.equal(await realpath(String(listening[0]?.["data"])), await realpath(forno.dataDir));
  assert.equal(listening[0]?.["new"], true);
  assert.equal((await fetch(`${forno.origin}/healthz`)).status, 200);
});

test("the log is JSON lines and holds no token, good or bad, at any level", async (t) => {
  const forno = await spawnForno(t, { env: { LOG_LEVEL: "debug" } });
  const { staff, customer } = forno;
  const bad = `${staff.slice(0, -4)}AAAA`;
  await forno.call("POST", "/api/toppings", { token: staff, body: topping });
  await forno.call("POST", "/api/toppings", { token: customer, body: topping });
  await forno.call("POST", "/api/toppings", { token: bad, body: topping });
  await forno.call("GET", `/api/toppings?access_token=${staff}`);
  await forno.call("GET", `/api/toppings/${staff}`);
  await forno.call("GET", "/api/toppings", { headers: { cookie: `token=${staff}` } });
  await forno.call("POST", "/api/toppings", { token: staff, body: `{"token":"${staff}"` });
  await forno.call("GET", "/api/toppings/a%0A%7B%22msg%22%3A%22forged%22%7D%0Ab%1b[31m");
  await forno.end();
  assert.ok(logLines(forno).every(({ msg }) => msg !== "forged"));
  const written = forno.stdout() + forno.stderr();
  for (const part of [staff, customer, bad].flatMap((token) => token.split(".").slice(1))) {
    assert.ok(!written.includes(part), `${part} was written`);
  }
  assert.ok(!written.includes(forno.secret));
});

test("the request log says who asked for what and how it went, and no body", async (t) => {
  const forno = await spawnForno(t, { env: { LOG_LEVEL: "debug" } });
  const headers = { "x-request-id": "log-test-0001" };
  await forno.asStaff("POST", "/api/toppings", { ...topping, name: "Unmistakable" }, headers);
  await forno.end();
  const line = forno.stdout().split("\n").filter((each) => each.includes("log-test-0001"));
  assert.equal(line.length, 1, forno.stdout());
  for (const part of ["POST", "/api/toppings", "201", "staff", "\"sub\":\"rosa\""]) {
    assert.ok(line[0]?.includes(part), `${part} in ${line[0]}`);
  }
  assert.ok(!forno.stdout().includes("Unmistakable"));
});

test("LOG_LEVEL=info leaves reads out and writes in, and cuts long unknown paths", async (t) => {
  const forno = await spawnForno(t, { env: { LOG_LEVEL: "info" } });
  await forno.call("GET", "/api/toppings/funghi");
  await forno.asStaff("POST", "/api/toppings", topping);
  await forno.call("GET", `/${forno.staff}/${"x".repeat(9_000)}`);
  await forno.end();
  assert.doesNotMatch(forno.stdout(), /funghi/);
  assert.match(forno.stdout(), /POST/);
  const line = logLines(forno).find(({ status }) => status === 404);
  assert.match(String(line?.["path"]), /^\/.{100,500}…$/);
  assert.ok(!forno.stdout().includes(forno.staff.slice(0, 30)));
  assert.equal(forno.stderr(), "");
});

test("it works from any working directory with the starter menu and the pages", async (t) => {
  const forno = await spawnForno(t, { cwd: "/" });
  const { json } = await forno.call("GET", "/api/toppings/funghi");
  assert.equal(json.name, "Mushrooms");
  for (const path of ["/", "/board"]) {
    const page = await forno.call("GET", path);
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  }
});

test("a menu is loaded once: what was deleted stays deleted over a restart", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const first = await spawnForno(t, { dataDir });
  const path = "/api/toppings/funghi";
  assert.equal((await first.asStaff("DELETE", path)).status, 204);
  await first.end();
  const second = await spawnForno(t, { dataDir });
  assert.equal((await second.call("GET", path)).status, 404);
  assert.equal((await second.call("GET", "/api/toppings/basilico")).status, 200);
});

test("a start says in one line that anyone on the network can read orders", async (t) => {
  for (const [env, count] of [
    [{ HOST: "0.0.0.0" }, 1],
    [{ HOST: "0.0.0.0", ORDER_READS: "own" }, 0],
    [{ HOST: "127.0.0.1" }, 0],
  ] as const) {
    const forno = await spawnForno(t, { env });
    await forno.end();
    const lines = logLines(forno).filter(({ msg }) => String(msg).includes("can read all orders"));
    assert.equal(lines.length, count, forno.stdout());
  }
});

test("X-Forwarded-For that nobody asked for is warned of once", async (t) => {
  const forno = await spawnForno(t, { env: { LOG_LEVEL: "info" } });
  for (let asked = 0; asked < 3; asked += 1) {
    await forno.call("GET", "/api/toppings", { headers: { "x-forwarded-for": "203.0.113.9" } });
  }
  await forno.end();
  assert.equal(forno.stdout().split("TRUST_PROXY").length, 2, forno.stdout());
});

test("a write whose client has left is carried out and logged", async (t) => {
  const forno = await spawnForno(t);
  const body = JSON.stringify({ id: "rucola-9", ...topping });
  const socket = connect(forno.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    "POST /api/toppings HTTP/1.1\r\nHost: forno\r\n" +
      `Authorization: Bearer ${forno.staff}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  setImmediate(() => socket.resetAndDestroy());
  while ((await forno.call("GET", "/api/toppings/rucola-9")).status !== 200);
  await forno.end();
  const lines = logLines(forno).filter(({ method }) => method === "POST");
  assert.deepEqual(lines.map(({ path, status }) => [path, status]), [["/api/toppings", 201]]);
});

test("a standard output that cannot be written is no reason not to serve", {
  skip: existsSync("/dev/full") ? false : "there is no /dev/full",
}, async (t) => {
  // No other test listens on this loopback address, so the port stays free.
  const HOST = "127.0.0.77";
  const taken = createServer().listen(0, HOST);
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, "close");
  const DATA_DIR = join(temporaryFolder(t), "store");
  const env = cleanEnvironment({ HOST, PORT: `${port}`, DATA_DIR });
  const full = openSync("/dev/full", "w");
  const file = entry("server.js");
  const child = spawn(process.execPath, [file], { env, stdio: ["pipe", full, "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  closeSync(full);
  const exited = once(child, "exit");
  const answer = async (): Promise<number> => {
    assert.equal(child.exitCode, null);
    const response = await fetch(`http://${HOST}:${port}/readyz`).catch(() => undefined);
    return response?.status ?? answer();
  };
  assert.equal(await answer(), 200);
  child.kill("SIGTERM");
  assert.deepEqual(await exited, [0, null]);
});
