/**
 * Callers: verifies tokens, and asks whether the device that a token names is still there.
 *
 * The claims of verified tokens are remembered: to verify a token takes as much processor time as
 * the rest of a read, and a page sends its token with each request. Dates and devices are checked
 * each time.
 */

import { hash } from "node:crypto";
import { type Claims, dateFault, maxTokenLength, TokenError, verifyToken } from "./token.ts";

/** Undefined: the request carries no token. */
export type Caller = Claims | undefined;

interface CallersOptions {
  /** A device's row; undefined if it was removed. The same object until then. */
  readonly deviceOf?: (id: string) => object | undefined;
  /** Default: Date.now. */
  readonly nowMs?: () => number;
}

/** Tokens of one memory. */
const maxRemembered = 1_000;

export class Callers {
  readonly #keys: readonly Uint8Array[];
  readonly #deviceOf: (id: string) => object | undefined;
  readonly #nowMs: () => number;
  // By the hash of the token, because a Map does not compare in constant time. Two memories, so
  // that guests, who may be many, cannot push out the board.
  readonly #customers = new Map<string, Claims>();
  readonly #others = new Map<string, Claims>();
  /** As Date.now, by the device's row, so that a removed device leaves nothing behind. */
  readonly #seenAtMs = new WeakMap<object, number>();

  /** A token may be signed with any of the keys. */
  constructor(
    keys: readonly Uint8Array[],
    { deviceOf = () => undefined, nowMs = Date.now }: CallersOptions = {},
  ) {
    this.#keys = keys;
    this.#deviceOf = deviceOf;
    this.#nowMs = nowMs;
  }

  /** Throws TokenError if the token is not valid. */
  verify(token: string): Claims {
    const claims = this.#claimsOf(token);
    const fault = dateFault(claims, this.#nowMs());
    if (fault !== undefined) throw new TokenError(fault);
    if (!this.#hasDevice(claims)) throw new TokenError("this device was removed");
    return claims;
  }

  /** False if the caller's token has expired, or its device was removed, since it was verified. */
  mayGoOn(caller: Caller): boolean {
    if (caller === undefined) return true;
    return dateFault(caller, this.#nowMs()) === undefined && this.#hasDevice(caller);
  }

  /** When a token of the device was last seen since the start, as Date.now. */
  seenAtMs(device: object): number | undefined {
    return this.#seenAtMs.get(device);
  }

  /**
   * The account of a token that was verified before, and was not a customer's. Verifies nothing, so
   * that an unknown token costs next to nothing.
   */
  rememberedAccount(token: string): string | undefined {
    if (token.length > maxTokenLength) return undefined;
    const claims = this.#others.get(hash("sha256", token));
    // A token that is refused now must not get past a used-up rate.
    return this.mayGoOn(claims) ? accountOf(claims) : undefined;
  }

  #claimsOf(token: string): Claims {
    const key = hash("sha256", token);
    const known = this.#others.get(key) ?? this.#customers.get(key);
    if (known !== undefined) return known;
    const claims = verifyToken(token, this.#keys);
    const memory = claims.role === "customer" ? this.#customers : this.#others;
    if (memory.size >= maxRemembered) memory.clear();
    memory.set(key, claims);
    return claims;
  }

  /** True for a token without a device. Notes that the device was seen. */
  #hasDevice({ device }: Claims): boolean {
    if (device === undefined) return true;
    const row = this.#deviceOf(device);
    if (row === undefined) return false;
    this.#seenAtMs.set(row, this.#nowMs());
    return true;
  }
}

/** True without a token, and for a customer's, which is to be had for nothing. */
export function isGuest(caller: Caller): boolean {
  return caller === undefined || caller.role === "customer";
}

/**
 * The holder of a limit, other than the client's address: the device, or else the sub. Undefined
 * for customers, whose tokens are to be had for nothing, and for tokens without either.
 */
export function accountOf(caller: Caller): string | undefined {
  if (caller === undefined || caller.role === "customer") return undefined;
  const { device, sub } = caller;
  if (device !== undefined) return `device ${device}`;
  return sub === undefined ? undefined : `sub ${sub}`;
}
