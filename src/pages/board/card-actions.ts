/** The dialog that `⋯` of a card opens. For several pizzas it first asks which are meant. */

import { ask } from "../shared/dialogs.ts";
import { type Child, h, type View } from "../shared/dom.ts";
import { statusFacts } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import {
  type Card, type CardOrder, type Columns, hasOneButton, isKept, labelFor, movableOrders, movesOn,
  notReadyCount, ordersOn,
} from "./cards.ts";
import { openChange } from "./change-form.ts";
import { whichText } from "./contents.ts";
import { type Action, actionsDialog } from "./dialog-frame.ts";
import type { CardDialog } from "./dialog-types.ts";
import { openDialog, updateDialog } from "./dialogs.ts";
import { moveOrders } from "./moves.ts";
import { type Move, statuses } from "./statuses.ts";
import { printTickets } from "./ticket.ts";

export function openCardActions(card: Card): void {
  openDialog({ type: "card", key: card.key, version: versionOf(card), picked: "" });
}

/** The states of a card's orders. */
function versionOf(card: Card): string {
  return ordersOn(card).map(({ order: { id, updatedAt } }) => `${id} ${updatedAt}`).join();
}

/** Undefined where the card has left, or has been changed: the person saw another one. */
export function cardActions(columns: Columns, dialog: CardDialog): View | undefined {
  const card = [...columns.values()].flat().find(({ key }) => key === dialog.key);
  if (card === undefined || versionOf(card) !== dialog.version) return undefined;
  const all = ordersOn(card).filter(isKept);
  const picked = all.filter(({ order }) => order.id === dialog.picked);
  const isPicked = picked.length > 0;
  const orders = movableOrders(isPicked ? picked : all);
  const [first] = orders;
  if (first === undefined) return undefined;
  const count = orders.length;
  const { title, status } = card;
  const about = isPicked ? `${title} · ${pizzaTitle(first)}` : title;
  const move = ({ to }: Pick<Move, "to">) => (): void => { void moveOrders(orders, to); };
  const actions: readonly Action[] = [
    {
      symbol: "pen", label: t("Change"), detail: t("Table, name and notes"),
      act: () => { openChange(first); },
    },
    {
      symbol: "print", label: t("Print {count} tickets", { count }),
      act: () => { printTickets(orders); },
    },
    ...movesInDialog(card, isPicked).map((further): Action => ({
      symbol: "next", label: labelFor(further, count), act: move(further),
    })),
    ...backOf(card).map((to): Action => ({
      symbol: "back", label: t("Back to {status}", { status: statuses[to].name }),
      act: move({ to }),
    })),
  ];
  return actionsDialog(title, [
    h("p", { class: "soft" }, ...withDots(statuses[status].name, card.name, card.number)),
    picks(all, dialog),
  ], actions, {
    symbol: "cross", label: t("Cancel order"),
    ...count > 1 && { detail: t("{count} pizzas", { count }) },
    act: () => { void cancel(about, orders); },
  });
}

function withDots(...texts: readonly string[]): readonly Child[] {
  return texts.filter((text) => text !== "").flatMap((text, index) =>
    [index > 0 && " · ", h("bdi", {}, text)]);
}

/** Moves that have no button on the card for these orders. */
function movesInDialog(card: Card, isPicked: boolean): readonly Move[] {
  const onCard = movesOn(card);
  const [first, ...others] = onCard;
  const isFirstHere = isPicked || notReadyCount(card) > 0;
  const { inDialog } = statuses[card.status];
  return [
    ...isFirstHere && first !== undefined ? [first] : [],
    // The button of a group has the first move alone.
    ...hasOneButton(card) ? others : [],
    ...inDialog.filter((move) => !onCard.includes(move)),
  ];
}

function backOf({ status }: Card): readonly Card["status"][] {
  const { back } = statuses[status];
  return back === status ? [] : [back];
}

async function cancel(about: string, orders: readonly Order[]): Promise<void> {
  const ready = orders.filter(({ status }) => statusFacts[status].isReady).length;
  const isMeant = await ask(t("Cancel the order of {name}?", { name: about }),
    t("Cancel order"), t("Keep it"), {
      ...ready > 0 && { detail: t("{count} pizzas are ready.", { count: ready }) },
      className: "ink",
    });
  if (isMeant) await moveOrders(orders, "Cancelled");
}

/** All, or one alone. Of equal pizzas each says which it is. */
function picks(all: readonly CardOrder[], dialog: CardDialog): Child {
  const pick = (id: string, ...label: readonly Child[]): View => h("button", {
    key: id, "aria-pressed": String(dialog.picked === id),
    onclick: () => { updateDialog("card", { picked: id }); },
  }, ...label);
  const titles = all.map(({ order }) => pizzaTitle(order));
  return all.length > 1 && h("div", { class: "picks", role: "group" },
    pick("", t("All {number}", { number: all.length })),
    ...all.map(({ order }, index) => pick(order.id, h("bdi", {}, titles[index]),
      ...whichText(titles, index))));
}
