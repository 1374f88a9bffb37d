/** The keys of DATA_DIR/token-secret, or TOKEN_SECRET. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readSettings, type Settings, SettingsError } from "../../src/settings.ts";
import { createLog } from "../../src/log/log.ts";
import { startServer } from "../../src/commands/server.ts";
import { findKeys, loadKeys } from "../../src/commands/signing-key.ts";
import { diskFileSystem } from "../../src/store/file-system.ts";
import { temporaryFolder } from "../helpers/forno.ts";

const secret = "0123456789abcdef0123456789abcdef";
const silent = createLog({ level: "silent", terminal: false });

/** A folder of this test's own, in which the key file holds this text, if any. */
function folderWith(t: TestContext, text?: string | Buffer): { settings: Settings; file: string } {
  const settings = readSettings({ DATA_DIR: temporaryFolder(t) });
  const file = join(settings.dataDir, "token-secret");
  if (text !== undefined) fs.writeFileSync(file, text, { mode: 0o600 });
  return { settings, file };
}

/** The keys as the server and as the commands find them, which must be the same. */
async function keysOf(settings: Settings): Promise<string[]> {
  const keys = (await loadKeys(settings)).map(String);
  assert.deepEqual(findKeys(settings).map(String), keys);
  return keys;
}

async function refusal(load: () => unknown): Promise<string> {
  try {
    await load();
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    assert.doesNotMatch(error.message, /[\r\n]/);
    return error.message;
  }
  return assert.fail("not refused");
}

test("the signing key is TOKEN_SECRET where it is set, and no file is made", async (t) => {
  const folder = temporaryFolder(t);
  const settings = readSettings({ DATA_DIR: folder, TOKEN_SECRET: secret });
  assert.deepEqual(await keysOf(settings), [secret]);
  assert.deepEqual(fs.readdirSync(folder), []);
});

test("without TOKEN_SECRET a key is made once, for its owner only, and found again", async (t) => {
  const { settings, file } = folderWith(t);
  fs.writeFileSync(`${file}.tmp`, "0123"); // Left by a kill while a key file was made.
  const [key = ""] = await keysOf(settings);
  assert.equal(fs.readFileSync(file, "utf8"), `${key}\n`);
  assert.match(key, /^[\w-]{44}$/);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(fs.readdirSync(settings.dataDir), ["token-secret"]);
  assert.deepEqual(await keysOf(settings), [key]);
  assert.notDeepEqual(await keysOf(folderWith(t).settings), [key]);
});

test("a key is on disk, and so is its name, before it is used", async (t) => {
  const calls: string[] = [];
  for (const name of ["create", "rename", "syncFolder"] as const) {
    const call = diskFileSystem[name] as (...args: unknown[]) => unknown;
    t.mock.method(diskFileSystem, name, (...args: unknown[]) => {
      calls.push(name);
      return call.apply(diskFileSystem, args);
    });
  }
  await loadKeys(folderWith(t).settings);
  assert.deepEqual(calls, ["create", "rename", "syncFolder"]);
});

test("the first line signs, and every line verifies, whatever ends them", async (t) => {
  const keys = [secret, ` ${secret} `, "äëïöüÄËÏÖÜ àèìòùé"];
  for (const [before, between, after] of [["", "\n", "\r\n"], ["\n", "\r\n\n", ""]]) {
    const { settings } = folderWith(t, before + keys.join(between) + after);
    assert.deepEqual(await keysOf(settings), keys);
  }
});

const few = "bytes, but a key must have at least 32";

test("a bad key file is refused with the line and what to do, and left as it is", async (t) => {
  const remedy = ": restore the file from a copy, or delete it to get a new key, "
    + "which signs everyone out";
  for (const [text, fault, advice = remedy] of [
    ["", " is empty"],
    ["\n\r\n", " is empty"],
    ["x".repeat(31), `, line 1 has 31 ${few}`],
    [`${secret}\n\nhunter2\n`, `, line 3 has 7 ${few}`],
    ["\0".repeat(45), ", line 1 has a control character"],
    [`${secret}\n${"\0".repeat(45)}\n`, ", line 2 has a control character"],
    [`${secret}\t`, ", line 1 has a control character"],
    [Buffer.alloc(45, 0xff), " is not UTF-8"],
    // As an editor on Windows saves it.
    [`\ufeff${secret}\r\n`, " begins with a byte order mark", ": save it in UTF-8 without one"],
  ] as const) {
    const { settings, file } = folderWith(t, text);
    for (const take of [loadKeys, findKeys]) {
      assert.equal(await refusal(() => take(settings)), `${file}${fault}${advice}`);
    }
    assert.deepEqual(fs.readFileSync(file), Buffer.from(text));
  }
});

test("a bad TOKEN_SECRET is refused by its count of bytes, and never shown", async (t) => {
  for (const [value, fault] of [
    ["hunter2", `has 7 ${few}`],
    ["x".repeat(31), `has 31 ${few}`],
    ["ä".repeat(15), `has 30 ${few}`],
  ] as const) {
    const settings = readSettings({ DATA_DIR: join(temporaryFolder(t), "s"), TOKEN_SECRET: value });
    for (const start of [startServer, loadKeys, findKeys]) {
      assert.equal(await refusal(() => start(settings, silent)), `TOKEN_SECRET ${fault}`);
    }
    assert.equal(fs.existsSync(settings.dataDir), false);
  }
  assert.deepEqual(await keysOf(readSettings({ TOKEN_SECRET: "x".repeat(32) })), ["x".repeat(32)]);
});

test("a link to a key file is followed, and what is no file is refused", async (t) => {
  const { file: elsewhere } = folderWith(t, secret);
  const [linked, folder, fifo] = [folderWith(t), folderWith(t), folderWith(t)];
  fs.symlinkSync(elsewhere, linked.file);
  assert.deepEqual(await keysOf(linked.settings), [secret]);
  fs.mkdirSync(folder.file);
  execFileSync("mkfifo", [fifo.file]);
  for (const [dataDir, reason] of [
    [folder.settings.dataDir, "expected a file, got a folder, a FIFO or a device"],
    [fifo.settings.dataDir, "expected a file, got a folder, a FIFO or a device"],
    [elsewhere, "ENOTDIR: .*"],
    [join(elsewhere, "below"), "ENOTDIR: .*"],
  ] as const) {
    const line = await refusal(() => loadKeys(readSettings({ DATA_DIR: dataDir })));
    const words = `/token-secret cannot hold the signing key \\(${reason}\\): `
      + "choose another DATA_DIR, or set TOKEN_SECRET$";
    assert.match(line, new RegExp(`^${dataDir}${words}`));
  }
});
