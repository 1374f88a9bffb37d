/** The keys of DATA_DIR/token-secret, or TOKEN_SECRET. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readSettings, type Settings, SettingsError } from "../../dist/settings.js";
import { createLog } from "../../dist/log/log.js";
import { findKeys, loadKeys } from "../../dist/commands/signing-key.js";
import { diskFileSystem } from "../../dist/store/file-system.js";
import { temporaryFolder } from "../helpers/forno.ts";

const secret = "0123456789abcdef0123456789abcdef";

const silent = createLog({ level: "silent", terminal: false });

async function load(settings: Settings): Promise<Uint8Array> {
  return (await loadKeys(settings, silent))[0];
}

async function find(settings: Settings): Promise<Uint8Array> {
  return (await findKeys(settings))[0];
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
  const folder = temporaryFolder(t);
  const key = await load(readSettings({ DATA_DIR: folder, TOKEN_SECRET: secret }));
  assert.deepEqual(key, Buffer.from(secret));
  assert.deepEqual(fs.readdirSync(folder), []);
});

test("without TOKEN_SECRET a key is made once, for its owner only, and found again", async (t) => {
  const folder = temporaryFolder(t);
  const settings = readSettings({ DATA_DIR: folder });
  const key = await load(settings);
  const file = join(folder, "token-secret");
  assert.equal(fs.readFileSync(file, "utf8"), `${Buffer.from(key).toString()}\n`);
  assert.match(Buffer.from(key).toString(), /^[\w-]{44}$/);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(fs.readdirSync(folder), ["token-secret"]);
  assert.deepEqual(await load(settings), key);
  assert.deepEqual(await find(settings), key);
  assert.notDeepEqual(await load(readSettings({ DATA_DIR: temporaryFolder(t) })), key);
});

test("a key is on disk, and so is its name, before it is used", async (t) => {
  const settings = readSettings({ DATA_DIR: temporaryFolder(t) });
  const calls: string[] = [];
  for (const name of ["open", "rename", "openFolder"] as const) {
    const call = diskFileSystem[name] as (...args: unknown[]) => unknown;
    t.mock.method(diskFileSystem, name, (...args: unknown[]) => {
      calls.push(name);
      return call.apply(diskFileSystem, args);
    });
  }
  await load(settings);
  assert.deepEqual(calls, ["open", "rename", "openFolder"]);
});

test("a start clears what a kill left of making a key", async (t) => {
  const settings = readSettings({ DATA_DIR: temporaryFolder(t) });
  fs.writeFileSync(join(settings.dataDir, "token-secret.tmp"), "0123");
  const key = await load(settings);
  assert.deepEqual(fs.readdirSync(settings.dataDir), ["token-secret"]);
  assert.deepEqual(await find(settings), key);
});

test("the name of a key that another process made is on disk before it is used", async (t) => {
  const settings = readSettings({ DATA_DIR: temporaryFolder(t) });
  fs.writeFileSync(join(settings.dataDir, "token-secret"), secret);
  const { mock } = t.mock.method(diskFileSystem, "openFolder");
  await load(settings);
  assert.deepEqual(mock.calls.map((call) => call.arguments), [[settings.dataDir]]);
  mock.mockImplementation(() => Promise.reject(new Error("EACCES: the folder is unreadable")));
  assert.equal(Buffer.from(await load(settings)).toString(), secret);
});

test("a key file that a person wrote is taken without the newline of its end", async (t) => {
  const settings = readSettings({ DATA_DIR: temporaryFolder(t) });
  const file = join(settings.dataDir, "token-secret");
  for (const end of ["", "\n", "\r\n"]) {
    fs.writeFileSync(file, secret + end);
    assert.equal(Buffer.from(await load(settings)).toString(), secret);
  }
  fs.writeFileSync(file, ` ${secret} \n`);
  assert.equal(Buffer.from(await load(settings)).toString(), ` ${secret} `);
});

test("the first line signs, and every line verifies", async (t) => {
  const settings = readSettings({ DATA_DIR: temporaryFolder(t) });
  const keys = [secret, ` ${secret} `, secret.toUpperCase(), "äëïöüÄËÏÖÜ àèìòùé"];
  for (const [before, between, after] of [["", "\n", "\n"], ["\n", "\r\n\n", ""]]) {
    const text = before + keys.join(between) + after;
    fs.writeFileSync(join(settings.dataDir, "token-secret"), text);
    for (const take of [loadKeys, findKeys]) {
      assert.deepEqual((await take(settings, silent)).map(String), keys);
    }
  }
});

test("a bad key file is refused with the line and what to do, and left as it is", async (t) => {
  const settings = readSettings({ DATA_DIR: temporaryFolder(t) });
  const file = join(settings.dataDir, "token-secret");
  const few = "bytes, but a key must have at least 32";
  const same = "different bytes, but a key must have at least 8";
  const rows = [
    ["", " is empty"],
    ["\n\r\n", " is empty"],
    ["hunter2\n", `, line 1 has 7 ${few}`],
    ["x".repeat(31), `, line 1 has 31 ${few}`],
    [`${secret}\n\nhunter2\n`, `, line 3 has 7 ${few}`],
    // A lost write leaves zeros, with which anyone can sign.
    ["\0".repeat(45), `, line 1 has 1 ${same}`],
    [`${secret}\n${"abcdefg".repeat(5)}`, `, line 2 has 7 ${same}`],
  ] as const;
  for (const [text, fault] of rows) {
    fs.writeFileSync(file, text);
    for (const take of [load, find]) {
      assert.equal(
        await refusal(take(settings)),
        `${file}${fault}: restore the file from a copy, or delete it to get a new key, ` +
          "which signs everyone out",
      );
    }
    assert.equal(fs.readFileSync(file, "utf8"), text);
  }
});

test("a link to a key file is followed", async (t) => {
  const settings = readSettings({ DATA_DIR: temporaryFolder(t) });
  const secretFile = join(temporaryFolder(t), "secret");
  fs.writeFileSync(secretFile, secret);
  fs.symlinkSync(secretFile, join(settings.dataDir, "token-secret"));
  assert.equal(String(await find(settings)), secret);
});

test("a key file that cannot be made or read is refused with the reason", async (t) => {
  const folder = temporaryFolder(t);
  fs.writeFileSync(join(folder, "file"), "");
  for (const dataDir of [join(folder, "file"), join(folder, "file", "below")]) {
    const line = await refusal(load(readSettings({ DATA_DIR: dataDir })));
    assert.ok(line.startsWith(`${join(dataDir, "token-secret")} cannot hold the signing key (`));
    assert.match(line, /ENOTDIR.*\): choose another DATA_DIR, or set TOKEN_SECRET$/);
  }
  fs.mkdirSync(join(folder, "token-secret"));
  const settings = readSettings({ DATA_DIR: folder });
  for (const take of [load, find]) {
    assert.match(await refusal(take(settings)), /\/token-secret cannot hold .*\(expected a regular file, got a folder\)/);
  }
});

test("a key file that others can read is taken, and told of", async (t) => {
  const settings = readSettings({ DATA_DIR: temporaryFolder(t) });
  const file = join(settings.dataDir, "token-secret");
  fs.writeFileSync(file, secret);
  for (const [mode, told] of [[0o600, 0], [0o400, 0], [0o640, 1], [0o604, 1]] as const) {
    fs.chmodSync(file, mode);
    const { mock } = t.mock.method(silent, "error");
    assert.equal(Buffer.from(await load(settings)).toString(), secret);
    assert.equal(mock.callCount(), told, mode.toString(8));
    mock.restore();
  }
});
