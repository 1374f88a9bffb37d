/** The codes with which new devices fetch their tokens. */

import { hash, randomBytes } from "node:crypto";

const lifetimeMs = 600_000;

interface OpenCode {
  readonly deviceId: string;
  /** As Date.now. */
  readonly expiresAtMs: number;
}

/** Codes of 128 random bits, in memory only. Each works once, within ten minutes. */
export class Codes {
  /** By the hash of the code, because a Map does not compare in constant time. */
  readonly #open = new Map<string, OpenCode>();

  /** A new code, and its end as Date.now. */
  create(deviceId: string): { readonly code: string; readonly expiresAtMs: number } {
    const now = Date.now();
    for (const [key, code] of this.#open) if (code.expiresAtMs <= now) this.#open.delete(key);
    const code = randomBytes(16).toString("base64url");
    const expiresAtMs = now + lifetimeMs;
    this.#open.set(hash("sha256", code), { deviceId, expiresAtMs });
    return { code, expiresAtMs };
  }

  /** Ends the code. Returns the id of its device, which may be removed; undefined for no code. */
  redeem(code: string): string | undefined {
    const key = hash("sha256", code);
    const found = this.#open.get(key);
    this.#open.delete(key);
    return found !== undefined && Date.now() < found.expiresAtMs ? found.deviceId : undefined;
  }
}
