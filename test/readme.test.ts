/**
 * The documents do what they show, and name what there is. The shell blocks of README.md and
 * data/recipes.md run in their order against a fresh server, and print what the block behind each
 * of them shows, with times masked. The example of a store in data/README.md is opened, and its
 * lines of jq run.
 */

import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { cleanUp, type Client, startForno, temporaryFolder } from "./helpers/forno.ts";
import { hasTools } from "./helpers/machine.ts";
import { needsBuild } from "./helpers/node.ts";
import { patienceMs, until } from "./helpers/patience.ts";
import { blocksOf, root } from "./helpers/readme.ts";
import { order } from "./helpers/samples.ts";
import { orderLine, storeFile } from "./helpers/store-file.ts";

const skip = needsBuild || (hasTools("bash", "curl", "jq") ? false : "needs bash, curl and jq");
const recipes = blocksOf("data/recipes.md");

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

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
  // With their list one request more than the burst of the rate limit.
  const old = Array.from({ length: 10 }, (_, index) => `20${10 + index}-01-01`);
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

const blocks = blocksOf("data/README.md");
const example = blocks.find(({ language }) => language === "json")?.text ?? "";

test("the example of a file is a store that is opened, and its checksums hold", async (t) => {
  const lines = example.trimEnd().split("\n");
  for (const line of lines) {
    const [, before = "", crc] = /^(.*)"crc":"(\w{8})"\}$/.exec(line) ?? [];
    assert.equal(crc, crc32(before).toString(16).padStart(8, "0"), line);
  }
  const forno = await startForno(t, { store: example });
  assert.deepEqual((await forno.call("GET", "/api/toppings")).json, []);
  const { data } = JSON.parse(lines[6] ?? "");
  assert.deepEqual((await forno.call("GET", "/api/orders")).json, [data]);
  const file = readFileSync(join(forno.dataDir, "store.ndjson"), "utf8");
  assert.equal(file, example, "a start copies it as it is");
});

test("a stored time has the form of the example, and is a day that there is", async (t) => {
  const leapDay = "2028-02-29T18:00:00.000Z";
  const forno = await startForno(t, { store: storeFile([orderLine("o1", leapDay)]) });
  assert.equal((await forno.call("GET", "/api/orders/o1")).json.placedAt, leapDay);
  for (const bad of ["2026-02-29T18:00:00.000Z", "2026-01-15T18:00:00Z", "2026-01-15", ""]) {
    await assert.rejects(startForno(t, { store: storeFile([orderLine("o1", bad)]) }), {
      code: "damaged",
      line: 2,
      message: /#\/placedAt: expected a string with a time such as/,
    });
  }
});

test("data/README.md names every member that Forno writes", async (t) => {
  const page = textOf("data/README.md");
  const forno = await startForno(t);
  await forno.call("POST", "/api/orders", { token: forno.customer, body: order() });
  await forno.close();
  const lines = readFileSync(join(forno.dataDir, "store.ndjson"), "utf8").trimEnd().split("\n");
  for (const { data: _, kept = {}, ...members } of lines.map((line) => JSON.parse(line))) {
    for (const name of [...Object.keys(members), ...Object.keys(kept)]) {
      assert.ok(page.includes(`\`${name}\``), name);
    }
  }
});

test("the lines of jq say what data/README.md promises", { skip: !hasTools("jq") }, (t) => {
  const commands = blocks.find(({ language }) => language === "sh")?.text ?? "";
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "store.ndjson"), example);
  const lines = commands.split("\n").filter((line) => line.startsWith("jq "));
  const outputs = lines.map((line) =>
    execFileSync("bash", ["-c", line], { cwd: folder, encoding: "utf8" }).trimEnd());
  assert.deepEqual(outputs.slice(0, 2), [
    '["orders.created","Preparing","2026-11-23T16:01:00.000Z"]\n' +
      '["orders.updated","Ready","2026-11-23T16:09:00.000Z"]',
    "2026-11-23T16:01:00.000Z\tK7QX3M\tanna",
  ]);
  assert.equal(JSON.parse(outputs[2] ?? "").status, "Ready");
});

test("every test that a document names exists", () => {
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

test("every link of a document leads to a file, and to a heading in it", () => {
  const below = (folder: string): string[] =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, String(path)));
  const files = ["README.md", ...["data", "src", "test"].flatMap(below)];
  for (const document of files.filter((path) => path.endsWith(".md"))) {
    const links = textOf(document).matchAll(/\]\(([^):\s#]*)(?:#([^)]*))?\)/g);
    for (const [, path = "", heading] of links) {
      const file = join(root, path === "" ? document : join(dirname(document), path));
      assert.ok(existsSync(file), `${document} links to ${path}`);
      const isThere = heading === undefined || headingsOf(file).includes(heading);
      assert.ok(isThere, `${document} links to ${path}#${heading}`);
    }
  }
});

/** As a link names them. */
function headingsOf(file: string): readonly string[] {
  return Array.from(readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading.toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-"));
}
