/**
 * How many requests a client may make (contract part 1): a token bucket per client, kept as GCRA
 * keeps it (ITU-T I.371): one number, the time at which the bucket will be full again. A client is
 * an IPv4 address or an IPv6 /64, which is what one subscriber has.
 *
 * Memory is bounded whatever addresses the requests come from, and no number of other clients gives
 * a client its requests back: beyond `bucketsLimit` the buckets that are nearest to full go first.
 */

import { isIP } from "node:net";

export interface RateLimitOptions {
  readonly perSecond: number;
  /** Requests that may come at once; values below 1 count as 1. */
  readonly burst: number;
  /** A clock that never steps back. */
  readonly nowMs?: () => number;
}

/** Counts a request of this address. 0: allowed. Else the seconds to wait, for Retry-After. */
export type RateLimit = (client: string) => number;

/** At a hundred bytes each; to go through them all takes a few milliseconds. */
const bucketsLimit = 16_384;
/** Far above any rounding error of the sums, far below one request. */
const roundingMs = 0.01;

/** A limit with no client known yet. */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perSecond, burst, nowMs = () => performance.now() } = options;
  const requestMs = 1000 / perSecond;
  const bucketMs = Math.max(burst, 1) * requestMs;
  /** When each bucket is full again. */
  const fullAt = new Map<string, number>();

  /** Leaves at most half of the limit, so that this is done seldom. */
  function forget(now: number): void {
    for (const [bucket, full] of fullAt) if (full <= now) fullAt.delete(bucket);
    if (fullAt.size <= bucketsLimit / 2) return;
    const times = Float64Array.from(fullAt.values()).sort();
    const median = times[times.length - bucketsLimit / 2] ?? 0;
    for (const [bucket, full] of fullAt) {
      if (fullAt.size <= bucketsLimit / 2) return;
      if (full <= median) fullAt.delete(bucket);
    }
  }

  return (address) => {
    const now = nowMs();
    const client = clientOf(address);
    const full = Math.max(fullAt.get(client) ?? now, now) + requestMs;
    const waitMs = full - now - bucketMs;
    // A refusal takes nothing from the bucket.
    if (waitMs > roundingMs) return Math.ceil(waitMs / 1000);
    fullAt.set(client, full);
    if (fullAt.size > bucketsLimit) forget(now);
    return 0;
  };
}

/** An IPv4 address stands for itself, also if mapped into IPv6 (RFC 4291 section 2.5.5.2). */
function clientOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = ipv6Groups(address);
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 6).join() === "0,0,0,0,0,65535") {
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
  }
  return groups.slice(0, 4).map((group) => group.toString(16)).join(":");
}

/** The eight 16-bit groups of an address that isIP has found well formed. */
function ipv6Groups(address: string): number[] {
  const [unscoped = ""] = address.split("%");
  // URL spells an IPv4 address at the end as two groups.
  const { hostname } = new URL(`http://[${unscoped}]`);
  const [head = "", tail = ""] = hostname.slice(1, -1).split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const [left, right] = [groups(head), groups(tail)];
  const zeros = Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

/**
 * The address a request comes from. Behind a trusted proxy that is the last hop of
 * X-Forwarded-For, which the proxy wrote; those before it are whatever the client sent.
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
