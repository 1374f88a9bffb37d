/** The contents of an order on its card: the note, then size, toppings and drinks. */

import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { isSoldOut, type Line, type Menu, tally } from "../shared/menu.ts";
import { pizzaName } from "../shared/orders.ts";
import type { MenuKind, Order, Reference } from "../shared/types.ts";
import { comma, number, t } from "../shared/words.ts";
import type { CardOrder } from "./cards.ts";
import { isToMake } from "./statuses.ts";

/** From here on a note is smaller, and flows around the button. */
export const longNote = 40;

/** The note, and the one before a change. One that the group's head says is left out. */
export function notesOf({ order, mark }: CardOrder, groupNote: string): readonly Child[] {
  const { note = "" } = order;
  const before = mark?.type === "changed" ? mark.before.note ?? "" : note;
  const hasChanged = before !== note;
  return [
    (note !== groupNote || hasChanged) && noteView(note, hasChanged ? "added" : "same"),
    hasChanged && noteView(before, "removed"),
  ];
}

type ChangeKind = "added" | "removed" | "same";

export function noteView(note: string, kind: ChangeKind): Child {
  return note !== "" && h("p", {
    key: `note ${kind}`,
    class: classes("note", [...note].length > longNote && "long", kind === "removed" && "gone"),
  },
    icon("note"), kind === "added" && "+ ", h(kind === "removed" ? "s" : "bdi", {}, note));
}

export function tag(text: string, look = ""): View {
  return h("b", { class: `tag ${look}` }, text);
}

/** A pizza that everybody in the kitchen knows by its name has its toppings in running text. */
export function contentsOf(menu: Menu, cardOrder: CardOrder): View {
  const { order, mark } = cardOrder;
  const before = mark?.type === "changed" ? mark.before : order;
  const remark: Remark = (kind, id) => isToMake(order) && isSoldOut(menu, kind, id)
    ? [" ", h("span", { class: "remark" }, t("sold out"))] : [];
  const lines = (
    kind: MenuKind, itemsIn: (order: Order) => readonly Reference[],
  ): readonly View[] => diffItems(itemsIn(before), itemsIn(order)).map((item) =>
    itemLine(kind, item, item.change === "removed" ? [] : remark(kind, item.id)));
  const name = before === order ? pizzaName(order, menu.shop.pizzas) : undefined;
  const sizes = name !== undefined ? [nameLine(name, order, remark)]
    : lines("pizzasizes", ({ pizzaSize }) => [pizzaSize]);
  const toppings = name !== undefined ? [runningText(order, remark)]
    : lines("toppings", (one) => one.toppings);
  return h("ul", { class: "contents" },
    mark?.type === "failed" && h("li", { key: "failed", class: "failed" },
      h("span", { role: "alert" }, t("Not sent. Press again."))),
    indexLine(cardOrder), ...sizes, markLine(cardOrder), ...toppings,
    ...lines("beverages", (one) => one.beverages));
}

/** The words that an item is sold out, while that still matters. */
type Remark = (kind: MenuKind, id: string) => readonly Child[];

/** Which pizza of a group it is: beside the size. */
function indexLine({ index }: CardOrder): Child {
  return index > 0 && h("li", { key: "index", class: "which" },
    unseen(t("Pizza {number}", { number: index })),
    h("i", { class: "ring", "aria-hidden": "true" }, number(index)));
}

/** For an order alone, the head of the card says so. */
function markLine({ index, mark }: CardOrder): Child {
  const text = mark?.type === "changed" ? tag(t("Changed"), "changed")
    : mark?.type === "cancelled" && tag(t("Cancelled"));
  return index > 0 && text !== false && h("li", { key: "mark" }, text);
}

function nameLine(name: string, { pizzaSize }: Order, remark: Remark): View {
  return h("li", { key: "pizza", class: "size" },
    h("bdi", {}, name), comma, h("bdi", {}, pizzaSize.name),
    ...remark("pizzasizes", pizzaSize.id));
}

function runningText({ toppings }: Order, remark: Remark): View {
  return h("li", { key: "running", class: "running" },
    ...tally(toppings).flatMap(({ id, text, count }, index) => [
      index > 0 && comma,
      h("bdi", { class: classes(count > 1 && "strong") }, text),
      ...remark("toppings", id),
    ]));
}

const looks: Readonly<Record<MenuKind, string>> = {
  pizzasizes: "size", toppings: "topping", beverages: "drink",
};

function itemLine(
  kind: MenuKind, { id, text, count, change }: ItemChange, remark: readonly Child[],
): View {
  const isStrong = count > 1 || change === "added";
  return h("li", {
    key: `${kind} ${id} ${change}`,
    class: classes(looks[kind], isStrong && "strong", change === "removed" && "gone"),
  },
    kind === "beverages" && icon("glass"),
    change === "added" && "+ ", h(change === "removed" ? "s" : "bdi", {}, text),
    ...remark);
}

interface ItemChange extends Line {
  readonly change: ChangeKind;
}

function diffItems(
  before: readonly Reference[], now: readonly Reference[],
): readonly ItemChange[] {
  const [old, lines] = [tally(before), tally(now)];
  const has = (all: readonly Line[], line: Line): boolean =>
    all.some(({ id, count }) => id === line.id && count === line.count);
  return [
    ...lines.map((line): ItemChange => ({ ...line, change: has(old, line) ? "same" : "added" })),
    ...old.filter((line) => !has(lines, line))
      .map((line): ItemChange => ({ ...line, change: "removed" })),
  ];
}
