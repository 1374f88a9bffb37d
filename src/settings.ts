/**
 * Turns environment variables into Settings. A bad value, or a variable that looks like a
 * misspelled setting, is a SettingsError: one line that names it and says what is allowed.
 * A message never shows a secret.
 */

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join, resolve } from "node:path";
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
  /** Bytes. */
  readonly bodyLimit: number;
  /** Null: no CORS. */
  readonly corsOrigins: readonly string[] | "*" | null;
  readonly logLevel: (typeof logLevels)[number];
  /** Requests per second for each client. Null: no limit. */
  readonly rateLimit: number | null;
  readonly trustProxy: boolean;
  readonly guestOrders: boolean;
}

/** One line for the operator that says what to change. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder above `dist` or `src`, so that defaults hold in any working directory. */
const packageRoot = dirname(import.meta.dirname);

/** An empty value counts as unset, except for MENU_FILE. Throws SettingsError. */
export function readSettings(env: Environment): Settings {
  for (const [name, value] of Object.entries(env)) if (value) requireKnown(name);
  return {
    port: readInteger(env, "PORT", 3000, { least: 0, most: 65_535 }),
    host: readHost(env),
    dataDir: resolve(env["DATA_DIR"] || join(packageRoot, "data", "store")),
    tokenSecret: readSecret(env),
    menuFile: readMenuFile(env),
    orderReads: readChoice(env, "ORDER_READS", orderReads, "public"),
    bodyLimit: readInteger(env, "BODY_LIMIT", 65_536, { least: 1, most: 67_108_864 }),
    corsOrigins: readOrigins(env),
    logLevel: readChoice(env, "LOG_LEVEL", logLevels, "info"),
    rateLimit: readRate(env),
    trustProxy: readChoice(env, "TRUST_PROXY", ["on", "off"], "off") === "on",
    guestOrders: readChoice(env, "GUEST_ORDERS", ["on", "off"], "off") === "on",
  };
}

/** Settings with names that are long enough to recognize a misspelled one. */
const longNames = [
  "DATA_DIR",
  "TOKEN_SECRET",
  "MENU_FILE",
  "ORDER_READS",
  "BODY_LIMIT",
  "CORS_ORIGIN",
  "LOG_LEVEL",
  "RATE_LIMIT",
  "TRUST_PROXY",
  "GUEST_ORDERS",
] as const;

/** Throws if a variable looks like a misspelled setting: RATE_LIMT would set no limit. */
function requireKnown(name: string): void {
  if (longNames.some((known) => known === name)) return;
  if (name === "REVOKED_SUBS") {
    throw new SettingsError(
      "REVOKED_SUBS is not a setting any more: unset it, and lock each subject out on the board, " +
        "under Devices, or with PUT /api/devices/{sub}/lock",
    );
  }
  if (name === "TOKEN_SECRET_PREVIOUS") {
    throw new SettingsError(
      "TOKEN_SECRET_PREVIOUS is not a setting any more: unset TOKEN_SECRET too, and write the " +
        "keys into DATA_DIR/token-secret, the new one first, one per line",
    );
  }
  const meant = longNames.find((known) => isNearly(name, known));
  if (meant === undefined) return;
  throw new SettingsError(`${JSON.stringify(name)} is not a setting; did you mean ${meant}?`);
}

/** True if one letter differs, or two of a long name. */
function isNearly(name: string, known: string): boolean {
  const [one, other] = [lettersOf(name), lettersOf(known)];
  const most = known.length > 10 ? 2 : 1;
  return Math.abs(one.length - other.length) <= most && distance(one, other) <= most;
}

function lettersOf(name: string): string {
  return name.toUpperCase().replaceAll(/[_-]/g, "");
}

function readInteger(
  env: Environment,
  name: string,
  fallback: number,
  { least, most }: { least: number; most: number },
): number {
  const value = env[name];
  if (!value) return fallback;
  const number = /^\d{1,10}$/.test(value) ? Number(value) : NaN;
  if (number >= least && number <= most) return number;
  throw refusal(name, value, `a whole number from ${least} to ${most}`);
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

function readHost(env: Environment): string {
  const value = env["HOST"];
  if (!value) return "127.0.0.1";
  if (isIP(value) !== 0 || /^[a-z0-9][a-z0-9.-]{0,252}$/i.test(value)) return value;
  throw refusal("HOST", value, "an IP address without brackets, or a host name");
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
const leastKeyBytes = 32;
/** A lost write leaves zeros, and a person who tries things out types "aaaa…". */
const leastDifferentBytes = 8;

/** Why these bytes cannot be a key: the end of a sentence. Undefined if they can. */
export function keyFault(key: Uint8Array): string | undefined {
  if (key.length < leastKeyBytes) {
    return `has ${key.length} bytes, but a key must have at least ${leastKeyBytes}`;
  }
  const different = new Set(key).size;
  if (different >= leastDifferentBytes) return undefined;
  return `has ${different} different bytes, but a key must have at least ${leastDifferentBytes}`;
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

function readRate(env: Environment): number | null {
  const value = env["RATE_LIMIT"];
  if (!value || value === "off") return null;
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
