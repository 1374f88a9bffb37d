/**
 * README.md does what it shows: its console blocks, run in their order in one shell against a fresh
 * server, answer what stands there, with times, tokens and the numbers of events masked; and its
 * other examples run. What it lists is compared in readme-lists.test.ts.
 */

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { cleanUp, type FornoProcess, spawnForno, temporaryFolder } from "./helpers/forno.ts";
import { blocks, type Command, commandsIn, root, section } from "./helpers/readme.ts";

const run = promisify(execFile);
const has = (tool: string): boolean => spawnSync(tool, ["--version"]).status === 0;
const hasTools = has("bash") && has("curl");
const hasJq = has("jq");

function masked(output: string): string {
  return output
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "TOKEN")
    .replaceAll(/"id":"\d+","event"/g, '"id":"NUMBER","event"')
    .replaceAll(/\/\S+(?=\/restored,)/gm, "FOLDER");
}

/** The project's folder as a newcomer has it, but what a command writes goes elsewhere. */
function projectFolder(t: TestContext): string {
  const folder = temporaryFolder(t);
  for (const name of ["dist", "data"]) symlinkSync(join(root, name), join(folder, name));
  return folder;
}

/** `node` in there is the one that runs the tests. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const path = dirname(process.execPath) + delimiter + process.env["PATH"];
  return { PATH: path, LC_ALL: "C.UTF-8", ...settings };
}

/** A bash with the settings of a server that runs: what it reads, or one command. */
class Shell {
  readonly #child: ChildProcess;
  #output = "";
  #arrived = (): void => {};

  constructor(t: TestContext, { dataDir, secret }: FornoProcess, command?: string) {
    // bash takes node's pipe for a remote login, and would read the user's start-up files.
    const args = ["--norc", ...(command === undefined ? ["-s"] : ["-c", command])];
    const env = environment({ DATA_DIR: dataDir, TOKEN_SECRET: secret });
    this.#child = spawn("bash", args, { cwd: projectFolder(t), env });
    cleanUp(t, () => this.#child.kill());
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (piece: Buffer) => {
        this.#output += piece.toString();
        this.#arrived();
      });
    }
  }

  async run(command: string): Promise<string> {
    this.#child.stdin?.write(`${command}\nprintf '\\0'\n`);
    return (await this.output((text) => text.endsWith("\0"))).slice(0, -1);
  }

  /** Takes what was put out, once that is enough. */
  async output(isEnough: (text: string) => boolean): Promise<string> {
    while (!isEnough(this.#output)) {
      await new Promise<void>((resolve) => (this.#arrived = resolve));
    }
    const text = this.#output;
    this.#output = "";
    return text;
  }
}

/** A command that goes on until Ctrl-C, in a terminal of its own. Resolves once it is connected. */
async function startStream(t: TestContext, forno: FornoProcess, command: string): Promise<Shell> {
  const shell = new Shell(t, forno, `exec ${command}`);
  const metrics = async (): Promise<string> =>
    (await forno.call("GET", "/metrics", { token: forno.staff })).text;
  while (!/^forno_event_streams 1$/m.test(await metrics()));
  return shell;
}

test("its console blocks do what they show", { timeout: 60_000 }, async (t) => {
  if (!hasTools) return t.skip("needs bash and curl");
  const forno = await spawnForno(t);
  const shell = new Shell(t, forno);
  const streams: { readonly stream: Shell; readonly command: Command }[] = [];
  const commands = blocks("console").flatMap(commandsIn);
  for (const command of commands.filter(({ text }) => hasJq || !text.includes("jq "))) {
    const text = command.text.replaceAll("localhost:3000", `localhost:${forno.port}`);
    if (text.startsWith("curl -sN ")) {
      streams.push({ stream: await startStream(t, forno, text), command });
    } else {
      assert.equal(masked(await shell.run(text)), masked(command.expected), command.text);
    }
  }
  assert.equal(streams.length, 1);
  for (const { stream, command: { text, expected } } of streams) {
    const lines = expected.split("\n").length;
    const shown = await stream.output((output) => output.split("\n").length >= lines);
    assert.equal(masked(shown), masked(expected), text);
  }
});

const site = "A site of your own in front";

/** The settings that the section begins with. */
function siteSettings(): Record<string, string> {
  const [, settings = ""] = /^With `([^`]+)`/m.exec(section(site)) ?? [];
  return Object.fromEntries(settings.split(" ").map((setting) => setting.split("=")));
}

const losingOneAnswer = `
const real = fetch;
let isLost = false;
globalThis.fetch = async (url, init) => {
  const answer = await real(url, init);
  if (isLost || !url.endsWith("/api/orders")) return answer;
  isLost = true;
  throw new TypeError("the answer is lost");
};
`;

const circumstances = [["", ""], [", also when an answer is lost", losingOneAnswer]] as const;

for (const [circumstance, before] of circumstances) {
  test(`its example for a site of one's own places one order${circumstance}`, async (t) => {
    const forno = await spawnForno(t, { env: siteSettings() });
    const [example = ""] = blocks("ts");
    const file = join(temporaryFolder(t), "order.mjs");
    writeFileSync(file, before + example.replace("https://orders.pizza.example", forno.origin));
    await run(process.execPath, [file], { timeout: 30_000 });
    const { json } = await forno.call("GET", "/api/orders");
    assert.equal(json.length, 1);
    const { id: _, placedAt: __, updatedAt: ___, ...content } = json[0];
    assert.deepEqual(content, {
      pizzaSize: { id: "grande" },
      toppings: [{ id: "pomodoro" }, { id: "mozzarella" }],
      beverages: [],
      status: "Pending",
    });
  });
}

test("that example is strict TypeScript", async (t) => {
  const [example = ""] = blocks("ts");
  const file = join(temporaryFolder(t), "order.ts");
  writeFileSync(file, example);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const options = "--noEmit --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes " +
    "--target es2022 --lib es2022,dom --module esnext --moduleDetection force --types";
  await run(process.execPath, [compiler, ...options.split(" "), "", file], { cwd: dirname(file) });
});

test("a browser lets a page of that site send what the example sends", async (t) => {
  const env = siteSettings();
  const origin = env["CORS_ORIGIN"] ?? "";
  const forno = await spawnForno(t, { env });
  for (const path of ["/api/tokens", "/api/orders"]) {
    const { status, headers } = await forno.call("OPTIONS", path, {
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    });
    assert.equal(status, 204);
    assert.equal(headers.get("access-control-allow-origin"), origin);
    assert.match(headers.get("access-control-allow-methods") ?? "", /POST/);
    assert.match(headers.get("access-control-allow-headers") ?? "", /authorization/i);
  }
});

test("its rows for PostgreSQL hold every resource as the service answers it", async (t) => {
  if (!hasTools || !hasJq) return t.skip("needs bash, curl and jq");
  const forno = await spawnForno(t);
  const { staff: token } = forno;
  const body = { id: "tavolo-8", pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
  await forno.call("POST", "/api/orders", { token, body });
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "backup.json"), (await forno.call("GET", "/api/backup", { token })).text);
  const [command = ""] = blocks("sh").find((text) => text.startsWith("jq "))?.split(/\|\s+psql/) ?? [];
  const { stdout } = await run("bash", ["--norc", "-c", command], { cwd });
  const lines = stdout.trimEnd().split("\n");
  assert.equal(lines.length, 16 + 4 + 6 + 1 + 1);
  const order = (await forno.call("GET", "/api/orders/tavolo-8", { token })).text.trimEnd();
  const row = `"orders","tavolo-8","${order.replaceAll('"', '""')}",`;
  assert.ok(lines.some((line) => line.startsWith(row)), row);
});

test("its throw-away server for CI says its address, and has a token", async (t) => {
  if (!hasTools) return t.skip("needs bash and curl");
  const example = blocks("sh").find((text) => text.includes("PORT=0"));
  const metrics = `"$URL/metrics" -H "Authorization: Bearer $TOKEN"`;
  const script = `trap 'kill $!; wait' EXIT
    ${example}
    curl -s -o /dev/null -w '%{http_code}' ${metrics}`;
  const env = environment({ TMPDIR: temporaryFolder(t) });
  const options = { cwd: projectFolder(t), env, timeout: 30_000 };
  const { stdout } = await run("bash", ["--norc", "-c", script], options);
  assert.equal(stdout, "200");
});

test("its crontab opens and closes the shop", async (t) => {
  if (!hasTools) return t.skip("needs bash and curl");
  const forno = await spawnForno(t);
  const [table = ""] = blocks("crontab");
  const commands = table.match(/(?<=^[\d *]+ forno ).*/gm) ?? [];
  const states: unknown[] = [];
  for (const command of commands) {
    const text = command.replace("/opt/forno/", "").replace("localhost:3000", forno.origin);
    const shell = new Shell(t, forno);
    assert.equal(await shell.run(text), "", text);
    const { isOpen, notice } = (await forno.call("GET", "/api/shop")).json;
    states.push([isOpen, notice]);
  }
  assert.deepEqual(states, [[false, "Back at 18:00"], [true, ""]]);
});

const hasSystemd = has("systemd-analyze");

test("its units are understood by systemd, and the server's is hardened", async (t) => {
  if (!hasSystemd) return t.skip("needs systemd-analyze");
  const folder = temporaryFolder(t);
  const files = blocks("ini").map((unit) => {
    const [, name = ""] = /^# \/etc\/systemd\/system\/(.*)$/m.exec(unit) ?? [];
    writeFileSync(join(folder, name), unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
    return join(folder, name);
  });
  assert.equal((await run("systemd-analyze", ["verify", ...files])).stderr, "");
  // In tenths of what it shows: 2.0.
  const limit = ["security", "--offline=true", "--threshold=20"];
  await run("systemd-analyze", [...limit, join(folder, "forno.service")]);
});

/** A script of the page, by the path that it names, with other addresses and folders in it. */
function script(path: string, changes: Readonly<Record<string, string>>): string {
  const found = blocks("sh").find((text) => text.startsWith(`#!/bin/sh\n# ${path}\n`)) ?? "";
  return Object.entries(changes).reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `${path} has ${from}`);
    return text.replaceAll(from, to);
  }, found);
}

/** Restores a backup into a folder of its own. Resolves to what the command prints. */
async function restored(t: TestContext, file: string): Promise<string> {
  const env = environment({ DATA_DIR: join(temporaryFolder(t), "proof") });
  const command = [join(root, "dist/restore.js"), file];
  return (await run(process.execPath, command, { env, timeout: 30_000 })).stdout;
}

test("its nightly backup restores, and a failed one replaces nothing", async (t) => {
  if (!hasTools) return t.skip("needs bash and curl");
  const forno = await spawnForno(t);
  const folder = temporaryFolder(t);
  const text = script("/usr/local/bin/forno-backup", {
    "/var/backups/forno": folder,
    "/opt/forno/": `${root}/`,
    "http://127.0.0.1:3000": forno.origin,
  });
  const backUp = (secret: string): Promise<unknown> => {
    const env = environment({ DATA_DIR: forno.dataDir, TOKEN_SECRET: secret });
    return run("sh", ["-c", text], { env, timeout: 30_000 });
  };
  await backUp(forno.secret);
  const [name = ""] = readdirSync(folder);
  assert.match(name, /^\d{4}-\d\d-\d\d\.json$/);
  const before = readFileSync(join(folder, name));
  assert.match(await restored(t, join(folder, name)), /^restored 16 toppings, .* as of \d/);
  await assert.rejects(backUp("of another server, and as long as it needs"), /401/);
  assert.deepEqual(readFileSync(join(folder, name)), before);
});

test("its follower's copy restores, and older ones go once there are newer whole ones", async (t) => {
  if (!hasTools) return t.skip("needs bash and curl");
  const forno = await spawnForno(t);
  const folder = temporaryFolder(t);
  const header = join(temporaryFolder(t), "header");
  writeFileSync(header, `Authorization: Bearer ${forno.staff}\n`);
  const document = '{\n"forno":1\n"crc":"00000000"\n}\n';
  for (const [age, [name, text]] of Object.entries({
    "copy-4": "{\n\"forno\":1\n", "copy-3": document, "copy-2": document, "copy-1": document,
  }).entries()) {
    writeFileSync(join(folder, name), text);
    utimesSync(join(folder, name), 1_000 - age, 1_000 - age);
  }
  const text = script("/usr/local/bin/forno-copy", {
    "/var/lib/forno-copy": folder,
    "/etc/forno-copy.header": header,
    "https://orders.pizza.example": forno.origin,
  });
  const child = spawn("sh", ["-c", text], { env: environment({}) });
  cleanUp(t, () => child.kill("SIGKILL"));
  const copy = (): string => readdirSync(folder).find((name) => name.endsWith(".ndjson")) ?? "";
  const holds = (words: string): boolean =>
    copy() !== "" && readFileSync(join(folder, copy()), "utf8").includes(words);
  while (!holds('"crc"')) await turn();
  const body = { id: "tavolo-9", pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
  await forno.call("POST", "/api/orders", { token: forno.staff, body });
  while (!holds("tavolo-9")) await turn();
  child.kill("SIGKILL");
  assert.match(await restored(t, join(folder, copy())), / 1 order into .* as of \d/);
  assert.deepEqual(readdirSync(folder).sort(), [copy(), "copy-2", "copy-3"].sort());
});
