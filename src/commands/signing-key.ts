/**
 * The key that tokens are signed with: TOKEN_SECRET, or a file in DATA_DIR, which is one line of
 * text, for its owner only. The server makes it; commands find it.
 *
 * Promises: the file is whole and on disk before its key signs anything; what is there is never
 * overwritten.
 */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Log } from "../log/log.ts";
import { codeOf, messageOf } from "../log/system-error.ts";
import { secretBytes, type Settings, SettingsError } from "../settings.ts";
import { diskFileSystem, publish, writeTemporary } from "../store/file-system.ts";

/**
 * The server's signing key: `settings.tokenSecret`, else that of `dataDir/token-secret`, which is
 * made when there is none. The caller has the folder for itself.
 * Rejects with SettingsError when the file cannot be made or read, or holds no key.
 */
export async function loadSigningKey(settings: Settings, log: Log): Promise<Uint8Array> {
  if (settings.tokenSecret !== null) return settings.tokenSecret;
  const file = keyFile(settings);
  const key = requireKey(file, (await readKeyFile(file)) ?? (await makeKeyFile(file)));
  // Windows has no such modes.
  if (process.platform !== "win32" && (fs.statSync(file).mode & 0o077) !== 0) {
    log.error("the signing key is open to others than its owner: chmod 600", { file });
  }
  return key;
}

/**
 * The key of the server that has these settings. None is made: what another key signs, the server
 * refuses.
 * Rejects with SettingsError when there is none, or the file cannot be read or holds no key.
 */
export async function findSigningKey(settings: Settings): Promise<Uint8Array> {
  if (settings.tokenSecret !== null) return settings.tokenSecret;
  const file = keyFile(settings);
  const line = await readKeyFile(file);
  if (line !== null) return requireKey(file, line);
  throw new SettingsError(
    `DATA_DIR is ${settings.dataDir}, which holds no token-secret: ` +
      "start the server there once, or set the DATA_DIR or the TOKEN_SECRET that it runs with",
  );
}

function keyFile({ dataDir }: Settings): string {
  return join(dataDir, "token-secret");
}

/** The key in a file's one line. */
function requireKey(file: string, line: Buffer): Uint8Array {
  const key = withoutLineEnd(line);
  const cure = "delete it to have a new one made, or set TOKEN_SECRET";
  if (key.length < secretBytes) {
    const found = `has ${key.length} bytes, but must have at least ${secretBytes}`;
    throw new SettingsError(`${file} ${found}: ${cure}`);
  }
  // A write that was lost leaves zeros, with which anybody can sign.
  if (key.every((byte) => byte === key[0])) {
    throw new SettingsError(`${file} holds one byte again and again, which is no secret: ${cure}`);
  }
  return key;
}

/** An editor or `echo` ends the line; the newline is no part of the key. */
function withoutLineEnd(line: Buffer): Buffer {
  const text = line.at(-1) === 0x0a ? line.subarray(0, -1) : line;
  return text.at(-1) === 0x0d ? text.subarray(0, -1) : text;
}

async function readKeyFile(file: string): Promise<Buffer | null> {
  try {
    const line = fs.readFileSync(file);
    // Its maker may have been killed before this; an old one's folder may be unreadable.
    await diskFileSystem.syncFolder(dirname(file)).catch(() => {});
    return line;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw keyFileError(file, error);
  }
}

async function makeKeyFile(file: string): Promise<Buffer> {
  // 44 characters: libraries that choose the algorithm by the key's length choose HS256 for it.
  const line = Buffer.from(`${randomBytes(33).toString("base64url")}\n`);
  try {
    await writeTemporary(diskFileSystem, file, [line]);
    await publish(diskFileSystem, file);
    await diskFileSystem.syncFolder(dirname(file));
    return line;
  } catch (error) {
    throw keyFileError(file, error);
  }
}

function keyFileError(file: string, cause: unknown): SettingsError {
  const isFolder = codeOf(cause) === "EISDIR";
  const cure = isFolder ? "move that folder away" : "choose another DATA_DIR";
  return new SettingsError(
    `${file} cannot hold the signing key (${messageOf(cause)}): ${cure}, or set TOKEN_SECRET`,
    { cause },
  );
}
