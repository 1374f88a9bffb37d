/** The dialog that `⋯` opens: what can be done with a whole order, and with each pizza of it. */

import { serverNow } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { type Child, h, unseen, type View } from "../shared/dom.ts";
import { isOpen, statusFacts } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { Status } from "../shared/types.ts";
import { comma, t } from "../shared/words.ts";
import { isOnCard, pizzasAt } from "./cards.ts";
import { openChangeForm } from "./change-form.ts";
import { type Action, actionsDialog } from "./dialog-frame.ts";
import type { OrderDialog } from "./dialog-state.ts";
import { type BoardOrder, isSending, type Pizza } from "./known-orders.ts";
import { boardOrders, listOf } from "./lists.ts";
import { changeTexts, moveOrders } from "./moves.ts";
import { dotted, drinksView, positionText } from "./parts.ts";
import type { State } from "./state.ts";
import { statuses } from "./statuses.ts";
import { closeDialog, notify, openDialog } from "./store.ts";
import { printTickets } from "./ticket.ts";

export function openOrderDialog(order: BoardOrder): void {
  openDialog({ type: "order", orderId: order.id, version: versionOf(order) });
}

/** The states of an order's pizzas. */
function versionOf({ pizzas }: BoardOrder): string {
  return pizzas.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join();
}

/** Undefined where the order has left, or was changed since the person saw it. */
export function orderDialog(state: State, dialog: OrderDialog): View | undefined {
  const order = boardOrders(state).find(({ id }) => id === dialog.orderId);
  if (order === undefined || versionOf(order) !== dialog.version) return undefined;
  const { title, name, number, pizzas, drinks, readyCount, count } = order;
  const open = pizzas.filter((pizza) => isOpen(pizza) && !isSending(pizza));
  if (open.length === 0) return undefined;
  return actionsDialog(title, [
    h("p", { class: "soft" }, ...dotted(
      t("{count} of {total} ready", { count: readyCount, total: count }),
      name !== "" && name !== title && h("bdi", {}, name),
      h("bdi", {}, number))),
    drinksView(drinks),
    pizzaList(order, pizzas.filter(isOnCard)),
  ], actionsOf(order, open, state.now), {
    symbol: "cross", label: t("Cancel order"), detail: t("{count} pizzas", { count: open.length }),
    act: () => { void cancelOrder(order, open); },
  });
}

/** The actions of a whole order but for the last. `open`: its pizzas that nothing moves now. */
function actionsOf(order: BoardOrder, open: readonly Pizza[], now: number): readonly Action[] {
  const { stage } = order;
  const ready = pizzasAt(order, "ready");
  const from: Status = stage === "ready" ? "Ready"
    : stage === "on the way" ? "Out for Delivery" : "Preparing";
  const movedOn = pizzasAt(order, statusFacts[from].stage);
  const move = (pizzas: readonly Pizza[], to: Status) => (): void => {
    void moveOrders(pizzas, to);
  };
  const actions: readonly (Action | false)[] = [
    listOf(order, now) === "later" && {
      symbol: "next", label: t("Make now"), act: () => { void makeNow(open); },
    },
    {
      symbol: "pen", label: t("Change"), detail: t("Table, name, time and notes"),
      act: () => { openChangeForm(order); },
    },
    {
      symbol: "print", label: t("Print {count} tickets", { count: open.length }),
      act: () => { printTickets(order, open); },
    },
    ready.length > 0 && {
      symbol: "next", label: t("Send out"), act: move(ready, "Out for Delivery"),
    },
    movedOn.length > 0 && {
      symbol: "back", label: backText(from), act: move(movedOn, statuses[from].back),
    },
  ];
  return actions.filter((action) => action !== false);
}

/** "Back to Preparing". */
function backText(status: Status): string {
  return t("Back to {status}", { status: statuses[statuses[status].back].name });
}

/** Each pizza, and what can be done with it alone. */
function pizzaList(order: BoardOrder, pizzas: readonly Pizza[]): Child {
  const titles = pizzas.map(pizzaTitle);
  return order.count > 1 && h("ul", { key: "pizzas", class: "pizza-list rows" },
    ...pizzas.map((pizza, index) => h("li", { key: pizza.id, class: "wrap" },
      h("p", {}, h("bdi", {}, titles[index]), ...positionText(titles, index), " ",
        h("span", { class: "soft small" }, statuses[pizza.status].name)),
      h("div", { class: "wrap" }, ...pizzaButtons(order, pizza)))));
}

function pizzaButtons(order: BoardOrder, pizza: Pizza): readonly Child[] {
  const { status } = pizza;
  const { back } = statuses[status];
  const button = (label: string, act: () => void): View => h("button", {
    key: label, class: "slim",
    onclick: () => {
      closeDialog();
      act();
    },
  }, label, unseen(` ${pizzaTitle(pizza)}`));
  const move = (to: Status) => (): void => { void moveOrders([pizza], to); };
  return isSending(pizza) || status === "Cancelled" ? [] : [
    status === "Ready" && button(order.table === "" ? t("Picked up") : t("Serve"),
      move("Delivered")),
    back !== status && button(backText(status), move(back)),
    isOpen(pizza) && button(t("Cancel pizza"), () => { void cancelPizza(order, pizza); }),
  ];
}

/** Wants the pizzas at once. */
async function makeNow(pizzas: readonly Pizza[]): Promise<void> {
  const wantedAt = new Date(serverNow()).toISOString();
  const failure = await changeTexts(pizzas.map((seen) => ({ seen, body: { wantedAt } })));
  if (failure !== "") notify(failure);
}

async function cancelOrder(order: BoardOrder, open: readonly Pizza[]): Promise<void> {
  const { title: name, pizzas } = order;
  const count = open.length;
  const ready = open.filter(({ status }) => statusFacts[status].isReady).length;
  const question = ready === 0 ? t("Cancel the order of {name}: {count} pizzas?", { name, count })
    : count === 1 ? t("Cancel the order of {name}? It is ready.", { name })
      : t("Cancel the order of {name}: {count} pizzas, {ready} of them ready?", {
        name, count, ready,
      });
  const served = pizzas.filter(({ status }) => status === "Delivered").map(pizzaTitle);
  const isMeant = await ask(question, t("Cancel order"), t("Keep it"), {
    ...served.length > 0 && {
      detail: t("Already delivered, and stays: {names}", { names: served.join(comma) }),
    },
    className: "ink",
  });
  if (isMeant) await moveOrders(open, "Cancelled");
}

async function cancelPizza(order: BoardOrder, pizza: Pizza): Promise<void> {
  const isReady = statusFacts[pizza.status].isReady;
  const details = [
    isReady && t("It is ready."),
    order.drinks.length > 0 && order.count > 1 && t("The drinks stay."),
  ].filter((detail) => detail !== false);
  const isMeant = await ask(
    t("Cancel {pizza} of {name}?", { pizza: pizzaTitle(pizza), name: order.title }),
    t("Cancel pizza"), t("Keep it"),
    { ...details.length > 0 && { detail: details.join(" ") }, className: "ink" },
  );
  if (isMeant) await moveOrders([pizza], "Cancelled");
}
