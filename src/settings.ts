/**
 * Turns environment variables into Settings. A bad value is a SettingsError: one line with the
 * variable, its value and what is allowed. A message never shows a secret.
 */

import { isIP } from "node:net";
import { dirname, join, resolve, sep } from "node:path";
import { distance } from "./problems/faults.ts";

const orderReads = ["public", "authenticated", "own"] as const;
const logLevels = ["debug", "info", "error", "silent"] as const;

export interface Settings {
  /** 0 picks a free port. */
  readonly port: number;
  readonly host: string;
  /** True if other machines can reach it: `host` is not loopback, or there is a proxy. */
  readonly isExposed: boolean;
  /** True if only the operator's own proxy can reach the port. */
  readonly trustProxy: boolean;
  /** Absolute. */
  readonly dataDir: string;
  /** Null: the keys are in `dataDir/token-secret`. commands/signing-key.ts checks it. */
  readonly tokenSecret: Uint8Array | null;
  /** Absolute. Null: no menu. */
  readonly menuFile: string | null;
  readonly orderReads: (typeof orderReads)[number];
  /** Null: no CORS. */
  readonly corsOrigins: readonly string[] | "*" | null;
  readonly logLevel: (typeof logLevels)[number];
  /** Requests per second for each client. Null: no limit. */
  readonly rateLimit: number | null;
  /** Orders a minute that guests may place from each client. Null: none. */
  readonly guestOrders: number | null;
}

/** One line for the operator that says what to change. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder above `dist` or `src`, so that defaults hold in any working directory. */
const packageRoot = dirname(import.meta.dirname);

/**
 * An empty value counts as unset, except for MENU_FILE. `root`: the folder above `dist`.
 * Throws SettingsError.
 */
export function readSettings(env: Environment, root: string = packageRoot): Settings {
  const host = readHost(env);
  const trustProxy = readTrustProxy(env);
  const isExposed = trustProxy || !isLoopback(host);
  return {
    port: readPort(env),
    host,
    isExposed,
    trustProxy,
    dataDir: readDataDir(env, root),
    tokenSecret: env["TOKEN_SECRET"] ? Buffer.from(env["TOKEN_SECRET"]) : null,
    menuFile: readMenuFile(env),
    orderReads: readChoice(env, "ORDER_READS", orderReads) ?? (isExposed ? "own" : "public"),
    corsOrigins: readOrigins(env),
    logLevel: readChoice(env, "LOG_LEVEL", logLevels) ?? "info",
    rateLimit: readRate(env, isExposed ? 100 : null),
    guestOrders: readGuestOrders(env, isExposed ? "off" : "on"),
  };
}

const names = [
  "PORT", "HOST", "DATA_DIR", "TOKEN_SECRET", "MENU_FILE", "ORDER_READS", "CORS_ORIGIN",
  "LOG_LEVEL", "RATE_LIMIT", "TRUST_PROXY", "GUEST_ORDERS",
] as const;

/** A line for each variable that is no setting, but has nearly the letters of one: "RATELIMIT". */
export function misspelledSettings(env: Environment): readonly string[] {
  const lettersOf = (name: string): string => name.replaceAll(/[^a-z]/gi, "").toUpperCase();
  return Object.keys(env).flatMap((name) => {
    if (names.some((setting) => setting === name)) return [];
    const meant = names.find((setting) => {
      // Short names are near to many others: SORT, HOME.
      const most = setting.length > 4 ? 1 : 0;
      return distance(lettersOf(name), lettersOf(setting), most) <= most;
    });
    if (meant === undefined) return [];
    return [`${name} is no setting and does nothing; did you mean ${meant}?`];
  });
}

/** True if only this machine can reach the address. */
function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|::1)$/i.test(host);
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
): T | undefined {
  const value = env[name];
  if (!value) return undefined;
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

/** True if npm has installed the program. */
export function isInstalled(root: string = packageRoot): boolean {
  return root.split(sep).includes("node_modules");
}

function readTrustProxy(env: Environment): boolean {
  const value = env["TRUST_PROXY"];
  if (!value) return false;
  if (value === "on") return true;
  throw refusal("TRUST_PROXY", value, "on, or not set");
}

/** npm deletes a package's folder when it upgrades it, so the default is never in there. */
function readDataDir(env: Environment, root: string): string {
  const standard = isInstalled(root) ? "forno-data" : join(root, "data", "store");
  return resolve(env["DATA_DIR"] || standard);
}

function readMenuFile(env: Environment): string | null {
  const value = env["MENU_FILE"];
  if (value === "") return null;
  return resolve(value ?? join(packageRoot, "data", "starter-menu", `${languageOf(env)}.json`));
}

/** The languages of the starter menus. */
const menuLanguages = ["ar", "de", "en", "es", "fr", "it"];

/** The language of the machine ("de_DE.UTF-8"), if there is a starter menu in it, else English. */
function languageOf(env: Environment): string {
  const locale = env["LC_ALL"] || env["LANG"] || "";
  return menuLanguages.find((language) => language === locale.split(/[_.@]/)[0]) ?? "en";
}

function readOrigins(env: Environment): readonly string[] | "*" | null {
  const value = env["CORS_ORIGIN"];
  if (!value) return null;
  if (value === "*") return value;
  const origins = value.split(",").map((origin) => origin.trim());
  const odd = origins.find((origin) => !isOrigin(origin));
  if (odd === undefined) return origins;
  const allowed = "* or a list of origins such as https://pizza.example";
  throw refusal("CORS_ORIGIN", value, `${allowed}; ${JSON.stringify(odd)} is not an origin`);
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

function readGuestOrders(env: Environment, fallback: "on" | "off"): number | null {
  const value = env["GUEST_ORDERS"] || fallback;
  if (value === "off") return null;
  if (value === "on") return 10;
  if (/^(?:[1-9]\d{0,2}|1000)$/.test(value)) return Number(value);
  throw refusal("GUEST_ORDERS", value, "on, off, or a whole number from 1 to 1000");
}

/** Shows the value as JSON, so that the message stays one line. */
function refusal(name: string, value: string, allowed: string): SettingsError {
  return new SettingsError(`${name} is ${JSON.stringify(value)}, but must be ${allowed}`);
}
