/** The banner that a start prints on a terminal: addresses, data folder and sign-in links. */

import { networkInterfaces } from "node:os";
import { styleText } from "node:util";
import type { Role } from "../auth/token.ts";
import { issueToken, signInLink } from "../auth/issue.ts";
import { menuKinds } from "../resources/kinds.ts";
import { orders } from "../resources/order.ts";
import type { Service } from "./service.ts";
import { type Settings, version } from "../settings.ts";

/** Ends with an empty line. The links sign in for one hour. */
export function banner({ url, store, signingKey }: Service, settings: Settings): string {
  const { dataDir, orderReads } = settings;
  const [address = url, ...others] = reachableAddresses(url);
  const counts = [...menuKinds, orders].map((kind) => {
    const count = store.count(kind);
    return `${count} ${kind.label}${count === 1 ? "" : "s"}`;
  });
  const signIn = (role: Role): string => {
    const grant = { role, sub: `${role}-banner`, lifetimeSeconds: 3_600 };
    return hyperlink(signInLink(address, role, issueToken(grant, signingKey).token));
  };
  const row = (label: string, text: string): string =>
    `  ${styleText("bold", label.padEnd(11))}${text}`;
  return [
    "",
    `  ${styleText("red", "Forno")} ${version} is serving on ${hyperlink(address)}`,
    "",
    ...(others.length === 0 ? [] : [row("Also on", others.map(hyperlink).join(" "))]),
    row("Data", `${dataDir} (${store.isNew ? "new" : "opened"})`),
    row("Holds", counts.join(", ")),
    row("Orders", `read by ${readers[orderReads]} (ORDER_READS=${orderReads})`),
    row("Order page", signIn("customer")),
    row("Board", signIn("staff")),
    `  ${styleText("gray", "The links sign in for one hour. Stop with Ctrl-C.")}`,
    "",
    "",
  ].join("\n");
}

const readers = {
  public: "anyone",
  authenticated: "anyone with a token",
  own: "staff, and by customers their own",
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

/**
 * OSC 8: a terminal opens the link with a click, even where it breaks the line. A terminal that
 * does not know the sequence shows the text, but a "dumb" one would show the sequence too.
 */
function hyperlink(url: string): string {
  return process.env["TERM"] === "dumb" ? url : `\u001b]8;;${url}\u001b\\${url}\u001b]8;;\u001b\\`;
}
