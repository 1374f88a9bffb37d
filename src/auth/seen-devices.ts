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
  readonly #seen = new Map<string, Device>();

  /** Notes a token that was accepted. Customers are no devices, and a token may have no name. */
  note({ role, sub, exp }: Claims): void {
    if (sub === undefined || role === "customer") return;
    this.#seen.set(sub, { role, exp, seenAtMs: Date.now() });
    if (this.#seen.size <= maxDevices) return;
    const [oldest] = this.list().at(-1) ?? [];
    if (oldest !== undefined) this.#seen.delete(oldest);
  }

  /** The most recently seen first. */
  list(): [sub: string, device: Device][] {
    const seen = [...this.#seen].reverse();
    return seen.sort(([, one], [, other]) => other.seenAtMs - one.seenAtMs);
  }
}
