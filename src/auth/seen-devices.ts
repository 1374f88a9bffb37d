/** Who was seen since the start, in memory: the staff and reader tokens, by subject. */

import type { Claims, Role } from "./claims.ts";

export interface Device {
  readonly role: Role;
  /** Seconds since 1970, as the claim. */
  readonly exp: number;
  /** As Date.now. */
  readonly seenAtMs: number;
}

const maxDevices = 1_000;

export class Devices {
  /** By subject, the most recently seen last. */
  readonly #seen = new Map<string, Device>();

  /** Notes a token that was accepted. Customers are no devices, and a token may have no name. */
  note({ role, sub, exp }: Claims): void {
    if (sub === undefined || role === "customer") return;
    this.#seen.delete(sub);
    this.#seen.set(sub, { role, exp, seenAtMs: Date.now() });
    if (this.#seen.size <= maxDevices) return;
    for (const [oldest] of this.#seen) return void this.#seen.delete(oldest);
  }

  /** The most recently seen first. */
  list(): [sub: string, device: Device][] {
    return [...this.#seen].reverse();
  }
}
