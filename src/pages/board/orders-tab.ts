/** The columns of open orders, and the sums of all items to be made. */

import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { tally } from "../shared/menu.ts";
import type { MenuKind, Reference, Status } from "../shared/types.ts";
import { numberText, t } from "../shared/words.ts";
import { cardView } from "./card-view.ts";
import {
  type Card, cardGuards, type Columns, isKept, isNew, latenessOf, ordersOn,
} from "./cards.ts";
import type { Guard } from "./guards.ts";
import { undoRow } from "./notices.ts";
import { foundCount, isFoundCard } from "./search.ts";
import { hiddenNews, nothingFound, searchBar, searchButton } from "./search-view.ts";
import { canAct, isLive, isStaff, type State } from "./state.ts";
import { isToMake, openStatuses, statuses } from "./statuses.ts";
import { setupView } from "./setup.ts";
import { set } from "./store.ts";
import { openTableCards } from "./table-cards.ts";
import { phoneOrder } from "./top-bar.ts";

export function ordersTab(state: State, columns: Columns): View {
  const { search, hasRead, settings } = state;
  const cards = [...columns.values()].flat();
  const isEmpty = hasRead && isLive(state) && cards.length === 0;
  const isNothing = search !== undefined && search !== "" && foundCount(cards, search) === 0;
  return h("main", {
    key: "orders", id: "orders", class: classes(isEmpty && search === undefined && "empty",
      isNothing && "none-found"),
  },
    search === undefined ? toMake(state) : searchBar(search, columns),
    h("div", { class: "fit", style: { "--scale": settings.scale } },
      h("div", { class: "columns" },
        ...[...columns].map(([status, cards]) => column(state, status, cards)))),
    isNothing ? nothingFound(search) : isEmpty && search === undefined
      && (isStaff(state) && setupView(state.menu) || emptyBoard(state)));
}

function emptyBoard(state: State): View {
  return h("div", { key: "empty", class: "nothing" },
    h("h2", {}, t("No open orders")),
    h("p", {}, t("They come in here by themselves.")),
    isStaff(state) && h("p", {}, t("Print a card for a table, or take an order by phone.")),
    isStaff(state) && h("p", { class: "actions" },
      h("button", { onclick: () => { void openTableCards(); } }, icon("print"),
        t("Table cards")),
      phoneOrder("")));
}

/** Counts the items of all orders that are still to be made. */
function toMake(state: State): View {
  const { orders, isToMakeOpen, isMuted, settings: { chimes } } = state;
  const made = [...orders.values()].filter(isToMake);
  const lists: readonly (readonly [MenuKind, readonly Reference[]])[] = [
    ["pizzasizes", made.map(({ pizzaSize }) => pizzaSize)],
    ["toppings", made.flatMap(({ toppings }) => toppings)],
    ["beverages", made.flatMap(({ beverages }) => beverages)],
  ];
  return h("section", {
    key: "sums", class: classes("sums", isToMakeOpen && "open"), "aria-labelledby": "to-make",
  },
    h("button", {
      id: "to-make", class: "plain", "aria-expanded": String(isToMakeOpen),
      "aria-controls": "sums", onclick: () => { set({ isToMakeOpen: !isToMakeOpen }); },
    }, t("To make"), icon("down")),
    h("div", { id: "sums", tabindex: isToMakeOpen && 0 }, ...lists.map(([kind, items]) =>
      h("ul", { key: kind, class: kind }, ...mostFirst(items).map(({ id, name, count }) =>
        h("li", { key: id }, h("b", {}, numberText(count)), " ", h("bdi", {}, name)))))),
    // Here no button moves when it goes.
    isMuted && chimes && canAct(state) && h("p", { class: "muted" },
      icon("muted"), h("span", {}, t("Tap for sound"))),
    searchButton());
}

function mostFirst(items: readonly Reference[]): ReturnType<typeof tally> {
  return tally(items).toSorted((one, other) =>
    other.count - one.count || one.name.localeCompare(other.name));
}

/** The guards of each column's cards, as they were drawn last. */
const lastGuards = new Map<Status, readonly Guard[]>();

function column(state: State, status: Status, cards: readonly Card[]): View {
  const index = openStatuses.indexOf(status);
  const chosenIndex = openStatuses.indexOf(state.chosenColumn);
  // Where two fit, the next one stands beside the chosen one.
  const isBeside = index === chosenIndex + (chosenIndex === openStatuses.length - 1 ? -1 : 1);
  const id = `column-${index}`;
  const found = cards.filter((card) => isFoundCard(card, state.search));
  const headNews = news(state, cards, found);
  const guards = cardGuards(found, lastGuards.get(status));
  lastGuards.set(status, guards);
  return h("section", {
    key: status, "aria-labelledby": id,
    class: classes("column", chosenIndex === index && "is-chosen", isBeside && "is-beside"),
  },
    h("div", { class: classes("column-head", headNews !== undefined && "has-news") },
      heading(state, status, cards, id), headNews),
    // Where no button of a card takes the focus, the list does, to be scrolled by keyboard.
    h("ol", {
      class: "cards", "data-status": status, "aria-labelledby": id,
      tabindex: canAct(state) && found.length > 0 ? -1 : 0,
    }, ...found.map((card, cardIndex) => cardView(state, card, guards[cardIndex]?.guard ?? 0))),
    undoRow(state, status));
}

/** Where all four columns are in sight there is nothing to choose, and the text stands alone. */
function heading(state: State, status: Status, cards: readonly Card[], id: string): View {
  const { search, chosenColumn } = state;
  const count = cards.flatMap(ordersOn).filter(isKept).length;
  // While orders may be missing, no count says zero.
  const none = !isLive(state) ? "?" : state.hasRead ? numberText(0) : "…";
  const isWaiting = statuses[status].isWaiting && count > 0 && canAct(state);
  const words = [h("span", { class: "count" }, count > 0 ? numberText(count) : none),
    h("span", {}, statuses[status].name)];
  const shown = foundCount(cards, search);
  const shownText = h("span", { class: "soft shown" }, t("{count} shown", { count: shown }));
  return h("h2", { id },
    h("span", { class: "head" }, ...words, search !== undefined && shownText),
    h("button", {
      class: classes("plain head", isWaiting && "waits"),
      "aria-pressed": String(chosenColumn === status),
      onclick: () => { set({ chosenColumn: status }); },
    }, ...words, search === undefined ? hint(state, cards) : shown > 0 && shownText));
}

/** The news of a column that is not in sight. */
function hint({ now }: State, cards: readonly Card[]): Child {
  if (cards.some((card) => latenessOf(card, now) > 0)) {
    return h("b", { class: "hint late" }, unseen(" "), t("late"));
  }
  return cards.some((card) => isNew(card, now)) ? h("b", { class: "hint" }, unseen(" "), t("New"))
    : cards.some(isMarkedChanged) && h("b", { class: "hint" }, unseen(" "), t("Changed"));
}

/** At the end of a head: cards that somebody else has changed, and news of what a search hides. */
function news(
  { now, search }: State, cards: readonly Card[], found: readonly Card[],
): View | undefined {
  if (search === undefined) {
    const count = cards.filter(isMarkedChanged).length;
    return count === 0 ? undefined : h("p", { class: "news" },
      h("b", { class: "hint" }, t("{count} changed", { count })));
  }
  const hidden = cards.filter((card) => !found.includes(card));
  const [late, fresh, changed] = [
    hidden.filter((card) => latenessOf(card, now) > 0).length,
    hidden.filter((card) => isNew(card, now)).length,
    hidden.filter(isMarkedChanged).length,
  ];
  return late > 0 ? hiddenNews(t("{count} late", { count: late }), "late")
    : fresh > 0 ? hiddenNews(t("{count} new", { count: fresh }), "")
      : changed > 0 ? hiddenNews(t("{count} changed", { count: changed }), "") : undefined;
}

function isMarkedChanged(card: Card): boolean {
  return ordersOn(card).some(({ mark }) => mark?.type === "changed");
}
