/** The contents of an order on its card: the note, then size, toppings and drinks. */

import { isBase } from "../drawing/cheeses.ts";
import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { lookOfDrink } from "../drawing/drinks.ts";
import { isSoldOut, type Line, type Menu, tally } from "../shared/menu.ts";
import type { MenuKind, Reference } from "../shared/types.ts";
import { comma, number, t } from "../shared/words.ts";
import type { Card, Part } from "./cards.ts";

/** `above`: the note in the head of a group, which is not said again. */
export function noteLines({ order, mark }: Part, above = ""): readonly Child[] {
  const { note = "" } = order;
  const before = mark?.type === "changed" ? mark.before.note ?? "" : note;
  return [
    (note !== above || before !== note) && noteLine(note, before !== note && "+ "),
    before !== note && noteLine(before, false, "s"),
  ];
}

/** More than so many letters are smaller, and flow around the button. */
export const longNote = 40;

export function noteLine(note: string, sign: string | false = false, tag = "bdi"): Child {
  return note !== "" && h("p", { key: `note ${tag}`, class: classes("note",
    [...note].length > longNote && "long", tag === "s" && "gone") },
    icon("note"), sign, h(tag, {}, note));
}

export function tag(text: string, look = ""): View {
  return h("b", { class: `tag ${look}` }, text);
}

export function contentsOf(menu: Menu, { stage }: Card, part: Part): View {
  const { order, mark, number: of } = part;
  const before = mark?.type === "changed" ? mark.before : order;
  const toppings = toldOf(order.toppings, before.toppings);
  const isBaseLine = ({ name, count, news }: Told): boolean =>
    news === "" && count === 1 && isBase(name);
  const base = toppings.filter(isBaseLine);
  // From Ready on, sold-out items do not matter.
  const matters = stage === "Pending" || stage === "Preparing";
  const remark = (kind: MenuKind, id: string): Child[] => matters && isSoldOut(menu, kind, id)
    ? [" ", h("span", { class: "remark" }, t("sold out"))] : [];
  const show = (kind: MenuKind, look: string, head: Child = undefined) =>
    ({ id, name, text, count, news }: Told): View => h("li", {
      key: `${kind} ${id} ${news}`,
      class: classes(look, (count > 1 || news === "+") && "strong", news === "-" && "gone"),
    },
      head, kind === "beverages" && icon(lookOfDrink(name).shape),
      news === "+" && "+ ", h(news === "-" ? "s" : "bdi", {}, text),
      ...news === "-" ? [] : remark(kind, id));
  const ring = of > 0 && h("span", {},
    unseen(t("Pizza {number}", { number: of })),
    h("i", { class: "ring", "aria-hidden": "true" }, number(of)));
  const mine = of === 0 ? undefined : mark?.type === "changed" ? tag(t("Changed"), "changed")
    : mark?.type === "cancelled" && tag(t("Cancelled"));
  return h("ul", { class: "contents" },
    mark?.type === "failed" && h("li", { key: "failed", class: "failed", role: "alert" },
      t("Not sent. Press again.")),
    ...toldOf([order.pizzaSize], [before.pizzaSize]).map((line, index) =>
      show("pizzasizes", "size", index === 0 && ring)(line)),
    mine && h("li", { key: "tag" }, mine),
    base.length > 0 && h("li", { key: "base", class: "base" },
      ...base.flatMap(({ id, name }, index) => [
        index > 0 && comma, h("bdi", {}, name), ...remark("toppings", id),
      ])),
    ...toppings.filter((line) => !isBaseLine(line)).map(show("toppings", "topping")),
    ...toldOf(order.beverages, before.beverages).map(show("beverages", "drink")));
}

/** `news`: "+" was added, "-" was removed. */
interface Told extends Line {
  readonly news: "" | "+" | "-";
}

function toldOf(now: readonly Reference[], before: readonly Reference[]): readonly Told[] {
  const [lines, old] = [tally(now), tally(before)];
  const isIn = (all: readonly Line[], { id, count }: Line): boolean =>
    all.some((one) => one.id === id && one.count === count);
  return [
    ...lines.map((line) => ({ ...line, news: isIn(old, line) ? "" : "+" } as const)),
    ...old.filter((line) => !isIn(lines, line)).map((line) => ({ ...line, news: "-" } as const)),
  ];
}
