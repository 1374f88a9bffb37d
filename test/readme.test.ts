/**
 * README.md does what it shows: its console blocks, run in their order in one shell against a fresh
 * server, answer what stands there, with times, tokens and the numbers of events masked; and its
 * other examples run.
 */

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
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
  while (!/route="\/api\/events",status="200"} 1$/m.test(await metrics()));
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
