/** Tiles as elements: a press on one adds what it names, and − takes it off. */

import { toppingPicture } from "../drawing/pizza.ts";
import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { isSoldOut, type MenuItem, notesOn } from "../shared/menu.ts";
import { numberText, t } from "../shared/words.ts";
import { countOf, type ExtraKind } from "./basket.ts";
import { canOrder } from "./obstacles.ts";
import type { State } from "./state.ts";
import { leaf } from "./text-views.ts";

interface Tile {
  readonly key: string;
  readonly name: string;
  /** How many are chosen. */
  readonly count: number;
  /** Sold out. */
  readonly isOut: boolean;
  /** False: it cannot be added now. */
  readonly add: (() => void) | false;
  readonly remove: () => void;
}

/** `lines`: its name and what is said of it. `below`: what is no part of its button. */
export function tileView(
  { key, name, count, isOut, add, remove }: Tile, picture: Child,
  lines: readonly Child[], ...below: readonly Child[]
): View {
  const isChosen = count > 0;
  return h("li", { key, class: classes("tile", isChosen && "chosen", isOut && "sold-out") },
    h("button", { class: "plain tile-button", onclick: add }, picture,
      h("span", { class: "tile-text" }, ...lines),
      // How many there are, in place of +.
      isChosen ? h("span", {
        key: "count", class: classes("tile-count display round center", isOut ? "amber" : "green"),
      }, numberText(count)) : !isOut && icon("plus")),
    // − takes the place of the picture.
    isChosen && h("button", {
      key: "less", class: "plain tight less", "aria-label": t("One {name} less", { name }),
      onclick: remove,
    }, h("span", { class: "round center" }, icon("minus"))),
    ...below);
}

/** A topping or a drink. `chosen`: the ids of all that is chosen of its kind. */
export function itemTile(
  state: State, kind: ExtraKind, item: MenuItem, chosen: readonly string[],
  add: (id: string) => void, remove: (id: string) => void,
): View {
  const { id, name, description } = item;
  const count = countOf(chosen, id);
  const isOut = isSoldOut(state.menu, kind, id);
  return tileView({
    key: id, name, count, isOut, add: canOrder(state, kind, id) && (() => { add(id); }),
    remove: () => { remove(id); },
  }, kind === "toppings" && toppingPicture(name), [
    unseen(`${t("Add")} `), h("bdi", {}, name), " ", leaf(item), " ",
    isOut && h("span", { class: count > 0 ? "tag amber" : "soft small" }, t("sold out")),
    kind === "beverages" && !isOut && h("span", { class: "soft small" }, notesOn(item)),
    description !== undefined && h("span", { class: "soft small" }, description),
  ]);
}
