/**
 * The keys that tokens are signed and verified with: TOKEN_SECRET, or the lines of
 * DATA_DIR/token-secret. The first line signs. The server makes that file; commands read it.
 *
 * A new key signs nothing before its file is complete and on disk. An existing file is never
 * overwritten.
 */

import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readRegularFile } from "../files.ts";
import { codeOf, messageOf } from "../log/system-error.ts";
import { type Settings, SettingsError } from "../settings.ts";
import { diskFileSystem, replaceFile } from "../store/file-system.ts";

/** The first key signs. All of them verify. */
type Keys = readonly [signing: Uint8Array, ...older: Uint8Array[]];

/** RFC 7518 section 3.2: an HS256 key is no shorter than the hash. */
const minKeyBytes = 32;

/** `name`: where the key comes from. `hint`: what to do. Throws SettingsError if it is short. */
function requireLength(key: Uint8Array, name: string, hint = ""): void {
  if (key.length >= minKeyBytes) return;
  const fault = `has ${key.length} bytes, but a key must have at least ${minKeyBytes}`;
  throw new SettingsError(`${name} ${fault}${hint}`);
}

/** The key in TOKEN_SECRET; undefined if it is not set. Throws SettingsError for a bad one. */
export function keyOfSettings({ tokenSecret }: Settings): Uint8Array | undefined {
  if (tokenSecret === null) return undefined;
  requireLength(tokenSecret, "TOKEN_SECRET");
  return tokenSecret;
}

/**
 * The server's keys. Makes the key file if there is none; the caller must have locked the folder.
 * Rejects with SettingsError if the file cannot be made or read, or has a bad key.
 */
export async function loadKeys(settings: Settings): Promise<Keys> {
  return existingKeys(settings) ?? [await makeKeyFile(keyFile(settings))];
}

/**
 * The keys of a server with these settings. Never makes a key: the server would refuse tokens that
 * are signed with it.
 * Throws SettingsError if the key file is missing, cannot be read, or has a bad key.
 */
export function findKeys(settings: Settings): Keys {
  const keys = existingKeys(settings);
  if (keys !== undefined) return keys;
  throw new SettingsError(
    `there is no token-secret in ${settings.dataDir}: start the server once with this DATA_DIR, ` +
      "or set the DATA_DIR or TOKEN_SECRET that it runs with",
  );
}

function keyFile({ dataDir }: Settings): string {
  return join(dataDir, "token-secret");
}

/** Undefined if there is no key yet. */
function existingKeys(settings: Settings): Keys | undefined {
  const key = keyOfSettings(settings);
  if (key !== undefined) return [key];
  const file = keyFile(settings);
  try {
    return parseKeys(file, readRegularFile(file));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error instanceof SettingsError ? error : keyFileError(file, error);
  }
}

/** One key per line. Empty lines are left out. */
function parseKeys(file: string, bytes: Buffer): Keys {
  // A restore that went wrong leaves zeros, and anybody can sign with these.
  if (!isUtf8(bytes)) throw new SettingsError(`${file} is not UTF-8: ${badKeyHint}`);
  const text = bytes.toString();
  // Read as a part of the key, the mark of a Windows editor would sign everyone out.
  if (text.startsWith("\ufeff")) {
    throw new SettingsError(`${file} begins with a byte order mark: save it in UTF-8 without one`);
  }
  const keys: Uint8Array[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line === "") continue;
    const place = `${file}, line ${index + 1}`;
    if (/\p{Cc}/u.test(line)) {
      throw new SettingsError(`${place} has a control character: ${badKeyHint}`);
    }
    const key = Buffer.from(line);
    requireLength(key, place, `: ${badKeyHint}`);
    keys.push(key);
  }
  const [signing, ...older] = keys;
  if (signing === undefined) throw new SettingsError(`${file} is empty: ${badKeyHint}`);
  return [signing, ...older];
}

const badKeyHint =
  "restore the file from a copy, or delete it to get a new key, which signs everyone out";

async function makeKeyFile(file: string): Promise<Uint8Array> {
  // 44 characters: libraries that choose the algorithm by the key's length choose HS256 for it.
  const key = Buffer.from(randomBytes(33).toString("base64url"));
  try {
    const written = await replaceFile(diskFileSystem, file, [key, Buffer.from("\n")]);
    await written.close();
    return key;
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
