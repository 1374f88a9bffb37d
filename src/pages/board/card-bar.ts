/** The buttons in the bar of a card. For a group, it first asks which orders are meant. */

import { type Child, h, type View } from "../shared/dom.ts";
import type { Order } from "../shared/types.ts";
import { number, t } from "../shared/words.ts";
import { barAction, type BarContents } from "./bar.ts";
import { type Card, type Columns, isKept, movable } from "./cards.ts";
import { moveOrders } from "./moves.ts";
import { type CardBar, set } from "./state.ts";
import { printTickets } from "./ticket.ts";
import { type Move, statuses } from "./statuses.ts";

export function cardBar(columns: Columns, bar: CardBar): BarContents | undefined {
  const card = [...columns.values()].flat().find(({ key }) => key === bar.key);
  if (card === undefined) return undefined;
  const { name, group } = card;
  const picked = card.cardOrders.find(({ order }) => order.id === bar.picked);
  const orders = movable(card).filter((cardOrder) => picked === undefined || cardOrder === picked)
    .map(({ order }) => order);
  const count = orders.length;
  if (count === 0) return undefined;
  const about = picked === undefined ? name
    : `${name} · ${t("Pizza {number}", { number: picked.index })}`;
  const move = ({ to, label }: Move): View =>
    barAction(label, about, () => { void moveOrders(orders, to); });
  const isGroup = group !== undefined;
  return {
    name,
    below: isGroup ? picks(card, bar) : statusAndSize(card),
    actions: [
      ...movesOf(card, picked !== undefined).map(move),
      barAction(isGroup ? t("Print {count} tickets", { count }) : t("Print ticket"), about,
        () => { printTickets(orders); }),
    ],
    apart: move({
      to: "Cancelled",
      label: isGroup ? t("Cancel {count} pizzas", { count }) : t("Cancel order"),
    }),
  };
}

/** Ways that have no button on the card. */
function movesOf({ status, group }: Card, isPicked: boolean): readonly Move[] {
  const { onCard: [first, ...others], inBar, back, isOneByOne } = statuses[status];
  // A group's button moves all of it: one alone goes on from here.
  const isFirstHere = group !== undefined && isPicked && !isOneByOne;
  return [
    ...isFirstHere && first !== undefined ? [first] : [],
    ...group !== undefined ? others : [],
    ...inBar,
    ...back === status ? []
      : [{ to: back, label: t("Back to {status}", { status: statuses[back].name }) }],
  ];
}

function statusAndSize({ status, cardOrders: [cardOrder] }: Card): View {
  return h("p", { class: "soft" }, statuses[status].name,
    h("span", {}, `, ${cardOrder?.order.pizzaSize.name ?? ""}`));
}

function picks(card: Card, bar: CardBar): Child {
  const count = movable(card).length;
  const pick = (id: Order["id"], label: Child, text: string): View => h("button", {
    key: id, "aria-pressed": String(bar.picked === id), "aria-label": text,
    onclick: () => { set({ bar: { ...bar, picked: id } }); },
  }, label);
  const all = t("All {number}", { number: count });
  return count > 1 && h("div", { class: "picks", role: "group", "aria-label": card.name },
    pick("", all, all),
    ...card.cardOrders.filter(isKept).map(({ order, index }) =>
      pick(order.id, h("i", { class: "ring" }, number(index)),
        t("Pizza {number}", { number: index }))));
}
