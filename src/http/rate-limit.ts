/**
 * Limits the requests of each client (contract part 1) with token buckets. As in GCRA (ITU-T
 * I.371), a bucket is one number: the time at which it is full again. A client is an IPv4 address
 * or an IPv6 /64, the usual share of one subscriber.
 *
 * Memory is bounded. Beyond `bucketsLimit` the fullest buckets are dropped first, so an attacker
 * with many addresses cannot refill an empty bucket.
 */

import { isIP } from "node:net";

interface RateLimitOptions {
  readonly perSecond: number;
  /** Requests allowed at once; values below 1 count as 1. */
  readonly burst: number;
  /** A clock that never steps back. */
  readonly nowMs?: () => number;
}

/** Counts a request. Returns 0 if it is allowed, else the seconds to wait, for Retry-After. */
export type RateLimit = (client: string) => number;

/** A bucket takes about a hundred bytes, and sorting all buckets some ten milliseconds. */
const bucketsLimit = 16_384;
/** Far more than the rounding errors, far less than the time of a request. */
const roundingMs = 0.01;

export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perSecond, burst, nowMs = () => performance.now() } = options;
  const requestMs = 1000 / perSecond;
  const bucketMs = Math.max(burst, 1) * requestMs;
  /** The time at which each client's bucket is full again. */
  const fullAt = new Map<string, number>();

  /** Drops the fullest buckets, so that half of the limit is free. */
  function forget(): void {
    const fullestFirst = [...fullAt].sort(([, one], [, other]) => one - other);
    for (const [bucket] of fullestFirst.slice(0, -bucketsLimit / 2)) fullAt.delete(bucket);
  }

  return (address) => {
    const now = nowMs();
    const client = clientOf(address);
    const full = Math.max(fullAt.get(client) ?? now, now) + requestMs;
    const waitMs = full - now - bucketMs;
    // A refusal takes nothing from the bucket.
    if (waitMs > roundingMs) return Math.ceil(waitMs / 1000);
    fullAt.set(client, full);
    if (fullAt.size > bucketsLimit) forget();
    return 0;
  };
}

/** The /64 of an IPv6 address. An IPv4-mapped address is IPv4 (RFC 4291 section 2.5.5.2). */
function clientOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = ipv6Groups(address);
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 6).join() === "0,0,0,0,0,65535") {
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
  }
  return groups.slice(0, 4).map((group) => group.toString(16)).join(":");
}

/** The eight 16-bit groups of a valid address. */
function ipv6Groups(address: string): number[] {
  const [unscoped = ""] = address.split("%");
  // URL turns an IPv4 address at the end into two groups.
  const { hostname } = new URL(`http://[${unscoped}]`);
  const [head = "", tail = ""] = hostname.slice(1, -1).split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const [left, right] = [groups(head), groups(tail)];
  const zeros = Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

/**
 * The client's address. Behind a trusted proxy it is the last entry of X-Forwarded-For, which the
 * proxy added. A client can forge the earlier entries.
 */
export function clientAddress(
  remoteAddress: string | undefined,
  forwardedFor: string | string[] | undefined,
  trustProxy: boolean,
): string {
  const lastHop = String(forwardedFor ?? "").split(",").at(-1) ?? "";
  const hop = trustProxy ? withoutPort(lastHop.trim()) : "";
  return isIP(hop) === 0 ? (remoteAddress ?? "unknown") : hop;
}

/** `[2001:db8::1]:443`, `[2001:db8::1]` and `192.0.2.1:443` without brackets and port. */
function withoutPort(hop: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(hop) ?? [];
  return bracketed ?? dotted ?? hop;
}
