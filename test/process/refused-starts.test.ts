/**
 * Starts that cannot succeed (contract part 1): one line that says what is wrong and what to do,
 * exit code 1, no stack, no secret.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { explain } from "../../src/commands/command.ts";
import { startForno, temporaryFolder } from "../helpers/forno.ts";
import { needsBuild } from "../helpers/node.ts";
import { record } from "../helpers/recorded-log.ts";
import { runToExit } from "./run.ts";

/** The one line in which a start ends that must fail. */
async function refusedLine(t: TestContext, env: Record<string, string>): Promise<string> {
  const line = await startForno(t, { env }).then(() => assert.fail("it started"), explain);
  assert.doesNotMatch(line, /\n|^\s+at |node:internal|\.js:\d+/);
  return line;
}

test("a start that fails is one line on stderr and exit code 1", async (t) => {
  for (const [settings, args, reason] of [
    [{ PORT: "65536" }, [], /^forno: PORT is "65536", but must be a whole number from 0 to 65535$/],
    [{}, ["--port", "8080"], /^forno: expected no arguments, got --port: .*PORT=8080 node dist/],
  ] as const) {
    const { exit, stdout, lines } = await runToExit(t, "server", args, settings);
    assert.deepEqual([exit.code, stdout, lines.length], [1, "", 1], lines.join("\n"));
    assert.match(lines[0] ?? "", reason);
  }
});

test("a Node that is too old is told which one is needed, by every command", async (t) => {
  const script = 'Object.defineProperty(process,"versions",{value:{node:"20.14.9"}})';
  for (const name of ["server", "token"]) {
    const module = `data:text/javascript,${encodeURIComponent(script)}`;
    // tsx takes the false version for a true one, and a way of loading that Node 26 warns of.
    const settings = { NODE_OPTIONS: `--import=${module}`, NODE_NO_WARNINGS: "1" };
    const { exit, lines } = await runToExit(t, name, [], settings);
    assert.deepEqual(exit, { code: 1, signal: null }, lines.join("\n"));
    assert.deepEqual(lines, ["forno: Node 20.14.9 is too old. Install Node 20.15 or newer."]);
  }
});

test("a folder that cannot be written is refused with what it must be", {
  skip: process.getuid?.() === 0 && "needs a user whom permissions bind",
}, async (t) => {
  const DATA_DIR = temporaryFolder(t);
  await chmod(DATA_DIR, 0o500);
  const line = await refusedLine(t, { DATA_DIR });
  assert.ok(line.includes(DATA_DIR), line);
  assert.match(line, /this user can read and write/);
});

test("a menu that is missing or no menu stops the start and is named", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "menu.json");
  await writeFile(file, "[]");
  for (const MENU_FILE of [join(folder, "none.json"), folder, file]) {
    const line = await refusedLine(t, { MENU_FILE });
    assert.match(line, /^MENU_FILE/);
    assert.ok(line.includes(MENU_FILE), line);
  }
});

test("a DATA_DIR that is a file, or cannot be made, stops the start", async (t) => {
  const file = join(temporaryFolder(t), "file");
  await writeFile(file, "not a folder");
  for (const DATA_DIR of [file, join(file, "below"), "/sys/forno-store"]) {
    const line = await refusedLine(t, { DATA_DIR });
    assert.ok(line.includes(DATA_DIR), line);
  }
  assert.equal(await readFile(file, "utf8"), "not a folder");
});

test("a port in use stops the start and is named", async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  t.after(() => other.close());
  const PORT = String((other.address() as AddressInfo).port); // It listens on a port.
  assert.equal(
    await refusedLine(t, { PORT }),
    `Port ${PORT} is already in use. Set PORT to another one, or stop the program that uses it.`,
  );
});

test("an address that is not this machine's stops the start and is named", async (t) => {
  // The second is a name that no resolver has to look up.
  for (const HOST of ["203.0.113.1", "a..b"]) {
    const expected = `HOST "${HOST}" is not an address of this machine. `;
    assert.ok((await refusedLine(t, { HOST })).startsWith(expected), HOST);
  }
});

test("a torn end cut off by a start that then cannot listen is logged all the same", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  await (await startForno(t, { dataDir })).close();
  await appendFile(join(dataDir, "store.ndjson"), '{"seq":');
  const { log, text } = record(t);
  await assert.rejects(startForno(t, { dataDir, log, env: { HOST: "203.0.113.1" } }));
  assert.match(text(), /torn end/);
});

test("a folder with a line break in its name is still told in one line", async (t) => {
  const DATA_DIR = join(temporaryFolder(t), "no\nfolder");
  await writeFile(DATA_DIR, "");
  assert.ok((await refusedLine(t, { DATA_DIR })).includes("no\\u000afolder"));
});

test("a second process on the same folder is refused and the first goes on", async (t) => {
  const first = await startForno(t);
  const { exit, lines } = await runToExit(t, "server", [], { DATA_DIR: first.dataDir });
  assert.deepEqual([exit.code, lines.length], [1, 1], lines.join("\n"));
  const [line = ""] = lines;
  assert.ok(line.includes(`another process is using the folder ${first.dataDir}`), line);
  const body = { name: "Rocket", isVegetarian: true, isVegan: true };
  assert.equal((await first.asStaff("POST", "/api/toppings", body)).status, 201);
});

test("a folder, a FIFO or a link in the place of the store stops the start", async (t) => {
  const { dataDir } = await startForno(t);
  for (const make of [
    (path: string) => mkdir(path),
    (path: string) => symlink("nowhere", path),
    // Two servers with such links would write into one file.
    (path: string) => symlink(join(dataDir, "store.ndjson"), path),
    (path: string) => execFileSync("mkfifo", [path]),
  ]) {
    const DATA_DIR = join(temporaryFolder(t), "store");
    await mkdir(DATA_DIR);
    await make(join(DATA_DIR, "store.ndjson"));
    const line = await refusedLine(t, { DATA_DIR });
    assert.ok(line.includes("store.ndjson: expected a file, got a folder, a link,"), line);
    assert.deepEqual(await readdir(DATA_DIR), ["store.ndjson"]);
  }
});

for (const name of ["brand/theme.css", "brand/logo.svg"]) {
  test(`a pipe by the name of ${name} is refused, and never read`, { skip: needsBuild }, async (t) => {
    const dataDir = join(temporaryFolder(t), "store");
    const path = join(dataDir, name);
    mkdirSync(dirname(path), { recursive: true });
    execFileSync("mkfifo", [path]);
    const { exit, lines } = await runToExit(t, "server", [], { DATA_DIR: dataDir });
    assert.deepEqual([exit.code, lines.length], [1, 1], lines.join("\n"));
    assert.ok(lines[0]?.includes(path), lines.join());
  });
}
