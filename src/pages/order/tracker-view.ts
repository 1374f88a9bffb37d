/** Placed orders as elements: the number, one sentence, and the steps. Equal pizzas are one row. */

import { pictureOf } from "../drawing/pizza.ts";
import { refusedText, serverNow } from "../shared/api.ts";
import { type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { itemOf, type Menu } from "../shared/menu.ts";
import { type PizzaRow, shortNumber, type WholeOrder } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { Order, Status } from "../shared/types.ts";
import { joined, t } from "../shared/words.ts";
import { addressOf } from "./address.ts";
import { noteSeen, orderAgain } from "./order-actions.ts";
import { kitchenChanges, ownOrderOf } from "./own-orders.ts";
import { isStaff, type State } from "./state.ts";
import { counted, describedView, momentText, namesView, pizzaDetails } from "./text-views.ts";
import { absenceOf, headlineOf, isAnyOpen, statusName, stepsOf, trackersOf } from "./tracker.ts";

export function trackersView(state: State): readonly Child[] {
  const trackers = trackersOf(state);
  const absence = trackers.length === 0 ? absenceOf(state) : undefined;
  if (absence === "loading") return [h("h1", { id: "title", tabindex: -1 }, t("Loading…"))];
  return [
    state.message !== ""
      && h("p", { key: "message", class: "panel notice", role: "status" }, state.message),
    h("div", { key: "trackers" },
      ...absence !== undefined ? [absentView(state, absence)]
        : trackers.map((tracker) => trackerView(tracker, state))),
    h("p", { key: "else", class: "actions" },
      h("a", { class: classes("button", absence !== undefined && "act"), href: addressOf() },
        absence === undefined ? t("Order something else") : t("Order a pizza"))),
  ];
}

type KnownAbsence = Exclude<ReturnType<typeof absenceOf>, "loading">;

function absentView({ addressNumber: number }: State, absence: KnownAbsence): View {
  const texts: Readonly<Record<KnownAbsence, readonly [news: string, hint: string]>> = {
    refused: [refusedText, ""],
    missing: [t("The shop no longer has this order."), ""],
    "not followed": [
      t("We have your order {number}. This phone can’t follow it; ask the shop.", { number }), "",
    ],
    foreign: [t("This phone can’t open this order."), t("Use the phone that placed it.")],
    unknown: [
      t("We can’t find this order."), t("Check the number: it has six letters and digits."),
    ],
  };
  const [news, hint] = texts[absence];
  return trackerArticle(number, "is-over", sentence(news),
    hint !== "" && h("p", { class: "soft" }, hint));
}

function trackerView(whole: WholeOrder, state: State): View {
  const { number, rows, table, name, count, drinks, wantedAt } = whole;
  const { menu } = state;
  const isOver = count === 0;
  const [first] = rows;
  return trackerArticle(number, isOver && "is-over",
    headlineView(whole, state),
    wantedAt !== undefined
      && h("p", { key: "wanted", class: "strong tracker-fact" },
        t("Wanted for {time}", { time: momentText(wantedAt) })),
    name !== "" && h("p", { key: "name", class: "strong tracker-fact" }, h("bdi", {}, name)),
    isOver && h("p", { class: "soft" }, t("Nothing will be made. Ask the shop if in doubt.")),
    h("div", { class: "panel rows" },
      ...rows.length === 1 && first !== undefined
        ? [stepsView(first[0], table !== ""), pizzaView(first, menu)]
        : rows.map((row) => pizzaView(row, menu, table !== "")),
      drinks.length > 0
        && h("div", { key: "drinks", class: "soft" }, t("Drinks:"), " ", ...namesView(drinks),
          describedView(drinks.flatMap(({ id }) => itemOf(menu, "beverages", id) ?? [])))),
    isAnyOpen(whole) && !isStaff(state)
      && h("p", { key: "ask", class: "soft ask-shop" }, t("Ask the shop to change or cancel it.")),
    h("p", { key: "again", class: "actions" },
      h("button", { onclick: () => void orderAgain(whole) }, t("Order again"))));
}

function trackerArticle(
  number: string, className: string | false, ...children: readonly Child[]
): View {
  return h("article", { key: number, class: classes(className), "aria-label": number },
    h("h1", { id: "title", tabindex: -1, class: "tracker-number" },
      h("bdi", {}, shortNumber(number))),
    ...children);
}

function sentence(text: string): View {
  return h("p", { class: "display headline" }, text);
}

/** The sentence, a band once the order is ready; and what the kitchen did, until it is read. */
function headlineView(whole: WholeOrder, state: State): View {
  const text = headlineOf(whole, state, serverNow());
  const changes = kitchenChanges(ownOrderOf(state.ownOrders, whole.number), whole);
  return h("div", { key: "news", role: "status" },
    whole.stage === "ready"
      ? h("p", { class: "display headline ready line green large" },
        icon("check"), h("span", {}, text))
      : sentence(text),
    changes.length > 0 && h("div", { key: "changes", class: "box notice tint wrap changes" },
      h("div", { class: "grow" }, ...changes.map((line) => h("p", {}, line))),
      h("button", { onclick: () => { noteSeen(whole); } }, t("OK"))));
}

function stepsView({ status, statusSince, placedAt }: Order, isAtTable: boolean): View {
  const times: Partial<Record<Status, string>> = { [status]: statusSince, Pending: placedAt };
  return h("ol", { class: "steps", "aria-label": t("Progress") },
    ...stepsOf(status).map(({ name, progress }) =>
      h("li", { key: name, class: progress, "aria-current": name === status && "step" },
        h("span", { class: "step-dot center" },
          progress === "done" ? icon("check") : progress === "cancelled" && icon("cross")),
        h("p", { class: "spread wrap" },
          h("span", { class: "step" }, statusName(name, isAtTable)), " ",
          h("span", { class: "soft" }, momentText(times[name]))))));
}

/** `isAtTable`: left out where the steps stand above. */
function pizzaView(row: PizzaRow, menu: Menu, isAtTable?: boolean): View {
  const [order] = row;
  return h("section", {
    key: order.id, class: classes("pizza-row", order.status === "Cancelled" && "is-over"),
  },
    pictureOf(order),
    h("div", {},
      h("h2", {}, counted(row.length, pizzaTitle(order))),
      ...pizzaDetails(menu, order),
      ...isAtTable === undefined ? [] : progressView(order, isAtTable)));
}

function progressView({ status, statusSince }: Order, isAtTable: boolean): readonly View[] {
  return [
    h("span", { key: "dots", class: "step-dots", "aria-hidden": "true" },
      ...stepsOf(status).map(({ name, progress }) => h("span", { class: progress, key: name }))),
    h("p", { key: "state", class: "small strong state" },
      joined(statusName(status, isAtTable), momentText(statusSince))),
  ];
}
