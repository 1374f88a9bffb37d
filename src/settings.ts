/**
 * Environment variables to Settings, each checked (contract part 1). A bad one is a SettingsError:
 * one line that names the variable, its value and what is allowed. Of a secret the line gives the
 * length only.
 */

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join, resolve } from "node:path";

const orderReads = ["public", "authenticated", "own"] as const;
const logLevels = ["debug", "info", "error", "silent"] as const;

/** Checked settings: a mistake among them was refused. */
export interface Settings {
  /** 0: a free one. */
  readonly port: number;
  readonly host: string;
  /** Absolute. */
  readonly dataDir: string;
  /** Null: kept in `dataDir/token-secret`. */
  readonly tokenSecret: Uint8Array | null;
  /** Verifies, never signs. */
  readonly previousSecret: Uint8Array | null;
  /** Absolute. Null: no menu. */
  readonly menuFile: string | null;
  readonly orderReads: (typeof orderReads)[number];
  /** Bytes. */
  readonly bodyLimit: number;
  /** Null: no CORS. */
  readonly corsOrigins: readonly string[] | "*" | null;
  readonly logLevel: (typeof logLevels)[number];
  /** Requests per second and client. Null: no limit. */
  readonly rateLimit: number | null;
  readonly trustProxy: boolean;
  readonly guestOrders: boolean;
}

/** For the operator: one line, which says what to change. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder above `dist` or `src`, so that defaults hold in any working directory. */
const packageRoot = dirname(import.meta.dirname);

/** RFC 7518 section 3.2: an HS256 key is no shorter than the hash. */
export const secretBytes = 32;

/**
 * An empty value counts as unset, save for MENU_FILE.
 * Throws SettingsError on the first bad one.
 */
export function readSettings(env: Environment): Settings {
  return {
    port: readInteger(env, "PORT", 3000, { least: 0, most: 65_535 }),
    host: readHost(env),
    dataDir: resolve(env["DATA_DIR"] || join(packageRoot, "data", "store")),
    tokenSecret: readSecret(env, "TOKEN_SECRET"),
    previousSecret: readSecret(env, "TOKEN_SECRET_PREVIOUS"),
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

function readSecret(env: Environment, name: string): Uint8Array | null {
  const value = env[name];
  if (!value) return null;
  const secret = Buffer.from(value);
  if (secret.length >= secretBytes) return secret;
  throw new SettingsError(
    `${name} has ${secret.length} bytes, but must have at least ${secretBytes}`,
  );
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

/** As a browser spells it (RFC 6454 section 6.2): lower case, no path, no port that is implied. */
function isOrigin(text: string): boolean {
  // A host with a wildcard is a URL to the parser, but no page ever has that origin.
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

/** The value as JSON: whatever is in it, the message stays one line. */
function refusal(name: string, value: string, allowed: string): SettingsError {
  return new SettingsError(`${name} is ${JSON.stringify(value)}, but must be ${allowed}`);
}

/** Of Forno, as package.json has it. */
export const version: string = JSON.parse(
  readFileSync(join(packageRoot, "package.json"), "utf8"),
).version;
