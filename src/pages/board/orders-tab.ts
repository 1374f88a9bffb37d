/** The columns of open orders, what is to be made in all, and each order's card. */

import { button, type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { isSoldOut, itemOf, type Line, type Menu, tally } from "../shared/menu.ts";
import type { MenuKind, Order, Reference, Status } from "../shared/types.ts";
import { clockText, number, t } from "../shared/words.ts";
import { mostFirst } from "./day.ts";
import {
  ageMs, inStage, isBase, isNew, type Lateness, latenessOf, type OpenOrder, partOf, type Stage,
  stages,
} from "./orders.ts";
import { moreButton } from "./parts.ts";
import type { State } from "./state.ts";

export const statusNames: Readonly<Record<Status, string>> = {
  Pending: t("Pending"),
  Preparing: t("Preparing"),
  Ready: t("Ready"),
  "Out for Delivery": t("Out for Delivery"),
  Delivered: t("Delivered"),
  Cancelled: t("Cancelled"),
};

type Way = readonly [to: Status, label: string];

/** Buttons on the card, the first of them for number keys too; and what its menu adds. */
interface Ways {
  readonly buttons: readonly [main: Way, ...others: Way[]];
  readonly more: readonly Way[];
}

const backTo = (stage: Stage): Way => [stage, t("Back to {stage}", { stage: statusNames[stage] })];

export const waysFrom: Readonly<Record<Stage, Ways>> = {
  Pending: { buttons: [["Preparing", t("Start")]], more: [] },
  Preparing: {
    buttons: [["Ready", t("Ready")]],
    more: [["Out for Delivery", t("Send out")], backTo("Pending")],
  },
  Ready: {
    buttons: [["Out for Delivery", t("Send out")], ["Delivered", t("Picked up")]],
    more: [backTo("Preparing")],
  },
  "Out for Delivery": { buttons: [["Delivered", t("Delivered")]], more: [backTo("Ready")] },
};

export function ordersTab(state: State): View {
  return h("main", { key: "orders", id: "orders" },
    sums(state),
    h("div", { class: "columns", style: { "--scale": state.settings.scale } },
      ...stages.map((stage) => column(state, stage))));
}

/** Counts the items of all orders that are Pending or Preparing. */
function sums({ orders, isSumsOpen }: State): View {
  const toMake = [...orders.values()].filter(({ stage }) =>
    stage === "Pending" || stage === "Preparing").map(({ order }) => order);
  const lists: readonly (readonly [MenuKind, readonly Reference[]])[] = [
    ["pizzasizes", toMake.map(({ pizzaSize }) => pizzaSize)],
    ["toppings", toMake.flatMap(({ toppings }) => toppings)],
    ["beverages", toMake.flatMap(({ beverages }) => beverages)],
  ];
  const look = classes("sums", isSumsOpen && "open");
  return h("section", { class: look, "aria-labelledby": "to-make" },
    button("sums", "", {
      id: "to-make", "aria-expanded": String(isSumsOpen), "aria-controls": "sums",
    }, t("To make"), icon("down")),
    h("div", { id: "sums", tabindex: isSumsOpen && 0 }, ...lists.map(([kind, all]) =>
      h("ul", { key: kind, class: kind }, ...mostFirst(all).map(([name, count]) =>
        h("li", { key: name }, h("b", {}, number(count)), " ", h("bdi", {}, name)))))));
}

function column(state: State, stage: Stage): View {
  const orders = inStage(state.orders, stage);
  const isChosen = state.chosen === stage;
  const id = `column-${stages.indexOf(stage)}`;
  // While orders may be missing, no count says zero.
  const none = !state.isSignedIn || state.orderReads === "refused" ? "?"
    : state.orderReads === "loading" ? "…" : number(0);
  const { count = 0, hasNew = false, isScrolled = false } = state.below[stage] ?? {};
  const isUsed = count > 0 || isScrolled;
  const arrow = count > 0 ? `${number(count)} ↓` : "↑";
  return h("section", {
    key: stage, class: classes("column", isChosen && "is-chosen"), "aria-labelledby": id,
  },
    h("h2", {},
      button("choose", stage, {
        id, class: classes("head", stage === "Pending" && orders.length > 0 && "waits"),
        "aria-pressed": String(isChosen),
      },
        h("span", { class: "count" }, orders.length > 0 ? number(orders.length) : none),
        h("span", {}, statusNames[stage]))),
    button("below", stage, {
      class: classes("below", hasNew && "has-new", !isUsed && "none"),
    },
      h("span", { "aria-hidden": "true" }, arrow),
      unseen(count > 0 ? t("{count} more below", { count }) : t("Back to the top"))),
    h("ol", { class: "cards", "data-stage": stage, "aria-labelledby": id },
      ...orders.map((one, at) => card(state, one, orders, at))));
}

function isSameGroup({ order }: OpenOrder, other: OpenOrder | undefined): boolean {
  const part = partOf(order.id);
  return part !== undefined && part.first === partOf(other?.order.id ?? "")?.first;
}

/** `at`: its place in the column. */
function card(state: State, one: OpenOrder, orders: readonly OpenOrder[], at: number): View {
  const { menu, now, settings: { limits }, isStaff, withKeys } = state;
  const { order, stage } = one;
  const { id } = order;
  const lateness = latenessOf(one, limits, now);
  const { buttons, more } = waysFrom[stage];
  const hasKey = withKeys && isStaff && state.chosen === stage && at < 9;
  return h("li", {
    key: id, "data-order": id,
    class: classes("card", lateness > 0 && `late-${lateness}`, isNew(one, now) && "is-new",
      isSameGroup(one, orders[at - 1]) && "tied-before",
      isSameGroup(one, orders[at + 1]) && "tied-after"),
    // The menu prints and cancels too.
    style: { "--rows": more.length + 2 },
  },
    h("header", {},
      h("h3", { class: id.length > 7 && "long" }, unseen(t("Order")), " ", h("bdi", {}, id)),
      h("p", { class: "when" }, ...whenOf(state, one, lateness))),
    h("div", { class: "ways" }, ...buttons.map(([to, label], index) =>
      button("move", `${id} ${to}`, {
        class: index === 0 && (stage === "Pending" ? "go main" : "main"),
        "aria-disabled": !isStaff && "true",
      },
        hasKey && index === 0 && h("kbd", { "aria-hidden": "true" }, String(at + 1)),
        label, unseen(` ${id}`)))),
    // After the main button, which is what the focus goes to when the card before has left.
    moreButton(`order ${id}`, id, state),
    h("ul", { class: "contents" }, ...contentsOf(order, menu)));
}

function whenOf(state: State, one: OpenOrder, lateness: Lateness): Child[] {
  const { id, placedAt } = one.order;
  const isFresh = isNew(one, state.now);
  const sign = lateness === 3 ? "!! " : lateness === 2 ? "! " : "";
  const group = groupText(state, id);
  return [
    isFresh ? h("b", { class: "tag" }, t("New"))
      : h("b", { class: "age" }, `${sign}${ageText(one, state.now)}`,
        lateness > 0 && unseen(` ${t("late")}`)),
    group !== "" ? h("span", { class: "group" }, group)
      : !isFresh && h("time", { datetime: placedAt }, clockText(placedAt)),
  ];
}

/** "12 min", and "1 h 05": as wide as minutes are, so that nothing moves after an hour. */
function ageText(one: OpenOrder, now: number): string {
  const minutes = Math.floor(ageMs(one, now) / 60_000);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? t("{minutes} min", { minutes })
    : t("{hours} h {minutes}", { hours, minutes: String(minutes % 60).padStart(2, "0") });
}

export function groupText({ groups }: Pick<State, "groups">, id: string): string {
  const part = partOf(id);
  const total = groups.get(part?.first ?? "") ?? 1;
  return part === undefined || total < 2 ? ""
    : t("{number} of {total}", { number: part.number, total });
}

function contentsOf(order: Order, menu: Menu): readonly View[] {
  const size = tally([order.pizzaSize]);
  const toppings = tally(order.toppings);
  const base = toppings.filter(({ name, count }) => count === 1 && isBase(name));
  const rest = toppings.filter((line) => !base.includes(line));
  const line = (kind: MenuKind, look: string) =>
    ({ id, text, count }: Line): View =>
      h("li", { key: `${kind} ${id}`, class: classes(look, count > 1 && "double") },
        kind === "beverages" && icon("glass"),
        h("bdi", {}, text), ...remarkOn(menu, kind, id));
  return [
    ...size.map(line("pizzasizes", "size")),
    ...base.length === 0 ? [] : [h("li", { key: "base", class: "base" },
      ...base.flatMap(({ id, name }, index) => [
        index > 0 && ", ", h("bdi", {}, name), ...remarkOn(menu, "toppings", id),
      ]))],
    ...rest.map(line("toppings", "topping")),
    ...tally(order.beverages).map(line("beverages", "drink")),
  ];
}

function remarkOn(menu: Menu, kind: MenuKind, id: string): Child[] {
  const remark = menu.shop.name === "" ? ""
    : itemOf(menu, kind, id) === undefined ? t("off the menu")
      : isSoldOut(menu, kind, id) ? t("sold out") : "";
  return remark === "" ? [] : [" ", h("span", { class: "remark" }, remark)];
}
