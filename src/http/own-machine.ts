/** Tells requests from other machines apart, for a server that is for its own machine alone. */

import { quoted } from "../problems/faults.ts";
import type { Exchange } from "./request.ts";

/** Advice for the operator about a request that is not of this machine. */
export interface OwnMachine {
  /** For a request that came through a proxy. */
  readonly throughProxy: string;
  /** For a request for another host. */
  readonly foreignHost: string;
}

/** Fields that proxies add: RFC 7239, RFC 9110 section 7.6.3, and their own. */
const proxyFields = ["x-forwarded-for", "forwarded", "via", "x-real-ip"];

/** Names and addresses of this machine, with or without a port. */
const ownHost = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?(?::\d*)?$/i;

/**
 * Why a request was not meant for a server that is for its own machine; undefined if it was. The
 * page of another site can reach a loopback address through a name of its own that resolves to it
 * (DNS rebinding).
 */
export function whyForeign(
  { incoming, headers, host = "" }: Exchange,
  { throughProxy, foreignHost }: OwnMachine,
): string | undefined {
  const field = proxyFields.find((name) => headers[name] !== undefined);
  if (field !== undefined) return `has ${field}, ${throughProxy}`;
  if (incoming.httpVersion === "1.0") return `is in HTTP/1.0, ${throughProxy}`;
  return ownHost.test(host) ? undefined : `is for the host ${quoted(host)}: ${foreignHost}`;
}
