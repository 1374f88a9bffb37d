/**
 * Who sees which changes, and the bytes of those that are sent together: made once for each form
 * and audience, whatever the number of streams.
 */

import { type Audience, includes } from "../auth/access.ts";
import type { Change } from "../store/changes.ts";
import { changeText, type EventFormat } from "./event-format.ts";
import type { Placed } from "../pizzeria/kind.ts";
import { kindsFor } from "../pizzeria/kinds.ts";

const placedKinds: ReadonlyMap<string, Placed | undefined> = new Map(
  kindsFor("public").map(({ name, placed }) => [name, placed]),
);

/** Whether this audience may see the change; those of the menu are for everybody. */
export function isSeenBy(audience: Audience, change: Change): boolean {
  return !isPlaced(change) || includes(audience, placerOf(change));
}

function isPlaced({ kind }: Change): boolean {
  return placedKinds.get(kind) !== undefined;
}

function placerOf({ kind, entry, before }: Change): string | undefined {
  const placed = entry ?? before;
  return placed && placedKinds.get(kind)?.by(placed);
}

/** Changes that are sent together. */
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

  /** A customer who has placed none of these orders shares the bytes of those who see none. */
  #reduce(audience: Audience): Audience {
    if (typeof audience === "string") return audience;
    this.#placers ??= new Set(this.#changes.filter(isPlaced).map(placerOf));
    return this.#placers.has(audience.placer) ? audience : "nobody";
  }
}
