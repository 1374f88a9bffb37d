/**
 * Press keys for the items of a list: see `pressKey` in shared/dom.ts. An item's key rises when it,
 * or an item above it, has changed or gone, since then something else lies under the finger.
 */

import type { BoardOrder, Pizza } from "./known-orders.ts";

interface PressKey {
  /** The item and all that it shows. */
  readonly text: string;
  readonly key: number;
}

/** The keys of each list as it was drawn last. */
const drawn = new Map<string, readonly PressKey[]>();

/** The items of a list that is drawn now, each with its press key. */
export function withPressKeys<Item>(
  list: string, items: readonly Item[], textOf: (item: Item) => string,
): readonly (readonly [Item, string])[] {
  const before = drawn.get(list) ?? [];
  const next = 1 + Math.max(0, ...before.map(({ key }) => key));
  let isSame = true;
  const keys = items.map((item, index): PressKey => {
    const text = textOf(item);
    const last = before[index];
    isSame &&= last?.text === text;
    return { text, key: isSame && last !== undefined ? last.key : next };
  });
  drawn.set(list, keys);
  return items.map((item, index) => [item, String(keys[index]?.key)]);
}

/** All that a row can say of an order. */
export function orderText({ pizzas }: BoardOrder): string {
  return pizzas.map(({ id, updatedAt, mark }) => [id, updatedAt, markText(mark)].join(" ")).join();
}

/** A press on its way to the shop moves nothing. */
export function markText(mark: Pizza["mark"]): string {
  return mark === undefined || mark.type === "sending" ? "" : mark.type;
}
