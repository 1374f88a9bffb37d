/**
 * The key that tokens are signed with: TOKEN_SECRET, or a file in DATA_DIR, which is one line of
 * text, for its owner only.
 *
 * Promises: the file is whole and on disk before its key signs anything; starters at the same time
 * agree on one key; what is there is never overwritten.
 */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { secretBytes, type Settings, SettingsError } from "./settings.ts";
import { diskFileSystem } from "./store/file-system.ts";
import { codeOf, messageOf } from "./log/system-error.ts";

/**
 * The signing key in force: `settings.tokenSecret`, else that of `dataDir/token-secret`, which is
 * made when there is none.
 * Rejects with SettingsError when the file cannot be made or read, or is too short.
 */
export async function loadSigningKey(settings: Settings): Promise<Uint8Array> {
  if (settings.tokenSecret !== null) return settings.tokenSecret;
  const file = join(settings.dataDir, "token-secret");
  removeLeftovers(file);
  const key = withoutLineEnd((await readKeyFile(file)) ?? (await makeKeyFile(file)));
  if (key.length >= secretBytes) return key;
  throw new SettingsError(
    `${file} has ${key.length} bytes, but must have at least ${secretBytes}: ` +
      "delete it to have a new one made, or set TOKEN_SECRET",
  );
}

/** An editor or `echo` ends the line; the newline is no part of the key. */
function withoutLineEnd(line: Buffer): Buffer {
  const text = line.at(-1) === 0x0a ? line.subarray(0, -1) : line;
  return text.at(-1) === 0x0d ? text.subarray(0, -1) : text;
}

/** What a kill in the middle of `makeKeyFile` left: it may be a second name of the key in force. */
function removeLeftovers(file: string): void {
  try {
    for (const name of fs.readdirSync(dirname(file))) {
      const path = join(dirname(file), name);
      if (!/^token-secret\.[\da-f]{12}\.tmp$/.test(name)) continue;
      // A younger one may be another starter's, which is about to link it.
      if (Date.now() - fs.lstatSync(path).ctimeMs > 60_000) fs.rmSync(path);
    }
  } catch {
    // No folder yet, or one that is read-only: nothing is lost by what stays.
  }
}

async function readKeyFile(file: string): Promise<Buffer | null> {
  try {
    const line = fs.readFileSync(file);
    // Its maker may be about to do this, or was killed before it; an old one's folder may be
    // unreadable.
    await diskFileSystem.syncFolder(dirname(file)).catch(() => {});
    return line;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw keyFileError(file, error);
  }
}

/** Two starters at once agree on one key: the second to link reads what the first has linked. */
async function makeKeyFile(file: string): Promise<Buffer> {
  const folder = dirname(file);
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await diskFileSystem.makeFolder(folder);
    // 44 characters: libraries that choose the algorithm by the key's length choose HS256 for it.
    const line = `${randomBytes(33).toString("base64url")}\n`;
    fs.writeFileSync(temporary, line, { flag: "wx", mode: 0o600, flush: true });
    linkUnlessThere(temporary, file);
    fs.unlinkSync(temporary);
    await diskFileSystem.syncFolder(folder);
    return fs.readFileSync(file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw keyFileError(file, error);
  }
}

function linkUnlessThere(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function keyFileError(file: string, cause: unknown): SettingsError {
  return new SettingsError(
    `${file} cannot hold the signing key (${messageOf(cause)}): ` +
      "choose another DATA_DIR, or set TOKEN_SECRET",
    { cause },
  );
}
