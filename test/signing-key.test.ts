/** The signing key: given, made or found. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readSettings, SettingsError } from "../dist/settings.js";
import { loadSigningKey } from "../dist/signing-key.js";
import { diskFileSystem } from "../dist/store/file-system.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const secret = "0123456789abcdef0123456789abcdef";

function makeFolder(t: TestContext): string {
  const folder = fs.mkdtempSync(join(tmpdir(), "forno-key-"));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function refusal(loading: Promise<unknown>): Promise<string> {
  try {
    await loading;
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    assert.doesNotMatch(error.message, /[\r\n]/);
    return error.message;
  }
  return assert.fail("not refused");
}

test("the signing key is TOKEN_SECRET where it is set, and no file is made", async (t) => {
  const folder = makeFolder(t);
  const key = await loadSigningKey(readSettings({ DATA_DIR: folder, TOKEN_SECRET: secret }));
  assert.deepEqual(key, Buffer.from(secret));
  assert.deepEqual(fs.readdirSync(folder), []);
});

test("without TOKEN_SECRET a key is made once, for its owner only, and found again", async (t) => {
  const folder = join(makeFolder(t), "new", "store");
  const settings = readSettings({ DATA_DIR: folder });
  const key = await loadSigningKey(settings);
  const file = join(folder, "token-secret");
  assert.equal(fs.readFileSync(file, "utf8"), `${Buffer.from(key).toString()}\n`);
  assert.match(Buffer.from(key).toString(), /^[\w-]{44}$/);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700);
  assert.deepEqual(fs.readdirSync(folder), ["token-secret"]);
  assert.deepEqual(await loadSigningKey(settings), key);
  assert.notDeepEqual(await loadSigningKey(readSettings({ DATA_DIR: makeFolder(t) })), key);
});

test("the name of a key that another process made is on disk before it is used", async (t) => {
  const settings = readSettings({ DATA_DIR: makeFolder(t) });
  fs.writeFileSync(join(settings.dataDir, "token-secret"), secret);
  const { mock } = t.mock.method(diskFileSystem, "syncFolder");
  await loadSigningKey(settings);
  assert.deepEqual(mock.calls.map((call) => call.arguments), [[settings.dataDir]]);
  mock.mockImplementation(() => Promise.reject(new Error("EACCES: the folder is unreadable")));
  assert.equal(Buffer.from(await loadSigningKey(settings)).toString(), secret);
});

test("what a kill left of making a key is removed, once nobody can be making it", async (t) => {
  const folder = makeFolder(t);
  const settings = readSettings({ DATA_DIR: folder });
  await loadSigningKey(settings);
  const file = join(folder, "token-secret");
  fs.linkSync(file, `${file}.0123456789ab.tmp`);
  await loadSigningKey(settings);
  assert.equal(fs.readdirSync(folder).length, 2, "it may be on its way");
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 61_000 });
  const key = await loadSigningKey(settings);
  assert.deepEqual(fs.readdirSync(folder), ["token-secret"]);
  assert.equal(fs.readFileSync(file, "utf8"), `${Buffer.from(key).toString()}\n`);
});

test("processes that start at the same time agree on one key", async (t) => {
  const folder = makeFolder(t);
  const [settings, signingKey] = ["settings", "signing-key"].map((name) =>
    JSON.stringify(new URL(`../dist/${name}.js`, import.meta.url)));
  const script = `
    import { readSettings } from ${settings};
    import { loadSigningKey } from ${signingKey};
    console.log(Buffer.from(await loadSigningKey(readSettings(process.env))).toString());`;
  const args = ["--input-type=module", "--eval", script];
  const env = { ...process.env, DATA_DIR: folder, TOKEN_SECRET: "" };
  const start = () => promisify(execFile)(process.execPath, args, { cwd: root, env });
  const outputs = await Promise.all([start(), start(), start(), start()]);
  const keys = new Set(outputs.map(({ stdout }) => stdout));
  assert.deepEqual([...keys], [fs.readFileSync(join(folder, "token-secret"), "utf8")]);
  assert.deepEqual(fs.readdirSync(folder), ["token-secret"]);
});

test("a key file that a person wrote is taken without the newline of its end", async (t) => {
  const settings = readSettings({ DATA_DIR: makeFolder(t) });
  const file = join(settings.dataDir, "token-secret");
  for (const end of ["", "\n", "\r\n"]) {
    fs.writeFileSync(file, secret + end);
    assert.equal(Buffer.from(await loadSigningKey(settings)).toString(), secret);
  }
  fs.writeFileSync(file, ` ${secret} \n`);
  assert.equal(Buffer.from(await loadSigningKey(settings)).toString(), ` ${secret} `);
});

test("a key file that is too short is refused with the cure, and left as it is", async (t) => {
  const settings = readSettings({ DATA_DIR: makeFolder(t) });
  const file = join(settings.dataDir, "token-secret");
  const rows = [["", 0], ["\n", 0], ["hunter2\n", 7], ["x".repeat(31), 31]] as const;
  for (const [text, bytes] of rows) {
    fs.writeFileSync(file, text);
    assert.equal(
      await refusal(loadSigningKey(settings)),
      `${file} has ${bytes} bytes, but must have at least 32: ` +
        "delete it to have a new one made, or set TOKEN_SECRET",
    );
    assert.equal(fs.readFileSync(file, "utf8"), text);
  }
});

test("a key file that cannot be made or read is refused with reason and cure", async (t) => {
  const folder = makeFolder(t);
  fs.writeFileSync(join(folder, "file"), "");
  fs.mkdirSync(join(folder, "store", "token-secret"), { recursive: true });
  const rows = [
    [join(folder, "file"), /ENOTDIR/],
    [join(folder, "file", "below"), /ENOTDIR/],
    [join(folder, "store"), /EISDIR/],
  ] as const;
  for (const [dataDir, reason] of rows) {
    const line = await refusal(loadSigningKey(readSettings({ DATA_DIR: dataDir })));
    assert.ok(line.startsWith(`${join(dataDir, "token-secret")} cannot hold the signing key (`));
    assert.match(line, reason);
    assert.ok(line.endsWith("): choose another DATA_DIR, or set TOKEN_SECRET"));
  }
});
