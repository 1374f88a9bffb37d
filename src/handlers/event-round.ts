/**
 * Who sees which changes, and the bytes of those that go out together: made once for each form and
 * audience, whatever the number of streams.
 */

import type { Audience } from "../auth/access.ts";
import type { Change } from "../store/changes.ts";
import { changeText, type EventFormat } from "./event-format.ts";
import { placedBy } from "./order-draft.ts";

/** Whether a change is shown: those of the menu to all. */
export function isSeenBy(audience: Audience, change: Change): boolean {
  if (audience === "everybody" || change.kind !== "orders") return true;
  return audience !== "nobody" && placerOf(change) === audience.placer;
}

function placerOf({ entry, before }: Change): string | undefined {
  const order = entry ?? before;
  return order && placedBy(order);
}

/** Changes that go out together. */
export class Round {
  /** The last change before them. */
  readonly from: number;
  /** The last one of them. */
  readonly to: number;
  readonly #changes: readonly Change[];
  readonly #texts = new Map<EventFormat, Map<string, Uint8Array>>();
  #placers: ReadonlySet<string | undefined> | undefined;

  constructor(changes: readonly Change[], from: number, to: number) {
    this.#changes = changes;
    this.from = from;
    this.to = to;
  }

  /** Empty when there is nothing in it for this audience. */
  bytesFor(format: EventFormat, audience: Audience): Uint8Array {
    const seeing = this.#reduce(audience);
    const key = typeof seeing === "string" ? seeing : `=${seeing.placer}`;
    const texts = this.#texts.get(format) ?? new Map<string, Uint8Array>();
    this.#texts.set(format, texts);
    let bytes = texts.get(key);
    if (bytes === undefined) {
      const seen = this.#changes.filter((change) => isSeenBy(seeing, change));
      bytes = Buffer.from(seen.map((change) => changeText(format, change)).join(""));
      texts.set(key, bytes);
    }
    return bytes;
  }

  /** Whoever has placed none of these orders shares the bytes of those who see none. */
  #reduce(audience: Audience): Audience {
    if (typeof audience === "string") return audience;
    this.#placers ??= new Set(
      this.#changes.filter(({ kind }) => kind === "orders").map(placerOf),
    );
    return this.#placers.has(audience.placer) ? audience : "nobody";
  }
}
