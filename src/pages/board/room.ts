/**
 * How many columns there are, and which cards stand in each: they are only room. Which lists of the
 * tab Orders are in sight. Pure values.
 */

import type { Menu } from "../shared/menu.ts";
import { isOnCard, shownParts } from "./cards.ts";
import type { BoardOrder } from "./known-orders.ts";
import { boardOrders, type List, listOf, type Place, placesIn } from "./lists.ts";
import { isFound } from "./search.ts";
import type { State } from "./state.ts";

const gapRem = 0.625;
const narrowRem = 15;
const wideRem = 18;
/** From here on columns are wide. */
const wideFromRem = 60;

/** The columns that fit, with the one of what is ready. */
export function columnCount(widthRem: number): number {
  const least = widthRem < wideFromRem ? narrowRem : wideRem;
  return Math.max(1, Math.floor((widthRem - gapRem) / (least + gapRem)));
}

/** The ids of the orders in each column, from above to below. */
export type Columns = readonly (readonly string[])[];

/** The tab Orders as it is drawn. */
export interface InSight {
  /** The lists in sight, without what a search hides. */
  readonly lists: ReadonlyMap<List, readonly Place[]>;
  /** The cards of what is to be made. */
  readonly columns: readonly (readonly Place[])[];
  /** Columns of all open orders, so that one which comes back has its old column. */
  readonly ids: Columns;
}

/** `before`: the columns as they were when the board was drawn last. */
export function ordersInSight(state: State, before: Columns): InSight {
  const { menu, settings, search, now, widthRem } = state;
  const isFoundAt = ({ order }: Place): boolean =>
    search === undefined || isFound(order.pizzas, search);
  const lists = new Map(listsInSight(state).map((list) =>
    [list, placesIn(state, list).filter(isFoundAt)]));
  const making = placesIn(state, "make");
  const heightsOf = (places: readonly Place[]): ReadonlyMap<string, number> =>
    new Map(places.map(({ order }) => [order.id, cardHeight(menu, order, settings.toppings)]));
  const others = boardOrders(state).filter((order) => listOf(order, now) !== "later");
  const count = Math.max(1, columnCount(widthRem) - 1);
  const all = [...making.map(({ order }) => order), ...others].map(({ id }) => id);
  const ids = columnsFor([...new Set(all)],
    heightsOf(making.filter(({ undoLine }) => undoLine === undefined)), count, before);
  const shown = lists.get("make") ?? [];
  const byId = new Map(shown.map((place) => [place.order.id, place]));
  // A search fills the columns anew. The cards that it hides keep their places.
  const columns = search === undefined ? ids
    : columnsFor([...byId.keys()], heightsOf(shown), count, []);
  return {
    lists, ids, columns: columns.map((column) => column.flatMap((id) => byId.get(id) ?? [])),
  };
}

/** The lists of rows, which stand beside the cards. */
export const sideLists = ["ready", "on the way", "later"] as const;

/** One column shows one list or the others, but a search looks through all. */
function listsInSight({ tab, shownList, search, widthRem }: State): readonly List[] {
  if (tab !== "orders") return [];
  if (columnCount(widthRem) > 1 || search !== undefined) return ["make", ...sideLists];
  return shownList === "make" ? ["make"] : sideLists;
}

/**
 * A card keeps its column and its place there as long as its id is given; a new one goes to the end
 * of the shortest, before orders that only keep a place there. Another `count` begins anew. `ids`:
 * oldest first. `heights`: of cards, by id, in any unit; an order that only keeps a place has none.
 */
export function columnsFor(
  ids: readonly string[], heights: ReadonlyMap<string, number>, count: number, before: Columns,
): Columns {
  const given = new Set(ids);
  const columns = Array.from({ length: count }, (_, index) =>
    before.length === count ? (before[index] ?? []).filter((id) => given.has(id)) : []);
  const heightOf = (column: readonly string[]): number =>
    column.reduce((sum, id) => sum + (heights.get(id) ?? 0), 0);
  const kept = new Set(columns.flat());
  for (const id of ids.filter((each) => !kept.has(each))) {
    const least = Math.min(...columns.map(heightOf));
    const column = columns.find((each) => heightOf(each) === least);
    column?.splice(1 + column.findLastIndex((other) => heights.has(other)), 0, id);
  }
  return columns;
}

/** About as many lines of text as a card is high. An estimate, so that nothing is measured. */
function cardHeight(menu: Menu, order: BoardOrder, showsToppings: boolean): number {
  const letters = 28;
  const linesOf = (text: string): number => Math.ceil(text.length / letters);
  const heights = order.rows.filter(([pizza]) => isOnCard(pizza)).map((row) => {
    const { differences, toppings, note } = shownParts(menu, row, showsToppings);
    const { without = [], added = [] } = differences ?? {};
    const running = toppings.map(({ text }) => text).join(", ");
    return Math.max(2.3, 1.4 + without.length + added.length + linesOf(running) + linesOf(note));
  });
  return heights.reduce((sum, height) => sum + height, 6.5);
}
