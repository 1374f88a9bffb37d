/**
 * Limits the requests per second of a client (contract part 1) with token buckets. A client is an
 * IPv4 address or an IPv6 /64, the usual share of one subscriber.
 *
 * As in GCRA (ITU-T I.371), a bucket is one number: the time at which it is full again. Memory is
 * bounded: a client's bucket is forgotten once thousands of others have come since it last asked.
 */

import { isIP } from "node:net";
import { Problem } from "../problems/problem.ts";

interface RateLimitOptions {
  readonly perSecond: number;
  /** Requests allowed at once; values below 1 count as 1. */
  readonly burst: number;
  /** A clock that never steps back. */
  readonly nowMs?: () => number;
}

export interface RateLimit {
  /**
   * Counts a request as so many (default: one). Returns 0 if it is allowed, else the seconds to
   * wait, for Retry-After.
   */
  take(client: string, count?: number): number;
  /** Takes a request that was allowed out of the count. */
  giveBack(client: string): void;
}

/** A client is remembered while fewer others than this have come since it last asked. */
const maxRecent = 8_192;
/** Far more than the rounding errors, far less than the time of a request. */
const roundingMs = 0.01;

export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perSecond, burst, nowMs = () => performance.now() } = options;
  const requestMs = 1000 / perSecond;
  const bucketMs = Math.max(burst, 1) * requestMs;
  /** The time at which each client's bucket is full again. The last clients, and those before. */
  let recent = new Map<string, number>();
  let earlier = new Map<string, number>();

  const fullAt = (client: string): number | undefined =>
    recent.get(client) ?? earlier.get(client);

  function remember(client: string, full: number): void {
    if (recent.size >= maxRecent && !recent.has(client)) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(client, full);
  }

  return {
    take(client, count = 1) {
      const now = nowMs();
      const before = Math.max(fullAt(client) ?? now, now);
      const full = before + Math.min(count * requestMs, bucketMs);
      const waitMs = full - now - bucketMs;
      // A refusal takes nothing from the bucket.
      const isRefused = waitMs > roundingMs;
      remember(client, isRefused ? before : full);
      return isRefused ? Math.ceil((waitMs - roundingMs) / 1000) : 0;
    },
    giveBack(client) {
      const full = fullAt(client);
      if (full !== undefined) remember(client, full - requestMs);
    },
  };
}

/** `seconds`: to wait; 0 if the request is allowed. Throws Problem 429. */
export function refuseFor(seconds: number): void {
  if (seconds === 0) return;
  throw new Problem("rate-limited", `too many requests; come back in ${seconds} s`, {
    headers: { "Retry-After": `${seconds}` },
  });
}

/**
 * The client of a request. `forwardedFor`: X-Forwarded-For of a trusted proxy, whose last entry is
 * the address that the proxy saw. A client can forge the earlier entries.
 */
export function clientOf(
  remoteAddress: string | undefined,
  forwardedFor: string | string[] | undefined,
): string {
  const hop = forwardedFor === undefined ? undefined : lastHop(String(forwardedFor));
  const address = hop ?? remoteAddress ?? "unknown";
  return isIP(address) === 6 ? ipv6Client(address) : address;
}

/** Undefined if it is no address. */
function lastHop(hops: string): string | undefined {
  const hop = withoutPort(hops.slice(hops.lastIndexOf(",") + 1).trim());
  return isIP(hop) === 0 ? undefined : hop;
}

/** `[2001:db8::1]:443`, `[2001:db8::1]` and `192.0.2.1:443` without brackets and port. */
function withoutPort(hop: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(hop) ?? [];
  return bracketed ?? dotted ?? hop;
}

/** The /64 of an IPv6 address. An IPv4-mapped address is IPv4 (RFC 4291 section 2.5.5.2). */
function ipv6Client(address: string): string {
  const [unscoped = ""] = address.split("%");
  // URL spells an address in one way, and an IPv4 address at its end as two groups.
  const { hostname } = new URL(`http://[${unscoped}]`);
  const mapped = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(hostname);
  if (mapped !== null) {
    const groups = mapped.slice(1).map((group) => Buffer.from(group.padStart(4, "0"), "hex"));
    return groups.flatMap((bytes) => [...bytes]).join(".");
  }
  const [left = [], right = []] = hostname.slice(1, -1).split("::")
    .map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(8 - left.length - right.length).fill("0");
  return `${[...left, ...zeros, ...right].slice(0, 4).join(":")}::/64`;
}
