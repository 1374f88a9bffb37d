/** Draws an order that is to be made: one card with all of its pizzas. */

import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { type PizzaRow, statusFacts } from "../shared/orders.ts";
import { comma, numberText, t } from "../shared/words.ts";
import {
  clockOf, isOnCard, latenessOf, mainMove, nextStatus, shownParts, soldOutIn,
} from "./cards.ts";
import {
  type BoardOrder, isCancelledElsewhere, isChanged, isSending, type Pizza,
} from "./known-orders.ts";
import { isNew, type Place } from "./lists.ts";
import { moveOrders } from "./moves.ts";
import { openOrderDialog } from "./order-dialog.ts";
import {
  changedTag, clockView, dotted, drinksView, failedText, moreButton, moveButton, noteView, okButton,
  seenButton, tag, undoLineView, withCommas,
} from "./parts.ts";
import { canAct, isStaff, type State } from "./state.ts";
import { statuses } from "./statuses.ts";

export function cardView(state: State, { order, undoLine }: Place, pressKey: string): View {
  const lateness = latenessOf(order, state.now);
  return h("li", {
    key: order.id, pressKey,
    class: classes("panel card", lateness > 0 && `late-${lateness}`,
      isNew(order, state.now) && "is-new", order.stage === "closed" && "is-cancelled",
      undoLine !== undefined && "is-left", isOpened(state, order) && "is-open"),
  },
    undoLine && undoLineView(state, undoLine),
    // An order that has left keeps the height of its card for as long as its undo line stands.
    h("article", { "aria-label": order.title, inert: undoLine !== undefined },
      cardHead(state, order), cardSummary(state, order),
      h("ul", { class: "pizzas" }, ...order.rows.filter(([pizza]) => isOnCard(pizza))
        .map((row) => pizzaRowView(state, order, row))),
      cardFoot(state, order)));
}

/** The dialog of the order lies over its card. */
function isOpened({ dialog }: State, { id }: BoardOrder): boolean {
  return dialog?.type === "order" && dialog.orderId === id;
}

function cardHead(state: State, order: BoardOrder): View {
  const lateness = latenessOf(order, state.now);
  return h("header", {
    class: classes("wrap", lateness === 2 ? "red" : isNew(order, state.now) && "tint"),
  },
    h("h3", { class: "grow" }, unseen(`${t("Order")} `), h("bdi", {}, order.title)),
    h("div", { class: "line" }, ...order.stage === "closed" ? [tag(t("Cancelled"))] : [
      clockView(clockOf(order, state.now), lateness),
      moreButton(state, order.title, () => { openOrderDialog(order); }),
    ]));
}

/** Who has ordered, and how much is ready. */
function cardSummary(state: State, order: BoardOrder): View {
  const { title, name, table, number, count, readyCount, stage } = order;
  const isFresh = isNew(order, state.now) && readyCount === 0;
  return h("p", { class: "card-about wrap soft mid" },
    isFresh && tag(t("New")),
    ...dotted(
      name !== "" && name !== title && h("b", {}, h("bdi", {}, name)),
      table === "" && name !== "" && h("bdi", {}, number),
      stage === "closed" ? false : isFresh ? t("{count} pizzas", { count })
        : t("{count} of {total} ready", { count: readyCount, total: count })),
    changedTag(state, order));
}

/** Equal pizzas. The whole row is a button once they are being made: see `nextStatus`. */
function pizzaRowView(state: State, order: BoardOrder, row: PizzaRow<Pizza>): View {
  const [pizza] = row;
  const { id, status, name = "" } = pizza;
  const next = nextStatus(row);
  const { isReady } = statusFacts[status];
  const content = [
    h("i", { class: "circle", "aria-hidden": "true" }, isReady && icon("check")),
    h("div", { class: "grow" },
      failedText(row),
      // Where several people have ordered.
      name !== "" && name !== order.name
        && h("p", { key: "name" }, h("b", {}, h("bdi", {}, name))),
      ...pizzaView(state, row)),
  ];
  const press = (): void => { if (next !== undefined) void moveOrders(row, next, true); };
  const hasLeft = status === "Delivered" || status === "Out for Delivery";
  return h("li", {
    key: id, class: classes("pizza-row ruled", isReady && "is-ready",
      row.every(isSending) && "is-sending", isCancelledElsewhere(pizza) && "is-cancelled"),
  },
    next === undefined || !isStaff(state)
      ? h("div", { key: "row", class: "pizza" }, ...content)
      : h("button", {
        key: "row", class: "plain pizza", "aria-pressed": String(isReady),
        pressKey: row.map((each) => `${each.id} ${each.status}`).join(),
        onclick: canAct(state) && !row.some(isSending) && press,
      }, ...content, unseen(` ${order.title}`)),
    hasLeft && h("p", { key: "status", class: "soft mid" }, statuses[status].name),
    row.some((each) => isChanged(each, "pizza")) && seenButton(state, row, "pizza", t("Changed")));
}

/** The pizza of a row: name and size, what differs from the recipe, what is on it, its note. */
function pizzaView({ menu, settings }: State, row: PizzaRow<Pizza>): readonly Child[] {
  const { name, size, differences, toppings, note } = shownParts(menu, row, settings.toppings);
  const [pizza] = row;
  const { without = [], added = [] } = differences ?? {};
  const sign = row.length > 1 && `${numberText(row.length)} × `;
  return [
    h("p", { key: "pizza", class: "pizza-name" },
      sign, h("bdi", {}, name || t("Own pizza")), comma, h("span", { class: "pizza-size" }, size)),
    ...without.map(({ id, text }) => h("p", { key: `without ${id}`, class: "without" },
      t("without"), " ", h("bdi", {}, text))),
    ...added.map(({ id, text }) => h("p", { key: `added ${id}`, class: "added" },
      "+ ", h("bdi", {}, text))),
    toppings.length > 0 && h("p", { key: "toppings", class: "soft mid all-toppings" },
      ...withCommas(toppings.map(({ text }) => text))),
    ...soldOutIn(menu, pizza).map((text) => h("p", { key: `out ${text}` },
      h("span", { class: "tag remark" }, t("sold out: {name}", { name: text })))),
    noteView(note),
  ];
}

function cardFoot(state: State, order: BoardOrder): View {
  const move = mainMove(order);
  return h("footer", { class: "wrap ruled if-any" },
    drinksView(order.drinks),
    okButton(state, order),
    move && moveButton(state, order.title, move, order.stage === "new"));
}
