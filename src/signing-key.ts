/**
 * The key that tokens are signed with: TOKEN_SECRET, or a file in DATA_DIR, which is one line of
 * text, for its owner only.
 *
 * Promises: the file is whole and on disk before its key signs anything; starters at the same time
 * agree on one key; what is there is never overwritten.
 */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { secretBytes, type Settings, SettingsError } from "./settings.ts";
import { codeOf, messageOf } from "./system-error.ts";

/**
 * The signing key in force: `settings.tokenSecret`, else that of `dataDir/token-secret`, which is
 * made when there is none.
 * Throws SettingsError when the file cannot be made or read, or is too short.
 */
export function loadSigningKey(settings: Settings): Uint8Array {
  if (settings.tokenSecret !== null) return settings.tokenSecret;
  const file = join(settings.dataDir, "token-secret");
  removeLeftovers(file);
  const key = withoutLineEnd(readKeyFile(file) ?? makeKeyFile(file));
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
      if (!name.startsWith(`${basename(file)}.`) || !name.endsWith(".tmp")) continue;
      // A younger one may be another starter's, which is about to link it.
      if (Date.now() - fs.lstatSync(path).ctimeMs > 60_000) fs.rmSync(path);
    }
  } catch {
    // No folder yet, or one that is read-only: nothing is lost by what stays.
  }
}

function readKeyFile(file: string): Buffer | null {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw keyFileError(file, error);
  }
}

/** Two starters at once agree on one key: the second to link reads what the first has linked. */
function makeKeyFile(file: string): Buffer {
  const folder = dirname(file);
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    makeFolder(folder);
    const line = `${randomBytes(48).toString("base64url")}\n`;
    fs.writeFileSync(temporary, line, { flag: "wx", mode: 0o600, flush: true });
    linkUnlessThere(temporary, file);
    fs.unlinkSync(temporary);
    syncFolder(folder);
    return fs.readFileSync(file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw keyFileError(file, error);
  }
}

/** With its parents, once for each: in /proc node's own recursive mkdir goes round forever. */
function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
    syncFolder(parent);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function linkUnlessThere(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function syncFolder(folder: string): void {
  // Windows cannot sync a folder: see store/file-system.ts.
  if (process.platform === "win32") return;
  const fd = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function keyFileError(file: string, cause: unknown): SettingsError {
  return new SettingsError(
    `${file} cannot hold the signing key (${messageOf(cause)}): ` +
      "choose another DATA_DIR, or set TOKEN_SECRET",
    { cause },
  );
}
