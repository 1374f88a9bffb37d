/**
 * Turns environment variables into Settings. A bad value is a SettingsError: one line that names it
 * and says what is allowed. A variable that looks like a misspelled setting is a warning, since it
 * may belong to another program. A message never shows a secret. The rules for the files and keys
 * that settings name are here too, and the version.
 */

import { readFileSync, type Stats } from "node:fs";
import { isIP } from "node:net";
import { dirname, join, resolve, sep } from "node:path";
import { distance } from "./problems/faults.ts";

const orderReads = ["public", "authenticated", "own"] as const;
const logLevels = ["debug", "info", "error", "silent"] as const;

export interface Settings {
  /** 0 picks a free one. */
  readonly port: number;
  readonly host: string;
  /** Absolute. */
  readonly dataDir: string;
  /** Null: the keys are in `dataDir/token-secret`. */
  readonly tokenSecret: Uint8Array | null;
  /** Absolute. Null: no menu. */
  readonly menuFile: string | null;
  readonly orderReads: (typeof orderReads)[number];
  /** Null: no CORS. */
  readonly corsOrigins: readonly string[] | "*" | null;
  readonly logLevel: (typeof logLevels)[number];
  /** Requests per second for each client. Null: no limit. */
  readonly rateLimit: number | null;
  readonly trustProxy: boolean;
  readonly guestOrders: boolean;
  /** Sentences for the log: what the operator should change. */
  readonly warnings: readonly string[];
  /** Sentences for the log: which careful defaults hold. */
  readonly notes: readonly string[];
}

/** One line for the operator that says what to change. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** Why this cannot be read like a file: reading a pipe or a device may never end. */
export function fileFault(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  const kind = stats.isDirectory() ? "folder" : stats.isFIFO() ? "pipe" : "device";
  return `expected a regular file, got a ${kind}`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder above `dist` or `src`, so that defaults hold in any working directory. */
const packageRoot = dirname(import.meta.dirname);

/**
 * An empty value counts as unset, except for MENU_FILE. `root`: the folder above `dist`.
 * Throws SettingsError.
 */
export function readSettings(env: Environment, root: string = packageRoot): Settings {
  const warnings = Object.keys(env).flatMap((name) => (env[name] ? warningOf(name) : []));
  const host = readHost(env);
  const trustProxy = readSwitch(env, "TRUST_PROXY");
  const isExposed = trustProxy || !isLoopback(host);
  const careful = isExposed ? carefulDefaults.filter(({ name }) => !env[name]) : [];
  return {
    port: readPort(env),
    host,
    dataDir: readDataDir(env, root),
    tokenSecret: readSecret(env),
    menuFile: readMenuFile(env),
    orderReads: readChoice(env, "ORDER_READS", orderReads, isExposed ? "own" : "public"),
    corsOrigins: readOrigins(env),
    logLevel: readChoice(env, "LOG_LEVEL", logLevels, "info"),
    rateLimit: readRate(env, isExposed ? 100 : null),
    trustProxy,
    guestOrders: readSwitch(env, "GUEST_ORDERS"),
    warnings,
    notes: careful.map(({ note }) => note),
  };
}

/** The defaults where others can come in. */
const carefulDefaults = [
  {
    name: "ORDER_READS",
    note: "customers read their own orders only; ORDER_READS=public shows all orders to anyone",
  },
  {
    name: "RATE_LIMIT",
    note: "100 requests a second for each client; RATE_LIMIT=off lifts it",
  },
] as const;

/** True if only this machine can reach the address. */
function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|::1)$/i.test(host);
}

/** Settings with names that are long enough to recognize a misspelled one. */
const longNames = [
  "DATA_DIR",
  "TOKEN_SECRET",
  "MENU_FILE",
  "ORDER_READS",
  "CORS_ORIGIN",
  "LOG_LEVEL",
  "RATE_LIMIT",
  "TRUST_PROXY",
  "GUEST_ORDERS",
] as const;

const formerSettings: Readonly<Record<string, string>> = {
  REVOKED_SUBS:
    "unset it, and lock each subject out on the board, under Devices, or with PUT " +
    "/api/devices/{sub}/lock",
  TOKEN_SECRET_PREVIOUS:
    "unset TOKEN_SECRET too, and write the keys into DATA_DIR/token-secret, the new one first, " +
    "one per line",
};

/**
 * A warning if a variable looks like a misspelled setting: RATE_LIMT would set no limit.
 * Throws SettingsError for a setting of an earlier version that kept somebody out.
 */
function warningOf(name: string): string | readonly [] {
  const instead = Object.hasOwn(formerSettings, name) ? formerSettings[name] : undefined;
  if (instead !== undefined) {
    throw new SettingsError(`${name} is not a setting any more: ${instead}`);
  }
  if (longNames.some((known) => known === name)) return [];
  const meant = longNames.find((known) => isNearly(name, known));
  if (meant === undefined) return [];
  return `${JSON.stringify(name)} is not a setting; did you mean ${meant}?`;
}

/** True if one letter differs, or two of a long name. */
function isNearly(name: string, known: string): boolean {
  const [one, other] = [lettersOf(name), lettersOf(known)];
  const max = known.length > 10 ? 2 : 1;
  return Math.abs(one.length - other.length) <= max && distance(one, other) <= max;
}

function lettersOf(name: string): string {
  return name.toUpperCase().replaceAll(/[_-]/g, "");
}

function readPort(env: Environment): number {
  const value = env["PORT"];
  if (!value) return 3_000;
  if (/^\d{1,10}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw refusal("PORT", value, "a whole number from 0 to 65535");
}

function readChoice<T extends string>(
  env: Environment,
  name: string,
  choices: readonly T[],
  fallback: T,
): T {
  const value = env[name];
  if (!value) return fallback;
  const choice = choices.find((allowed) => allowed === value);
  if (choice !== undefined) return choice;
  throw refusal(name, value, `one of ${choices.join(", ")}`);
}

const switches = ["on", "off", "true", "false", "1", "0"] as const;

/** Default: off. */
function readSwitch(env: Environment, name: string): boolean {
  return ["on", "true", "1"].includes(readChoice(env, name, switches, "off"));
}

function readHost(env: Environment): string {
  const value = env["HOST"];
  if (!value) return "127.0.0.1";
  if (isIP(value) !== 0 || /^[a-z0-9][a-z0-9.-]{0,252}$/i.test(value)) return value;
  throw refusal("HOST", value, "an IP address without brackets, or a host name");
}

/** Throws SettingsError where npm would delete the store with its package. */
function readDataDir(env: Environment, root: string): string {
  const value = env["DATA_DIR"];
  if (value) return resolve(value);
  if (!root.split(sep).includes("node_modules")) return join(root, "data", "store");
  throw new SettingsError(
    "DATA_DIR is not set, but must be a folder outside of node_modules: npm deletes what lies in " +
      "a package when it upgrades it",
  );
}

function readSecret(env: Environment): Uint8Array | null {
  const value = env["TOKEN_SECRET"];
  if (!value) return null;
  const key = Buffer.from(value);
  const fault = keyFault(key);
  if (fault === undefined) return key;
  throw new SettingsError(`TOKEN_SECRET ${fault}`);
}

/** RFC 7518 section 3.2: an HS256 key is no shorter than the hash. */
const minKeyBytes = 32;
/** A lost write leaves zeros, and a person who tries things out types "aaaa…". */
const minDifferentBytes = 8;

/** Why these bytes cannot be a key: the end of a sentence. Undefined if they can. */
export function keyFault(key: Uint8Array): string | undefined {
  if (key.length < minKeyBytes) {
    return `has ${key.length} bytes, but a key must have at least ${minKeyBytes}`;
  }
  const different = new Set(key).size;
  if (different >= minDifferentBytes) return undefined;
  return `has ${different} different bytes, but a key must have at least ${minDifferentBytes}`;
}

function readMenuFile(env: Environment): string | null {
  const value = env["MENU_FILE"];
  if (value === "") return null;
  return resolve(value ?? join(packageRoot, "data", "starter-menu.json"));
}

function readOrigins(env: Environment): readonly string[] | "*" | null {
  const value = env["CORS_ORIGIN"];
  if (!value) return null;
  if (value === "*") return value;
  const origins = value.split(",").map((origin) => origin.trim());
  const odd = origins.find((origin) => !isOrigin(origin));
  if (odd === undefined) return origins;
  const allowed = "* or a list of origins such as https://pizza.example";
  throw refusal("CORS_ORIGIN", value, `${allowed}, which ${JSON.stringify(odd)} is not`);
}

/** As a browser spells it (RFC 6454 section 6.2): lower case, no path, no default port. */
function isOrigin(text: string): boolean {
  // URL accepts a host with a wildcard, but no page has such an origin.
  if (!URL.canParse(text) || text.includes("*")) return false;
  const { protocol, host } = new URL(text);
  return host !== "" && text === `${protocol}//${host}`;
}

function readRate(env: Environment, fallback: number | null): number | null {
  const value = env["RATE_LIMIT"];
  if (!value) return fallback;
  if (value === "off") return null;
  const rate = /^\d{1,6}(\.\d{1,6})?$/.test(value) ? Number(value) : 0;
  if (rate > 0) return rate;
  throw refusal("RATE_LIMIT", value, "off, or a number above 0 and below 1000000");
}

/** Shows the value as JSON, so that the message stays one line. */
function refusal(name: string, value: string, allowed: string): SettingsError {
  return new SettingsError(`${name} is ${JSON.stringify(value)}, but must be ${allowed}`);
}

export const version: string = JSON.parse(
  readFileSync(join(packageRoot, "package.json"), "utf8"),
).version;
