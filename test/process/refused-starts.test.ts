/**
 * Starts that cannot succeed (contract part 1): one line that says what is wrong and what to do,
 * exit code 1, no stack, no secret.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { explain } from "../../src/commands/command.ts";
import { startForno, temporaryFolder } from "../helpers/forno.ts";
import { topping } from "../helpers/samples.ts";
import { runToExit } from "../helpers/run.ts";

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

test("a start that fails is one line on stderr and exit code 1", async (t) => {
  for (const [settings, args, reason] of [
    [{ PORT: "65536" }, [], /^forno: PORT is "65536", but must be a whole number from 0 to 65535$/],
    [{}, ["--port", "8080"], /^forno: expected no arguments, got --port: .*PORT=8080 node dist/],
  ] as const) {
    const { code, stdout, lines } = await runToExit(t, "server", args, settings);
    assert.deepEqual([code, stdout, lines.length], [1, "", 1], lines.join("\n"));
    assert.match(lines[0] ?? "", reason);
  }
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
  await refuse(t, { PORT: port },
    `Port ${port} is already in use. Set PORT to another one, or stop the program that uses it.`);
  // The second is a name that no resolver has to look up.
  for (const HOST of ["203.0.113.1", "a..b"]) {
    await refuse(t, { HOST }, `HOST "${HOST}" is not an address of this machine. `);
  }
  const { dataDir } = first;
  await refuse(t, { DATA_DIR: dataDir }, `another process is using the folder ${dataDir}`);
  await first.write("POST", "/api/toppings", topping());
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
