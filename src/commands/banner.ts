/**
 * The banner that a start prints on a terminal: addresses, data folder, the settings that hold and
 * sign-in links. Plain text, so that every terminal shows it.
 */

import { networkInterfaces } from "node:os";
import { issueToken, signInLink } from "../auth/issue.ts";
import type { Role } from "../auth/token.ts";
import { menuKinds } from "../resources/menu.ts";
import { orders } from "../resources/order.ts";
import type { Named } from "../api/resource.ts";
import type { StoredKind } from "../store/rows.ts";
import type { Service } from "./service.ts";
import { type Settings, version } from "../settings.ts";

/** Ends with an empty line. The links sign in for one hour. */
export function banner({ url, store, signingKey }: Service, settings: Settings): string {
  const [address = url, ...others] = reachableAddresses(url);
  const held: readonly (StoredKind & Named)[] = [...menuKinds, orders];
  const counts = held.map((kind) => {
    const count = store.rows(kind).length;
    return `${count} ${kind.label}${count === 1 ? "" : "s"}`;
  });
  const signIn = (role: Role): string => {
    const grant = { role, sub: `${role}-banner`, lifetimeSeconds: 3_600 };
    return signInLink(address, role, issueToken(grant, signingKey).token);
  };
  const row = (label: string, text: string): string => `  ${label.padEnd(11)}${text}`;
  return [
    "",
    `  Forno ${version} is serving on ${address}`,
    "",
    ...(others.length === 0 ? [] : [row("Also on", others.join(" "))]),
    row("Data", `${settings.dataDir} (${store.isNew ? "new" : "opened"})`),
    row("Holds", counts.join(", ")),
    row("Orders", orderRules(settings)),
    row("Requests", requestRules(settings)),
    row("Order page", signIn("customer")),
    row("Board", signIn("staff")),
    "  The links sign in for one hour. Stop with Ctrl-C.",
    "",
    "",
  ].join("\n");
}

function orderRules({ orderReads, guestOrders }: Settings): string {
  const placed = guestOrders
    ? "placed by anyone (GUEST_ORDERS=on)"
    : "placed with a token (GUEST_ORDERS=off)";
  return `read by ${readers[orderReads]} (ORDER_READS=${orderReads}), ${placed}`;
}

const readers = {
  public: "anyone",
  authenticated: "anyone with a token",
  own: "staff, and by customers their own",
} as const;

function requestRules({ rateLimit, trustProxy }: Settings): string {
  const rate = rateLimit === null
    ? "no limit (RATE_LIMIT=off)"
    : `${rateLimit} a second per client (RATE_LIMIT=${rateLimit})`;
  return `${rate}, ${proxies[trustProxy ?? "not set"]}`;
}

const proxies = {
  on: "clients named by your proxy (TRUST_PROXY=on)",
  off: "no proxy believed (TRUST_PROXY=off)",
  "not set": "no proxy expected (TRUST_PROXY is not set)",
} as const;

/** The server's addresses, beginning with the ones that other devices can open. */
function reachableAddresses(url: string): string[] {
  const [any] = /0\.0\.0\.0|\[::\]/.exec(url) ?? [];
  if (any === undefined) return [url];
  const own = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    // A link-local address is no use without the name of an interface of the other device.
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address))
    .filter((address) => any === "[::]" || !address.startsWith("["));
  return [...own, "127.0.0.1"].map((address) => url.replace(any, address));
}
