/** Tiles as elements: a press on one adds what it names, and − takes it off. */

import { toppingPicture } from "../drawing/pizza.ts";
import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { isSoldOut, type MenuItem, notesOn } from "../shared/menu.ts";
import { numberText, t } from "../shared/words.ts";
import { countOf, type ExtraKind } from "./basket.ts";
import type { State } from "./state.ts";
import { canOrder } from "./step.ts";
import { leaf } from "./text-views.ts";

/** `chosen`: the ids of all that is chosen of that kind. */
export function itemTile(
  state: State, kind: ExtraKind, item: MenuItem, chosen: readonly string[],
  add: (id: string) => void, remove: (id: string) => void,
): View {
  const { id, name, description } = item;
  const count = countOf(chosen, id);
  const isOut = isSoldOut(state.menu, kind, id);
  const isChosen = count > 0;
  return h("li", { key: id, class: classes("tile", isChosen && "chosen", isOut && "sold-out") },
    h("button", { class: "plain more", onclick: canOrder(state, kind, id) && (() => { add(id); }) },
      kind === "toppings" && toppingPicture(name),
      h("span", { class: "name" },
        unseen(`${t("Add")} `), h("bdi", {}, name), " ", leaf(item), " ",
        isOut && h("span", { class: isChosen ? "tag amber" : "soft small" }, t("sold out")),
        kind === "beverages" && !isOut && h("span", { class: "soft small" }, notesOn(item)),
        description !== undefined && h("span", { class: "soft small" }, description)),
      countView(count, isOut)),
    isChosen && lessButton(name, () => { remove(id); }));
}

/** How many there are, in place of +. */
export function countView(count: number, isOut: boolean): Child {
  return count > 0 ? h("span", {
    key: "count", class: classes("count display round center", isOut ? "amber" : "green"),
  }, numberText(count))
    : !isOut && icon("plus");
}

/** − takes the place of the picture. */
export function lessButton(name: string, onclick: () => void): View {
  return h("button", {
    key: "less", class: "plain tight less", "aria-label": t("One {name} less", { name }), onclick,
  }, h("span", { class: "round center" }, icon("minus")));
}
