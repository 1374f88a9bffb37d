/**
 * README.md and data/recipes.md do what they show. Their shell blocks run in their order in one
 * shell against a fresh server, and print what the block behind each of them shows, with times and
 * the numbers of events masked.
 */

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { cleanUp, type Client, startForno, temporaryFolder } from "./helpers/forno.ts";
import { hasTools } from "./helpers/machine.ts";
import { needsBuild } from "./helpers/node.ts";
import { blocksOf, root } from "./helpers/readme.ts";
import { order } from "./helpers/samples.ts";
import { orderLine, storeFile } from "./helpers/store-file.ts";

const run = promisify(execFile);
const skip = needsBuild || (hasTools("bash", "curl", "jq") ? false : "needs bash, curl and jq");

function masked(output: string): string {
  return output
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/"id":"\d+","event"/g, '"id":"NUMBER","event"');
}

/** The project's folder as a newcomer has it. */
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

/** A bash with the settings of a running server: it reads commands, or runs a single one. */
class Shell {
  readonly #child: ChildProcess;
  #output = "";
  #arrived = (): void => {};

  constructor(t: TestContext, { dataDir, secret }: Client, command?: string) {
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

  /** Takes the output, once there is enough of it. */
  async output(isEnough: (text: string) => boolean): Promise<string> {
    while (!isEnough(this.#output)) {
      await new Promise<void>((resolve) => (this.#arrived = resolve));
    }
    const text = this.#output;
    this.#output = "";
    return text;
  }
}

/** A command that runs until Ctrl-C, in a shell of its own. Resolves once it is connected. */
async function startStream(t: TestContext, forno: Client, command: string): Promise<Shell> {
  const shell = new Shell(t, forno, `exec ${command}`);
  const metrics = async (): Promise<string> => (await forno.asStaff("GET", "/metrics")).text;
  while (!/^forno_streams 1$/m.test(await metrics()));
  return shell;
}

const tutorial = [...blocksOf("README.md"), ...blocksOf("data/recipes.md")].filter(
  ({ text }) => !text.startsWith("npm ci") && !text.includes("PORT=0"),
);

test("the shell blocks print what they show", { skip }, async (t) => {
  const forno = await startForno(t);
  const shell = new Shell(t, forno);
  const streams: { readonly stream: Shell; readonly expected: string }[] = [];
  let compared = 0;
  for (const [index, { language, text }] of tutorial.entries()) {
    if (language !== "sh") continue;
    const next = tutorial[index + 1];
    const expected = ["json", "csv"].includes(next?.language ?? "") ? next?.text : undefined;
    const command = text.replaceAll("localhost:3000", `localhost:${forno.port}`);
    if (command.startsWith("curl -sN ")) {
      const stream = await startStream(t, forno, command);
      streams.push({ stream, expected: expected ?? "" });
      continue;
    }
    const printed = await shell.run(command);
    if (expected !== undefined) assert.equal(masked(printed), masked(expected), text);
    compared += 1;
  }
  assert.deepEqual([compared, streams.length], [5, 1]);
  for (const { stream, expected } of streams) {
    const shown = await stream.output((output) => output.includes("\n"));
    assert.equal(masked(shown), masked(expected));
  }
});

test("the recipe for a spreadsheet hands over no formula", { skip }, async (t) => {
  const forno = await startForno(t);
  for (const note of ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "1 = 1"]) {
    await forno.write("POST", "/api/orders", order({ id: undefined, note, toppings: [] }));
  }
  const recipe = blocksOf("data/recipes.md").find(({ text }) => text.includes("@csv"))?.text ?? "";
  const shell = new Shell(t, forno);
  const command = recipe.replace("localhost:3000", `localhost:${forno.port}`);
  const printed = await shell.run(`TOKEN=${forno.staff}\n${command}`);
  const notes = printed.trim().split("\n").map((line) => line.split(",")[3]);
  const expected = ["'=HYPERLINK(1)", "'+1", "'-1", "'@SUM(1)", "1 = 1"];
  assert.deepEqual(notes, expected.map((note) => `"${note}"`));
});

test("the recipe for old orders removes them, and younger ones stay", { skip }, async (t) => {
  // More than the burst of the rate limit.
  const old = Array.from({ length: 12 }, (_, index) => `20${10 + index}-01-01`);
  const lines = [...old, "2100-01-01"].map((day) =>
    orderLine(day, `${day}T00:00:00.000Z`, { status: "Delivered" }));
  const forno = await startForno(t, { store: storeFile(lines), env: { RATE_LIMIT: "1" } });
  const recipe = blocksOf("data/recipes.md").find(({ text }) => text.includes("-X DELETE"));
  const command = recipe?.text.replaceAll("localhost:3000", `127.0.0.1:${forno.port}`);
  await new Shell(t, forno).run(`TOKEN=${forno.staff}\n${command}`);
  await forno.close();
  const again = await startForno(t, { dataDir: forno.dataDir });
  const { json } = await again.call("GET", "/api/orders");
  assert.deepEqual(json.map(({ id }: { id: string }) => id), ["2100-01-01"]);
});

test("every test that a document names exists", () => {
  const contract = readFileSync(join(root, "test/CONTRACT.md"), "utf8");
  const references = [...contract.matchAll(/\[([a-z\d/, -]+)\](?: \|)?$/gm)];
  assert.ok(references.length > 60, "the contract's references to its tests are found");
  const named = ["test/README.md", "test/durability/README.md"].flatMap((document) =>
    Array.from(readFileSync(join(root, document), "utf8").matchAll(/`([\w./-]+)\.test\.ts`/g),
      ([, name = ""]) => join(dirname(document), name)));
  const tests = [
    ...references.flatMap(([, names = ""]) => names.split(", ").map((name) => join("test", name))),
    ...named,
  ];
  const exists = (test: string): boolean =>
    ["ts", "mjs"].some((ending) => existsSync(join(root, `${test}.test.${ending}`)));
  assert.deepEqual(tests.filter((test) => !exists(test)), []);
});

const CORS_ORIGIN = "https://pizza.example";
const siteSettings = { CORS_ORIGIN, GUEST_ORDERS: "on", TRUST_PROXY: "on" };

function siteExample(): string {
  return blocksOf("data/recipes.md").find(({ language }) => language === "ts")?.text ?? "";
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

const circumstances = [["", ""], [", also if an answer is lost", losingOneAnswer]] as const;

for (const [circumstance, before] of circumstances) {
  test(`the recipe for a site of one's own places one order${circumstance}`, async (t) => {
    const forno = await startForno(t, { env: siteSettings });
    const file = join(temporaryFolder(t), "order.mjs");
    const example = siteExample().replace("https://orders.pizza.example", forno.origin);
    writeFileSync(file, before + example);
    await run(process.execPath, [file], { timeout: 180_000 });
    const { json } = await forno.asStaff("GET", "/api/orders");
    assert.equal(json.length, 1);
    const { id: _, placedAt: __, updatedAt: ___, statusSince: ____, ...content } = json[0];
    assert.deepEqual(content, {
      pizzaSize: { id: "grande", name: "Large" },
      toppings: [
        { id: "pomodoro", name: "Tomato sauce" }, { id: "mozzarella", name: "Mozzarella" },
      ],
      beverages: [],
      status: "Pending",
      note: "Anna",
    });
  });
}

test("the recipe for a site is strict TypeScript", async (t) => {
  const file = join(temporaryFolder(t), "order.ts");
  writeFileSync(file, siteExample());
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  if (!existsSync(compiler)) return t.skip("needs the compiler, which npm ci installs");
  const options = "--noEmit --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes " +
    "--target es2022 --lib es2022,dom --module esnext --moduleDetection force --types";
  await run(process.execPath, [compiler, ...options.split(" "), "", file], { cwd: dirname(file) });
});

test("the recipe's server for CI says its address, and has a token", { skip }, async (t) => {
  const example = blocksOf("data/recipes.md").find(({ text }) => text.includes("PORT=0"))?.text;
  const metrics = `"$URL/metrics" -H "Authorization: Bearer $TOKEN"`;
  const script = `trap 'kill $!; wait' EXIT
    ${example}
    curl -s -o /dev/null -w '%{http_code}' ${metrics}`;
  const env = environment({ TMPDIR: temporaryFolder(t) });
  const options = { cwd: projectFolder(t), env, timeout: 180_000 };
  const { stdout } = await run("bash", ["--norc", "-c", script], options);
  assert.equal(stdout, "200");
});
