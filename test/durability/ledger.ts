/** The writes to a store with their answers, and from them the states that a crash may leave. */

import { StoreError } from "../../src/store/store-error.ts";
import type { Store } from "../../src/store/store.ts";
import { orders, thing, thingKind, toppings } from "../helpers/things.ts";

interface Asked {
  readonly kind: string;
  /** By id, as JSON; undefined: removed. */
  readonly bodies: ReadonlyMap<string, string | undefined>;
  readonly askedAt: number;
  settledAt: number;
  /** Refused: answered that it is not in the store, now or ever. Unknown: after a failed fsync. */
  outcome: "stored" | "refused" | "unknown" | undefined;
}

/** Bodies by id, in the order of a list, by kind. */
type Content = Map<string, Map<string, string>>;

export class Ledger {
  /** The time: how many calls have changed the disk. */
  now: () => number;
  readonly #asked: Asked[] = [];
  readonly #start: Content;
  /** The highest number of an answered change, and when it was answered. */
  readonly #seqs: { readonly at: number; readonly seq: number }[] = [];

  constructor(store: Store, now: () => number) {
    this.now = now;
    this.#start = contentOf(store);
  }

  /** `writeAll` for one. */
  write(store: Store, kind: string, id: string, members: object | undefined): Promise<void> {
    return this.writeAll(store, kind, new Map([[id, members]]));
  }

  /** Writes things of these members, by id, and settles when the answer has been noted. */
  async writeAll(
    store: Store, kind: string, things: ReadonlyMap<string, object | undefined>,
  ): Promise<void> {
    const bodies = new Map(Array.from(things, ([id, members]) =>
      [id, members && JSON.stringify({ id, ...members })]));
    const asked: Asked = {
      ...{ kind, bodies, askedAt: this.now(), settledAt: Infinity },
      outcome: undefined,
    };
    this.#asked.push(asked);
    try {
      await store.writeAll(thingKind(kind), [...things.keys()], () =>
        Array.from(things, ([id, members]) => (members ? thing(id, members) : "remove")));
      asked.outcome = "stored";
      this.#seqs.push({ at: this.now(), seq: store.history.last });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      asked.outcome = error.code === "unconfirmed" ? "unknown" : "refused";
    }
    asked.settledAt = this.now();
  }

  /** The resources that a list must hold when everything that was accepted is stored. */
  accepted(kind: string): string[] {
    const asked = this.#asked.filter(({ outcome }) => outcome !== "refused");
    return [...(apply(this.#start, asked).get(kind)?.keys() ?? [])];
  }

  /** The content that reads show once every write has its answer: the stored writes. */
  shown(): string {
    return describe(apply(this.#start, this.#asked.filter(({ outcome }) => outcome === "stored")));
  }

  /** How many writes were answered with success, and how many were refused. */
  get counts(): { stored: number; refused: number } {
    const of = (outcome: string) => this.#asked.filter((one) => one.outcome === outcome).length;
    return { stored: of("stored"), refused: of("refused") };
  }

  /**
   * The content a store may have after a crash: every answered write, no refused one, and of
   * those without an answer the first few in the order they were asked.
   */
  acceptable(time: number): Set<string> {
    const asked = this.#asked.filter(({ askedAt }) => askedAt <= time);
    const isOpen = ({ settledAt }: Asked): boolean => settledAt > time;
    const answered = asked.filter((one) => !isOpen(one) && one.outcome === "stored");
    const open = asked.filter((one) => isOpen(one) || one.outcome === "unknown");
    const states = new Set<string>();
    // The writes that will be refused are in one batch, the writes that will be stored in another.
    for (const batch of [
      open.filter(({ outcome }) => outcome === "refused"),
      open.filter(({ outcome }) => outcome !== "refused"),
    ]) {
      for (let count = 0; count <= batch.length; count++) {
        states.add(describe(apply(this.#start, [...answered, ...batch.slice(0, count)])));
      }
    }
    return states;
  }

  /** The number that the store's changes must have reached after a crash at a time. */
  lastSeq(time: number): number {
    return Math.max(0, ...this.#seqs.filter(({ at }) => at <= time).map(({ seq }) => seq));
  }
}

function apply(start: Content, asked: readonly Asked[]): Content {
  const content = new Map([...start].map(([kind, rows]) => [kind, new Map(rows)]));
  for (const { kind, bodies } of asked) {
    const rows = content.get(kind);
    for (const [id, body] of bodies) {
      if (body === undefined) rows?.delete(id);
      else rows?.set(id, body);
    }
  }
  return content;
}

function contentOf(store: Store): Content {
  return new Map(
    [toppings, orders].map((kind) => [
      kind.name,
      new Map(Array.from(store.rows(kind), ({ id, value }) => [id, JSON.stringify(value)])),
    ]),
  );
}

function describe(content: Content): string {
  return [...content]
    .map(([kind, rows]) => [`${kind}:`, ...rows.values()].join("\n"))
    .join("\n");
}

/** A store's content, in the form of `acceptable`. */
export function contentText(store: Store): string {
  return describe(contentOf(store));
}
