/**
 * README.md and data/recipes.md do what they show. Their shell blocks run in their order against a
 * fresh server, and print what the block behind each of them shows, with times masked.
 */

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { cleanUp, type Client, startForno, temporaryFolder } from "./helpers/forno.ts";
import { hasTools } from "./helpers/machine.ts";
import { needsBuild } from "./helpers/node.ts";
import { patienceMs, until } from "./helpers/patience.ts";
import { blocksOf, root } from "./helpers/readme.ts";
import { order } from "./helpers/samples.ts";
import { orderLine, storeFile } from "./helpers/store-file.ts";

const skip = needsBuild || (hasTools("bash", "curl", "jq") ? false : "needs bash, curl and jq");
const recipes = blocksOf("data/recipes.md");

/** The recipe that has this text. */
function recipe(part: string): string {
  return recipes.find(({ text }) => text.includes(part))?.text ?? assert.fail(part);
}

/** A bash in the project's folder as a newcomer has it. `node` is the one that runs the tests. */
function bash(t: TestContext, script: string, settings: Record<string, string>) {
  const cwd = temporaryFolder(t);
  for (const name of ["dist", "data"]) symlinkSync(join(root, name), join(cwd, name));
  const PATH = dirname(process.execPath) + delimiter + process.env["PATH"];
  const options = { cwd, env: { PATH, LC_ALL: "C.UTF-8", ...settings }, timeout: patienceMs };
  // bash takes node's pipe for a remote login, and would read the user's start-up files.
  return { args: ["--norc", "-c", script], options };
}

/** The output of a script that asks this server. */
async function outputOf(t: TestContext, forno: Client, script: string): Promise<string> {
  const here = script.replaceAll("localhost:3000", `localhost:${forno.port}`);
  const settings = { DATA_DIR: forno.dataDir, TOKEN_SECRET: forno.secret, TOKEN: forno.staff };
  const { args, options } = bash(t, here, settings);
  return (await promisify(execFile)("bash", args, options)).stdout;
}

/** The events that this command prints, as they come. Resolves once it is connected. */
async function follow(t: TestContext, forno: Client, command: string): Promise<readonly string[]> {
  const here = command.replace("localhost:3000", `localhost:${forno.port}`);
  const { args, options } = bash(t, `exec ${here}`, {});
  const child = spawn("bash", args, options);
  cleanUp(t, () => child.kill());
  const events: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    // A heartbeat is an empty line.
    if (line !== "") events.push(line);
  });
  const metrics = async (): Promise<string> => (await forno.asStaff("GET", "/metrics")).text;
  while (!/^forno_streams 1$/m.test(await metrics()));
  return events;
}

function masked(output: string): string {
  return output.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
}

test("the shell blocks print what they show, and the stream what they do", { skip }, async (t) => {
  const forno = await startForno(t);
  const blocks = [...blocksOf("README.md"), ...recipes].filter(({ text }) =>
    !text.startsWith("npm ci") && !text.includes("PORT=0"));
  const [stream, ...commands] = blocks.filter(({ language }) => language === "sh");
  const events = await follow(t, forno, stream?.text ?? "");
  const script = commands.map(({ text }) => text).join("printf '\\0'\n");
  const outputs = (await outputOf(t, forno, script)).split("\0");
  let compared = 0;
  for (const [index, command] of commands.entries()) {
    const next = blocks[blocks.indexOf(command) + 1];
    if (!["json", "csv"].includes(next?.language ?? "")) continue;
    assert.equal(masked(outputs[index] ?? ""), masked(next?.text ?? ""), command.text);
    compared += 1;
  }
  assert.equal(compared, 3);
  await until(() => events.length > 0);
  const created = /^\{"id":"\d+","event":"orders.created","data":\{"id":"tavolo-7"/;
  assert.match(events[0] ?? "", created);
});

test("the recipe for a spreadsheet hands over no formula", { skip }, async (t) => {
  const forno = await startForno(t);
  for (const note of ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "1 = 1"]) {
    await forno.write("POST", "/api/orders", order({ id: undefined, note, toppings: [] }));
  }
  const lines = (await outputOf(t, forno, recipe("@csv"))).trim().split("\n");
  const expected = ["'=HYPERLINK(1)", "'+1", "'-1", "'@SUM(1)", "1 = 1"];
  assert.deepEqual(lines.map((line) => line.split(",")[4]), expected.map((note) => `"${note}"`));
});

test("the recipe for old orders removes them, and younger ones stay", { skip }, async (t) => {
  // More than the burst of the rate limit.
  const old = Array.from({ length: 12 }, (_, index) => `20${10 + index}-01-01`);
  const lines = [...old, "2100-01-01"].map((day) =>
    orderLine(day, `${day}T00:00:00.000Z`, { status: "Delivered" }));
  const forno = await startForno(t, { store: storeFile(lines), env: { RATE_LIMIT: "1" } });
  await outputOf(t, forno, recipe("-X DELETE"));
  await forno.close();
  const again = await startForno(t, { dataDir: forno.dataDir });
  const { json } = await again.call("GET", "/api/orders");
  assert.deepEqual(json.map(({ id }: { id: string }) => id), ["2100-01-01"]);
});

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

test("the recipe of a shop's own site places one order, also if an answer is lost", async (t) => {
  const CORS_ORIGIN = "https://pizza.example";
  const env = { CORS_ORIGIN, GUEST_ORDERS: "on", TRUST_PROXY: "on" };
  for (const before of ["", losingOneAnswer]) {
    const forno = await startForno(t, { env });
    const file = join(temporaryFolder(t), "order.mjs");
    const example = recipe("fetch(").replace("https://orders.pizza.example", forno.origin);
    writeFileSync(file, before + example);
    await promisify(execFile)(process.execPath, [file], { timeout: patienceMs });
    const { json } = await forno.asStaff("GET", "/api/orders");
    assert.equal(json.length, 1);
    const [{ pizzaSize, toppings, beverages, status, name }] = json;
    assert.equal(pizzaSize.name, "Large");
    assert.deepEqual(toppings.map(({ id }: { id: string }) => id), ["pomodoro", "mozzarella"]);
    assert.deepEqual([beverages, status, name], [[], "Pending", "Anna"]);
  }
});

test("the recipe's server for CI says its address, and has a token", { skip }, async (t) => {
  const script = `trap 'kill $!; wait' EXIT
    ${recipe("PORT=0")}
    curl -s -o /dev/null -w '%{http_code}' "$URL/metrics" -H "Authorization: Bearer $TOKEN"`;
  const { args, options } = bash(t, script, { TMPDIR: temporaryFolder(t) });
  const { stdout } = await promisify(execFile)("bash", args, options);
  assert.equal(stdout, "200");
});

test("every test that a document names exists", () => {
  const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
  const references = [...textOf("test/CONTRACT.md").matchAll(/\[([a-z\d/, -]+)\](?: \|)?$/gm)];
  assert.ok(references.length > 60, "the contract's references to its tests are found");
  const named = ["test/README.md", "test/durability/README.md"].flatMap((document) =>
    Array.from(textOf(document).matchAll(/`([\w./-]+)\.test\.ts`/g),
      ([, name = ""]) => join(dirname(document), name)));
  const tests = [
    ...references.flatMap(([, names = ""]) => names.split(", ").map((name) => join("test", name))),
    ...named,
  ];
  const exists = (name: string): boolean =>
    ["ts", "mjs"].some((ending) => existsSync(join(root, `${name}.test.${ending}`)));
  assert.deepEqual(tests.filter((name) => !exists(name)), []);
});
