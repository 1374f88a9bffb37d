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
  /** The columns of all open orders: one that comes back has its old column. */
  readonly allColumns: Columns;
}

/** `before`: all columns as they were when the board was drawn last. */
export function ordersInSight(state: State, before: Columns): InSight {
  const { search } = state;
  const lists = new Map(listsInSight(state).map((list) => [list, placesFound(state, list)]));
  const allColumns = columnsOfAll(state, before);
  const cards = new Map((lists.get("make") ?? []).map((place) => [place.order.id, place]));
  // A search fills the columns anew. The cards that it hides keep their places.
  const columns = search === undefined ? allColumns
    : columnsFor([...cards.keys()], heightsOf(state, [...cards.values()]), allColumns.length, []);
  return {
    lists, allColumns,
    columns: columns.map((column) => column.flatMap((id) => cards.get(id) ?? [])),
  };
}

function placesFound(state: State, list: List): readonly Place[] {
  const { search } = state;
  const places = placesIn(state, list);
  return search === undefined ? places
    : places.filter(({ order }) => isFound(order.pizzas, search));
}

function columnsOfAll(state: State, before: Columns): Columns {
  const places = placesIn(state, "make");
  const others = boardOrders(state).filter((order) => listOf(order, state.now) !== "later");
  const ids = new Set([...places.map(({ order }) => order), ...others].map(({ id }) => id));
  const cards = places.filter(({ undoLine }) => undoLine === undefined);
  const count = Math.max(1, columnCount(state.widthRem) - 1);
  return columnsFor([...ids], heightsOf(state, cards), count, before);
}

/** The height of each card, by the id of its order. */
function heightsOf(
  { menu, settings: { toppings } }: State, places: readonly Place[],
): ReadonlyMap<string, number> {
  return new Map(places.map(({ order }) => [order.id, cardHeight(menu, order, toppings)]));
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
