/**
 * Invites: codes that become tokens. A code is 128 random bits, works once within ten minutes, and
 * is in memory only.
 */

import { hash, randomBytes } from "node:crypto";
import type { Grant } from "./issue.ts";

/** The token that a code becomes. */
type Invite = Required<Grant>;

const lifetimeMs = 600_000;
const maxOpen = 100;

interface OpenInvite extends Invite {
  readonly expiresAtMs: number;
}

export class Invites {
  /** By the hash of the code, because a Map does not compare in constant time. Oldest first. */
  readonly #open = new Map<string, OpenInvite>();
  readonly #nowMs: () => number;

  /** `nowMs`: like Date.now. */
  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** Seconds until another code can be made; 0 now. */
  get waitSeconds(): number {
    this.#forgetExpired();
    const [oldest] = this.#open.values();
    if (oldest === undefined || this.#open.size < maxOpen) return 0;
    return Math.ceil((oldest.expiresAtMs - this.#nowMs()) / 1_000);
  }

  /** A new code, and its end as Date.now. */
  create(invite: Invite): { readonly code: string; readonly expiresAtMs: number } {
    const code = randomBytes(16).toString("base64url");
    const expiresAtMs = this.#nowMs() + lifetimeMs;
    this.#open.set(keyOf(code), { ...invite, expiresAtMs });
    return { code, expiresAtMs };
  }

  /** Ends a code and returns its invite; undefined if the code is unknown, used or too old. */
  redeem(code: string): Invite | undefined {
    this.#forgetExpired();
    const invite = this.#open.get(keyOf(code));
    this.#open.delete(keyOf(code));
    return invite;
  }

  /** Ends the codes for this subject, and those that it, or whoever it invited, has made. */
  end(sub: string): void {
    for (const [key, invite] of this.#open) {
      if (invite.sub === sub || invite.by.includes(sub)) this.#open.delete(key);
    }
  }

  #forgetExpired(): void {
    for (const [key, { expiresAtMs }] of this.#open) {
      if (expiresAtMs <= this.#nowMs()) this.#open.delete(key);
    }
  }
}

function keyOf(code: string): string {
  return hash("sha256", code);
}
