/** The signing key: given, made or found. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readSettings, type Settings, SettingsError } from "../../dist/settings.js";
import { createLog } from "../../dist/log/log.js";
import { findSigningKey, loadSigningKey } from "../../dist/commands/signing-key.js";
import { diskFileSystem } from "../../dist/store/file-system.js";

const secret = "0123456789abcdef0123456789abcdef";

const silent = createLog({ level: "silent", terminal: false });

function load(settings: Settings): Promise<Uint8Array> {
  return loadSigningKey(settings, silent);
}

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
  const key = await load(readSettings({ DATA_DIR: folder, TOKEN_SECRET: secret }));
  assert.deepEqual(key, Buffer.from(secret));
  assert.deepEqual(fs.readdirSync(folder), []);
});

test("without TOKEN_SECRET a key is made once, for its owner only, and found again", async (t) => {
  const folder = makeFolder(t);
  const settings = readSettings({ DATA_DIR: folder });
  const key = await load(settings);
  const file = join(folder, "token-secret");
  assert.equal(fs.readFileSync(file, "utf8"), `${Buffer.from(key).toString()}\n`);
  assert.match(Buffer.from(key).toString(), /^[\w-]{44}$/);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(fs.readdirSync(folder), ["token-secret"]);
  assert.deepEqual(await load(settings), key);
  assert.deepEqual(await findSigningKey(settings), key);
  assert.notDeepEqual(await load(readSettings({ DATA_DIR: makeFolder(t) })), key);
});

test("a key is on disk, and so is its name, before it is used", async (t) => {
  const settings = readSettings({ DATA_DIR: makeFolder(t) });
  const calls: string[] = [];
  for (const name of ["open", "rename", "syncFolder"] as const) {
    const call = diskFileSystem[name] as (...args: unknown[]) => unknown;
    t.mock.method(diskFileSystem, name, (...args: unknown[]) => {
      calls.push(name);
      return call.apply(diskFileSystem, args);
    });
  }
  await load(settings);
  assert.deepEqual(calls, ["open", "rename", "syncFolder"]);
});

test("what a kill left of making a key does not matter", async (t) => {
  const settings = readSettings({ DATA_DIR: makeFolder(t) });
  fs.writeFileSync(join(settings.dataDir, "token-secret.tmp"), "0123");
  const key = await load(settings);
  assert.deepEqual(fs.readdirSync(settings.dataDir), ["token-secret"]);
  assert.deepEqual(await findSigningKey(settings), key);
});

test("the name of a key that another process made is on disk before it is used", async (t) => {
  const settings = readSettings({ DATA_DIR: makeFolder(t) });
  fs.writeFileSync(join(settings.dataDir, "token-secret"), secret);
  const { mock } = t.mock.method(diskFileSystem, "syncFolder");
  await load(settings);
  assert.deepEqual(mock.calls.map((call) => call.arguments), [[settings.dataDir]]);
  mock.mockImplementation(() => Promise.reject(new Error("EACCES: the folder is unreadable")));
  assert.equal(Buffer.from(await load(settings)).toString(), secret);
});

test("a key file that a person wrote is taken without the newline of its end", async (t) => {
  const settings = readSettings({ DATA_DIR: makeFolder(t) });
  const file = join(settings.dataDir, "token-secret");
  for (const end of ["", "\n", "\r\n"]) {
    fs.writeFileSync(file, secret + end);
    assert.equal(Buffer.from(await load(settings)).toString(), secret);
  }
  fs.writeFileSync(file, ` ${secret} \n`);
  assert.equal(Buffer.from(await load(settings)).toString(), ` ${secret} `);
});

test("a key file that is too short is refused with the cure, and left as it is", async (t) => {
  const settings = readSettings({ DATA_DIR: makeFolder(t) });
  const file = join(settings.dataDir, "token-secret");
  const rows = [["", 0], ["\n", 0], ["hunter2\n", 7], ["x".repeat(31), 31]] as const;
  for (const [text, bytes] of rows) {
    fs.writeFileSync(file, text);
    assert.equal(
      await refusal(load(settings)),
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
    [join(folder, "file"), /ENOTDIR/, "choose another DATA_DIR"],
    [join(folder, "file", "below"), /ENOTDIR/, "choose another DATA_DIR"],
    [join(folder, "store"), /EISDIR/, "move that folder away"],
  ] as const;
  for (const [dataDir, reason, cure] of rows) {
    const line = await refusal(load(readSettings({ DATA_DIR: dataDir })));
    assert.ok(line.startsWith(`${join(dataDir, "token-secret")} cannot hold the signing key (`));
    assert.match(line, reason);
    assert.ok(line.endsWith(`): ${cure}, or set TOKEN_SECRET`), line);
  }
});

test("a key file of one byte again and again is refused: a lost write leaves zeros", async (t) => {
  const settings = readSettings({ DATA_DIR: makeFolder(t) });
  const file = join(settings.dataDir, "token-secret");
  for (const text of ["\0".repeat(45), " ".repeat(44), `${"x".repeat(32)}\n`]) {
    fs.writeFileSync(file, text);
    for (const take of [load, findSigningKey]) {
      assert.equal(
        await refusal(take(settings)),
        `${file} holds one byte again and again, which is no secret: ` +
          "delete it to have a new one made, or set TOKEN_SECRET",
      );
    }
    assert.equal(fs.readFileSync(file, "utf8"), text);
  }
});

test("a key file that others can read is taken, and told of", {
  skip: process.platform === "win32" && "needs file modes",
}, async (t) => {
  const settings = readSettings({ DATA_DIR: makeFolder(t) });
  const file = join(settings.dataDir, "token-secret");
  fs.writeFileSync(file, secret);
  for (const [mode, told] of [[0o600, 0], [0o400, 0], [0o640, 1], [0o604, 1]] as const) {
    fs.chmodSync(file, mode);
    const { mock } = t.mock.method(silent, "error");
    assert.equal(Buffer.from(await loadSigningKey(settings, silent)).toString(), secret);
    assert.equal(mock.callCount(), told, mode.toString(8));
    mock.restore();
  }
});
