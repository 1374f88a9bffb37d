/**
 * `node dist/token.js ROLE` prints one signed token or sign-in link, and nothing else, so that
 * `TOKEN=$(node dist/token.js staff)` works (contract part 1).
 */

import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { parseArgs } from "node:util";
import { isPossibleSub, isRole, type Role, roles, subRule } from "../auth/token.ts";
import { expiryIn, issueToken, parseLifetime, signInLink } from "../auth/issue.ts";
import { inWords } from "../problems/faults.ts";
import { typed, UsageError } from "./command.ts";
import { readSettings, type Settings } from "../settings.ts";
import { findKeys } from "./signing-key.ts";

export const usage: string =
  `${typed.token} owner|staff|customer|reader [--sub NAME] [--expires 12h] [--link [BASE]]`;

const help = `Prints one signed token.

  ${usage}

  owner           may do everything
  staff           may do everything but add and remove devices
  customer        may place orders
  reader          may read everything and change nothing: for displays, copies and monitoring
  --sub NAME      who the token is for, 1 to 200 characters (default: the role and a random
                  part). The log shows it
  --expires 90m   how long the token is valid: a number and s, m, h or d; at most 366d
                  (default 12h, or 1h for an owner's link). It cannot be taken back before:
                  for all that lasts, add a device on the board
  --link [BASE]   print a sign-in link instead: to the order page for a customer, to the board
                  for others (default BASE: http://HOST:PORT)

It signs with the server's key. So run it with the DATA_DIR or TOKEN_SECRET of the server.`;

const options = {
  sub: { type: "string" },
  expires: { type: "string" },
  link: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * Returns the text to print: a token, a link or the help. Throws UsageError, or the errors of
 * parseArgs, readSettings and findKeys.
 */
export function tokenFor(args: readonly string[], env: NodeJS.ProcessEnv): string {
  const linked = args.map(withLinkValue);
  const { values, positionals } = parseArgs({ args: linked, allowPositionals: true, options });
  if (values.help === true) return help;
  const { link, sub } = values;
  const role = parseRole(positionals);
  // With an owner's link the board adds itself as a device, so the link need not last.
  const { expires = role === "owner" && link !== undefined ? "1h" : "12h" } = values;
  const lifetimeSeconds = requireLifetime(expires);
  const name = parseSub(role, sub);
  const settings = readSettings(env);
  const base = link === undefined ? undefined : parseBase(link, settings);
  const [signingKey] = findKeys(settings);
  const token = issueToken({ role, sub: name, exp: expiryIn(lifetimeSeconds) }, signingKey);
  return base === undefined ? token : signInLink(base, role, token);
}

/** parseArgs has no options with an optional value: `--link` alone becomes `--link=`. */
function withLinkValue(arg: string, index: number, args: readonly string[]): string {
  const next = args[index + 1] ?? "-";
  const isAlone = next.startsWith("-") || isRole(next);
  return arg === "--link" && isAlone ? "--link=" : arg;
}

function parseRole([role, unexpected]: readonly string[]): Role {
  if (!isRole(role)) {
    throw new UsageError(`expected one of ${roles.join(", ")}, got ${role ?? "nothing"}`);
  }
  if (unexpected !== undefined) {
    throw new UsageError(`expected one role, got ${role} and ${unexpected}`);
  }
  return role;
}

/** Every token gets a sub, which the log shows. */
function parseSub(role: Role, sub: string | undefined): string {
  if (sub === undefined) return `${role}-${randomBytes(9).toString("base64url")}`;
  if (isPossibleSub(sub)) return sub;
  throw new UsageError(`expected --sub to be ${subRule}, got ${inWords(sub)}`);
}

/** A token cannot be taken back, so it does not last for years. */
const maxLifetimeDays = 366;

function requireLifetime(text: string): number {
  const seconds = parseLifetime(text, maxLifetimeDays);
  if (seconds !== undefined) return seconds;
  throw new UsageError(`expected --expires such as 90m, 12h or 7d, at most 366d, got ${text}`);
}

/** Without its final slash, so that a path can follow. */
function parseBase(link: string, { host, port }: Settings): string {
  if (link === "" && port === 0) {
    throw new UsageError("expected --link with a BASE, because PORT is 0");
  }
  const base = link === "" ? `http://${reachable(host)}:${port}` : link;
  if (/^https?:\/\/[^?#\s]+$/i.test(base) && URL.canParse(base)) return base.replace(/\/+$/, "");
  throw new UsageError(`expected --link with a BASE such as https://pizza.example, got ${base}`);
}

/** The address to reach a server that listens on `host`. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return isIPv6(host) ? `[${host}]` : host;
}
