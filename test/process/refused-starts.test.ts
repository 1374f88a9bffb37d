/**
 * Starts that cannot succeed (contract part 1): one line that says what is wrong and what to do,
 * exit code 1, no stack, no secret.
 */
import assert from "node:assert/strict";
import { appendFile, chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { spawnForno, temporaryFolder } from "../helpers/forno.ts";
import { runToExit, type Settings } from "./run.ts";

/** Starts, and asserts that it ended in one line that speaks of each of `mentions`. */
async function assertRefused(
  t: TestContext, settings: Settings, mentions: readonly (string | RegExp)[],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { exit, lines } = await runToExit(t, "server.js", [], settings, files);
  const all = lines.join("\n");
  assert.deepEqual(exit, { code: 1, signal: null }, all);
  assert.equal(lines.length, 1, all);
  assert.doesNotMatch(all, /^\s+at |node:internal|\.js:\d+/m);
  for (const mention of mentions) {
    if (typeof mention === "string") assert.ok(all.includes(mention), `${mention} in ${all}`);
    else assert.match(all, mention);
  }
  return all;
}

test("a bad setting stops the start with its name, its value and what is allowed", async (t) => {
  await assertRefused(t, { PORT: "65536" }, ["PORT", "65536", "a whole number from 0 to 65535"]);
});

test("arguments are refused with where settings are given", async (t) => {
  for (const args of [["--port", "8080"], ["--verbose"], ["/some/store"]]) {
    const { exit, lines } = await runToExit(t, "server.js", args);
    assert.equal(exit.code, 1);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", new RegExp(`got ${args[0]}: .*PORT=8080 node dist/server.js`));
  }
});

test("a Node that is too old is told which one is needed, by every command", async (t) => {
  const script = 'Object.defineProperty(process,"versions",{value:{node:"20.14.9"}})';
  for (const name of ["server.js", "token.js", "restore.js"]) {
    const module = `data:text/javascript,${encodeURIComponent(script)}`;
    const settings = { NODE_OPTIONS: `--import=${module}` };
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
  const TOKEN_SECRET = "a secret that is long enough to be one";
  await assertRefused(t, { DATA_DIR, TOKEN_SECRET }, [DATA_DIR, /this user can read and write/]);
});

test("a menu that is missing or no menu stops the start and is named", async (t) => {
  const folder = temporaryFolder(t);
  await assertRefused(t, { MENU_FILE: join(folder, "none.json") }, [/none\.json/]);
  await assertRefused(t, { MENU_FILE: folder }, [folder]);
  await assertRefused(t, {}, [/MENU_FILE: .*menu\.json/], { "menu.json": "[]" });
});

test("a DATA_DIR that is a file, or cannot be made, stops the start", async (t) => {
  const folder = temporaryFolder(t);
  await writeFile(join(folder, "file"), "not a folder");
  await assertRefused(t, { DATA_DIR: join(folder, "file") }, [join(folder, "file")]);
  await assertRefused(t, { DATA_DIR: join(folder, "file", "below") }, [join(folder, "file")]);
  await assertRefused(t, { DATA_DIR: "/sys/forno-store" }, ["/sys/forno-store"]);
  assert.equal(await readFile(join(folder, "file"), "utf8"), "not a folder");
});

test("a port in use stops the start and is named", async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  t.after(() => other.close());
  const PORT = String((other.address() as AddressInfo).port); // It listens on a port.
  const line = await assertRefused(t, { PORT }, []);
  assert.equal(
    line,
    `forno: Port ${PORT} is already in use. ` +
      "Set PORT to another one, or stop the program that uses it.",
  );
});

test("a torn end cut off by a start that then cannot listen is logged all the same", async (t) => {
  const DATA_DIR = join(temporaryFolder(t), "store");
  const forno = await spawnForno(t, { dataDir: DATA_DIR });
  // A process that is killed leaves its journals as they are; only the newest may have a torn end.
  await forno.end("SIGKILL");
  const journals = (await readdir(DATA_DIR)).filter((name) => /^journal-/.test(name)).sort();
  await appendFile(join(DATA_DIR, journals.at(-1) ?? "none"), '{"seq":');
  const { exit, stdout } = await runToExit(t, "server.js", [], { DATA_DIR, HOST: "203.0.113.1" });
  assert.equal(exit.code, 1);
  assert.match(stdout, /torn end/);
});

test("a folder with a line break in its name is still told in one line", async (t) => {
  const DATA_DIR = join(temporaryFolder(t), "no\nfolder");
  await writeFile(DATA_DIR, "");
  await assertRefused(t, { DATA_DIR }, ["no\\u000afolder"]);
});

test("an address that is not this machine's stops the start and is named", async (t) => {
  await assertRefused(t, { HOST: "203.0.113.1" }, ["203.0.113.1", "an address of this machine"]);
});

test("a second process on the same folder is refused and the first goes on", async (t) => {
  const first = await spawnForno(t);
  const settings = { DATA_DIR: first.dataDir, TOKEN_SECRET: first.secret };
  await assertRefused(t, settings, [`another process is using the folder ${first.dataDir}`]);
  const body = { name: "Rocket", isVegetarian: true, isVegan: true };
  const created = await first.asStaff("POST", "/api/toppings", body);
  assert.equal(created.status, 201);
});

test("a folder or a dead link in the place of a file of the store is named", async (t) => {
  for (const name of ["store.json", "journal-000001.ndjson", "store.json.tmp"]) {
    for (const [what, make] of [
      ["a folder", (path: string) => mkdir(path, { recursive: true })],
      ["a link to a file that does not exist", (path: string) => symlink("nowhere", path)],
    ] as const) {
      const dataDir = join(temporaryFolder(t), "store");
      await mkdir(dataDir);
      await make(join(dataDir, name));
      const line = await assertRefused(t, { DATA_DIR: dataDir }, []);
      assert.equal(
        line,
        `forno: ${name}: expected a file of the store, got ${what}. ` +
          "Nothing was changed. Put the file back, or move this away to start without it",
      );
      assert.deepEqual(await readdir(dataDir), [name]);
    }
  }
});
