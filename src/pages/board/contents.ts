/** What an order holds, on its card: the note, then size, toppings and drinks. */

import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { isSoldOut, type Line, type Menu, tally } from "../shared/menu.ts";
import { pizzaName } from "../shared/orders.ts";
import type { MenuKind, Reference } from "../shared/types.ts";
import { comma, number, t } from "../shared/words.ts";
import { isKept, type Part } from "./cards.ts";
import { ways } from "./ways.ts";

/** From here on a note is smaller, and flows around the button. */
export const longNote = 40;

/** The part's note, and the one before a change. One that the group's head says is left out. */
export function notesOf({ order, mark }: Part, groupNote: string): readonly Child[] {
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

export function contentsOf(menu: Menu, part: Part): View {
  const { order, mark, number: partNumber } = part;
  const before = mark?.type === "changed" ? mark.before : undefined;
  const isToMake = ways[order.status].isToMake;
  const lines = (kind: MenuKind, now: readonly Reference[], old = now): readonly View[] =>
    diffItems(old, now).map((item) =>
      itemView(kind, item, isToMake && isSoldOut(menu, kind, item.id)));
  const pizza = before === undefined ? pizzaName(order, menu.shop.pizzas) : undefined;
  const ring = partNumber > 0 && h("span", {},
    unseen(t("Pizza {number}", { number: partNumber })),
    h("i", { class: "ring", "aria-hidden": "true" }, number(partNumber)));
  const partTag = partNumber > 0 && (before !== undefined ? tag(t("Changed"), "changed")
    : !isKept(part) && tag(t("Cancelled")));
  return h("ul", { class: "contents" },
    mark?.type === "failed" && h("li", { key: "failed", class: "failed" },
      h("span", { role: "alert" }, t("Not sent. Press again."))),
    pizza !== undefined && h("li", { key: "pizza", class: "size" }, ring, h("bdi", {}, pizza),
      comma, h("bdi", {}, order.pizzaSize.name),
      ...isToMake && isSoldOut(menu, "pizzasizes", order.pizzaSize.id) ? soldOutTag() : []),
    ...pizza !== undefined ? [] : sizeLines(lines, part, ring),
    partTag && h("li", { key: "tag" }, partTag),
    ...pizza !== undefined ? [runningText(menu, order.toppings, isToMake)]
      : lines("toppings", order.toppings, before?.toppings),
    ...lines("beverages", order.beverages, before?.beverages));
}

type Lines = (
  kind: MenuKind, now: readonly Reference[], old?: readonly Reference[],
) => readonly View[];

/** The first of them carries the ring with the part's number. */
function sizeLines(lines: Lines, { order, mark }: Part, ring: Child): readonly View[] {
  const before = mark?.type === "changed" ? [mark.before.pizzaSize] : undefined;
  const [first, ...others] = lines("pizzasizes", [order.pizzaSize], before) as [View];
  return [h("li", first.attributes, ring, ...first.children), ...others];
}

/** The toppings of a pizza that everybody in the kitchen knows by its name. */
function runningText(menu: Menu, toppings: readonly Reference[], isToMake: boolean): View {
  return h("li", { key: "running", class: "running" },
    ...tally(toppings).flatMap(({ id, text, count }, index) => [
      index > 0 && comma,
      h("bdi", { class: classes(count > 1 && "strong") }, text),
      ...isToMake && isSoldOut(menu, "toppings", id) ? soldOutTag() : [],
    ]));
}

const looks: Readonly<Record<MenuKind, string>> = {
  pizzasizes: "size", toppings: "topping", beverages: "drink",
};

function itemView(kind: MenuKind, item: ItemChange, isOut: boolean): View {
  const { id, text, count, change } = item;
  const isStrong = count > 1 || change === "added";
  return h("li", {
    key: `${kind} ${id} ${change}`,
    class: classes(looks[kind], isStrong && "strong", change === "removed" && "gone"),
  },
    kind === "beverages" && icon("glass"),
    change === "added" && "+ ", h(change === "removed" ? "s" : "bdi", {}, text),
    ...change !== "removed" && isOut ? soldOutTag() : []);
}

function soldOutTag(): readonly Child[] {
  return [" ", h("span", { class: "remark" }, t("sold out"))];
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
