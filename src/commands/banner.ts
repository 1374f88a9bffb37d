/**
 * The banner that a start prints on a terminal: addresses, data folder, the settings of access, and
 * sign-in links. Plain text, so that every terminal shows it.
 */

import { networkInterfaces } from "node:os";
import { expiryIn, issueToken, signInLink } from "../auth/issue.ts";
import type { Role } from "../auth/token.ts";
import { version } from "../files.ts";
import { contentsOf } from "./contents.ts";
import type { RunningServer } from "./server.ts";
import type { Settings } from "../settings.ts";

/** Ends with an empty line. The links sign in for one hour. */
export function banner({ url, store, signingKey }: RunningServer, settings: Settings): string {
  const [address = url, ...others] = reachableAddresses(url);
  const signIn = (role: Role): string => {
    const grant = { role, sub: `${role}-link`, exp: expiryIn(3_600) };
    return signInLink(address, role, issueToken(grant, signingKey));
  };
  const row = (label: string, text: string): string => `  ${label.padEnd(11)}${text}`;
  return [
    "",
    `  Forno ${version} is serving on ${address}`,
    "",
    ...(others.length === 0 ? [] : [row("Also on", others.join(" "))]),
    row("Data", `${settings.dataDir} (${store.isNew ? "new" : "opened"})`),
    row("Holds", contentsOf(store)),
    row("Settings", accessSettings(settings)),
    row("Order page", signIn("customer")),
    row("Board", signIn("owner")),
    "  The links sign in for one hour. Stop with Ctrl-C.",
    "",
    "",
  ].join("\n");
}

/** The settings that decide who may do what. */
function accessSettings({ orderReads, guestOrders, rateLimit, trustProxy }: Settings): string {
  return [
    `ORDER_READS=${orderReads}`,
    `GUEST_ORDERS=${guestOrders ?? "off"}`,
    `RATE_LIMIT=${rateLimit ?? "off"}`,
    `TRUST_PROXY=${trustProxy ? "on" : "(not set)"}`,
  ].join(" ");
}

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
