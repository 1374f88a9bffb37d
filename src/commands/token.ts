/**
 * One signed token, or a sign-in link, and nothing else (contract part 1):
 * `TOKEN=$(node dist/token.js staff)`.
 */

import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { isRole, isSubject, type Role, roles, subjectRule } from "../auth/claims.ts";
import { issueToken, signInLink } from "../auth/issue.ts";
import { parseOptions, UsageError } from "./command.ts";
import { readSettings, type Settings } from "../settings.ts";
import { findSigningKey } from "./signing-key.ts";

/** The command's usage, on one line. */
export const usage =
  "node dist/token.js staff|customer|metrics [--sub NAME] [--expires 12h] [--link [BASE]]";

const help = `Prints one signed token.

  ${usage}

  staff           may do everything
  customer        may order
  metrics         may read /metrics, and otherwise what anyone may
  --sub NAME      whom the token is for, 1 to 200 characters (default for a customer: random)
  --expires 90m   how long it is good: a number and s, m, h or d; at most 366d (default 12h)
  --link [BASE]   a sign-in link instead: to the board for staff, to the order page for a
                  customer (default BASE: http://HOST:PORT)

It reads the server's settings, above all DATA_DIR and TOKEN_SECRET: the key is the server's.`;

const options = {
  sub: { type: "string" },
  expires: { type: "string" },
  link: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * What the command prints, by the settings in `env`: a token, a link, or the help. Rejects with
 * UsageError and with whatever readSettings and findSigningKey throw.
 */
export async function tokenFor(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { values, positionals } = parseOptions(args.map(withLinkValue), options);
  if (values.help === true) return help;
  const { link, sub, expires = "12h" } = values;
  const role = parseRole(positionals);
  if (role === "metrics" && link !== undefined) {
    throw new UsageError("expected --link with staff or customer: no page is for metrics");
  }
  const grant = { role, sub: parseSubject(role, sub), lifetimeSeconds: parseLifetime(expires) };
  const settings = readSettings(env);
  const base = link === undefined ? undefined : parseBase(link, settings);
  const token = issueToken(grant, await findSigningKey(settings));
  return base === undefined ? token : signInLink(base, role, token);
}

/** parseArgs has no option whose value may be left out: `--link` alone becomes `--link=`. */
function withLinkValue(arg: string, index: number, args: readonly string[]): string {
  const next = args[index + 1] ?? "-";
  const isAlone = next.startsWith("-") || isRole(next);
  return arg === "--link" && isAlone ? "--link=" : arg;
}

function parseRole([role, unexpected]: readonly string[]): Role {
  if (!isRole(role)) {
    throw new UsageError(`expected one of ${roles.join(", ")}, got ${role ?? "nothing"}`);
  }
  if (unexpected !== undefined) throw new UsageError(`expected one role, got also ${unexpected}`);
  return role;
}

/** Only a customer has to be somebody in particular. */
function parseSubject(role: Role, sub: string | undefined): string | undefined {
  if (sub === undefined) {
    return role === "customer" ? `customer-${randomBytes(9).toString("base64url")}` : undefined;
  }
  if (isSubject(sub)) return sub;
  throw new UsageError(`expected --sub to be ${subjectRule}`);
}

const unitSeconds = new Map([["s", 1], ["m", 60], ["h", 3600], ["d", 86_400]]);

function parseLifetime(text: string): number {
  const [, count, unit = ""] = /^(\d{1,8})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds.get(unit) ?? 0);
  if (seconds > 0 && seconds <= 366 * 86_400) return seconds;
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

/** Where a server is reached that listens on this address, or on all of them. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return isIPv6(host) ? `[${host}]` : host;
}
