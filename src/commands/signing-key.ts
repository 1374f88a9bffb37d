/**
 * The keys that tokens are signed and verified with: TOKEN_SECRET, or the lines of
 * DATA_DIR/token-secret. The first line signs. The server makes that file; commands read it.
 *
 * A new key signs nothing before its file is complete and on disk. An existing file is never
 * overwritten.
 */

import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Log } from "../log/log.ts";
import { codeOf, messageOf } from "../log/system-error.ts";
import { type Settings, SettingsError } from "../settings.ts";
import { diskFileSystem, replaceFile } from "../store/file-system.ts";

/** The first key signs. All of them verify. */
type Keys = readonly [signing: Uint8Array, ...older: Uint8Array[]];

/** RFC 7518 section 3.2: an HS256 key is no shorter than the hash. */
const minKeyBytes = 32;
/** A lost write leaves zeros, and a person who tries things out types "aaaa…". */
const minDifferentBytes = 8;

/** Why these bytes cannot be a key: the end of a sentence. Undefined if they can. */
function keyFault(key: Uint8Array): string | undefined {
  if (key.length < minKeyBytes) {
    return `has ${key.length} bytes, but a key must have at least ${minKeyBytes}`;
  }
  const different = new Set(key).size;
  if (different >= minDifferentBytes) return undefined;
  return `has ${different} different bytes, but a key must have at least ${minDifferentBytes}`;
}

/** The key in TOKEN_SECRET; undefined if it is not set. Throws SettingsError for a bad one. */
export function keyOfSettings({ tokenSecret }: Settings): Uint8Array | undefined {
  const fault = tokenSecret && keyFault(tokenSecret);
  if (fault) throw new SettingsError(`TOKEN_SECRET ${fault}`);
  return tokenSecret ?? undefined;
}

/**
 * The server's keys. Makes the key file if there is none; the caller must have locked the folder.
 * Rejects with SettingsError if the file cannot be made or read, or has a bad key.
 */
export async function loadKeys(settings: Settings, log: Log): Promise<Keys> {
  const key = keyOfSettings(settings);
  if (key !== undefined) return [key];
  const file = keyFile(settings);
  const found = await readKeyFile(file);
  const keys = parseKeys(file, found?.text ?? (await makeKeyFile(file)));
  if (found !== null && (found.mode & 0o077) !== 0) {
    log.error("other users can read the signing key; run: chmod 600", { file });
  }
  return keys;
}

/**
 * The keys of a server with these settings. Never makes a key: the server would refuse tokens that
 * are signed with it.
 * Rejects with SettingsError if the key file is missing, cannot be read, or has a bad key.
 */
export async function findKeys(settings: Settings): Promise<Keys> {
  const key = keyOfSettings(settings);
  if (key !== undefined) return [key];
  const file = keyFile(settings);
  const found = await readKeyFile(file);
  if (found !== null) return parseKeys(file, found.text);
  throw new SettingsError(
    `there is no token-secret in ${settings.dataDir}: start the server once with this DATA_DIR, ` +
      "or set the DATA_DIR or TOKEN_SECRET that it runs with",
  );
}

function keyFile({ dataDir }: Settings): string {
  return join(dataDir, "token-secret");
}

/** One key per line. Empty lines are left out. `text`: latin1, because a key may be any bytes. */
function parseKeys(file: string, text: string): Keys {
  const keys: Uint8Array[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line === "") continue;
    const key = Buffer.from(line, "latin1");
    const fault = keyFault(key);
    if (fault !== undefined) {
      throw new SettingsError(`${file}, line ${index + 1} ${fault}: ${badKeyHint}`);
    }
    keys.push(key);
  }
  const [signing, ...older] = keys;
  if (signing === undefined) throw new SettingsError(`${file} is empty: ${badKeyHint}`);
  return [signing, ...older];
}

const badKeyHint =
  "restore the file from a copy, or delete it to get a new key, which signs everyone out";

interface KeyFile {
  readonly text: string;
  readonly mode: number;
}

async function readKeyFile(file: string): Promise<KeyFile | null> {
  try {
    const stats = fs.statSync(file);
    // Reading a pipe or a device may never end.
    if (!stats.isFile()) throw new Error("expected a regular file");
    const text = fs.readFileSync(file, "latin1");
    // The process that made the file may have been killed before its sync. An older folder may be
    // unreadable, which does not matter.
    await diskFileSystem.syncFolder(dirname(file)).catch(() => {});
    return { text, mode: stats.mode };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw keyFileError(file, error);
  }
}

async function makeKeyFile(file: string): Promise<string> {
  // 44 characters: libraries that choose the algorithm by the key's length choose HS256 for it.
  const line = `${randomBytes(33).toString("base64url")}\n`;
  try {
    const written = await replaceFile(diskFileSystem, file, [Buffer.from(line)]);
    await written.close();
    return line;
  } catch (error) {
    throw keyFileError(file, error);
  }
}

function keyFileError(file: string, cause: unknown): SettingsError {
  return new SettingsError(
    `${file} cannot hold the signing key (${messageOf(cause)}): ` +
      "choose another DATA_DIR, or set TOKEN_SECRET",
    { cause },
  );
}
