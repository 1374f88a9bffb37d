/**
 * The keys that tokens are signed and verified with: TOKEN_SECRET, or the lines of
 * DATA_DIR/token-secret, of which the first signs. The server makes that file; commands read it.
 *
 * A new file is whole and on disk before its key signs anything. A file that exists is never
 * overwritten.
 */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Log } from "../log/log.ts";
import { codeOf, messageOf } from "../log/system-error.ts";
import { keyFault, type Settings, SettingsError } from "../settings.ts";
import { diskFileSystem, publish, writeTemporary } from "../store/file-system.ts";

/** The first key signs. All of them verify. */
export type Keys = readonly [signing: Uint8Array, ...older: Uint8Array[]];

/**
 * The server's keys. Makes the key file if there is none; the caller has the folder for itself.
 * Rejects with SettingsError when the file cannot be made or read, or has a bad key in it.
 */
export async function loadKeys(settings: Settings, log: Log): Promise<Keys> {
  if (settings.tokenSecret !== null) return [settings.tokenSecret];
  const file = keyFile(settings);
  const found = await readKeyFile(file);
  // Windows has no such modes.
  if (found !== null && process.platform !== "win32" && (found.mode & 0o077) !== 0) {
    log.error("other users can read the signing key; run: chmod 600", { file });
  }
  return parseKeys(file, found?.text ?? (await makeKeyFile(file)));
}

/**
 * The keys of the server that has these settings. Makes none: the server would refuse a token
 * that another key has signed.
 * Rejects with SettingsError when there is no key file, it cannot be read, or has a bad key in it.
 */
export async function findKeys(settings: Settings): Promise<Keys> {
  if (settings.tokenSecret !== null) return [settings.tokenSecret];
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

/** One key per line. Empty lines are left out. */
function parseKeys(file: string, text: Buffer): Keys {
  const keys: Uint8Array[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    if (line.length === 0) continue;
    const fault = keyFault(line);
    if (fault !== undefined) {
      throw new SettingsError(`${file}, line ${index + 1} ${fault}: ${badKeyHint}`);
    }
    keys.push(line);
  }
  const [signing, ...older] = keys;
  if (signing === undefined) throw new SettingsError(`${file} is empty: ${badKeyHint}`);
  return [signing, ...older];
}

const badKeyHint =
  "restore the file from a copy, or delete it to get a new key, which signs everyone out";

/** As bytes, because a key may be any bytes. A line ends with \n or \r\n. */
function linesOf(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(0x0a, start);
    const end = found === -1 ? text.length : found;
    lines.push(text.subarray(start, text[end - 1] === 0x0d ? end - 1 : end));
    start = end + 1;
  }
  return lines;
}

interface KeyFile {
  readonly text: Buffer;
  readonly mode: number;
}

async function readKeyFile(file: string): Promise<KeyFile | null> {
  try {
    // A pipe would make a blocking open wait for a writer forever.
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    try {
      const status = fs.fstatSync(descriptor);
      if (!status.isFile()) {
        throw new SettingsError(
          `${file} is not a regular file, so it cannot hold the signing key: ` +
            "move it away, or set TOKEN_SECRET",
        );
      }
      const text = fs.readFileSync(descriptor);
      // Its maker may have been killed before this. An old folder may be unreadable.
      await diskFileSystem.syncFolder(dirname(file)).catch(() => {});
      return { text, mode: status.mode };
    } finally {
      fs.closeSync(descriptor);
    }
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
  if (cause instanceof SettingsError) return cause;
  return new SettingsError(
    `${file} cannot hold the signing key (${messageOf(cause)}): ` +
      "choose another DATA_DIR, or set TOKEN_SECRET",
    { cause },
  );
}
