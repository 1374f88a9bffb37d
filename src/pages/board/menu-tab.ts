/** The menu and the shop as staff work them: sold out and back in one press, open and close. */

import { button, classes, h, type View } from "../shared/dom.ts";
import { isSoldOut, type MenuItem, menuKinds, notesOn } from "../shared/menu.ts";
import { isFoundBy, searchField } from "../shared/parts.ts";
import type { MenuKind } from "../shared/types.ts";
import { t, timeText } from "../shared/words.ts";
import { moreButton } from "./bar.ts";
import { canAct, type State } from "./state.ts";

const titles: Readonly<Record<MenuKind, string>> = {
  pizzasizes: t("Sizes"), toppings: t("Toppings"), beverages: t("Drinks"),
};

/** The longest first: on a wide screen the others stand beside it. */
const kindsShown: readonly MenuKind[] = ["toppings", "pizzasizes", "beverages"];

export const addTitles: Readonly<Record<MenuKind, string>> = {
  pizzasizes: t("Add a size"), toppings: t("Add a topping"), beverages: t("Add a drink"),
};

const sixInTheEvening = new Date(2026, 0, 1, 18);

export function menuTab(state: State): View {
  return h("main", { key: "menu", id: "menu" },
    shopForm(state), searchBar(state),
    h("div", { class: "kinds" }, ...kindsShown.map((kind) => kindSection(state, kind))));
}

function shopForm(state: State): View {
  const { shop } = state.menu;
  const isActive = canAct(state);
  const field = (name: "notice" | "name", label: string, more: object): View =>
    h("label", { class: `${name}-field` }, h("span", { class: "soft" }, label), h("input", {
      name, value: shop[name], autocomplete: "off", readonly: !isActive, ...more,
    }));
  return h("form", { class: "shop", "data-do": "save-shop" },
    h("h2", {}, shop.isOpen ? t("The shop is open.") : t("The shop is closed.")),
    isActive && button("turn-shop", "", { "data-guard": String(shop.isOpen) },
      shop.isOpen ? t("Close the shop") : t("Open the shop")),
    field("notice", t("Notice"), {
      maxlength: 500, placeholder: t("Back at {time}", { time: timeText(sixInTheEvening) }),
    }),
    field("name", t("Name"), { maxlength: 200 }),
    isActive && h("button", { type: "submit" }, t("Save")));
}

function searchBar({ menu, menuSearch }: State): View {
  const all = menuKinds.flatMap((kind) => menu[kind].map(({ id }) => isSoldOut(menu, kind, id)));
  const count = all.filter(Boolean).length;
  const isFound = menuKinds.some((kind) =>
    menu[kind].some(({ name }) => isFoundBy(menuSearch, name)));
  return h("div", { class: "find", role: "search" },
    searchField("search-menu", menuSearch, t("Search the menu")),
    h("p", { class: "soft", role: "status" },
      isFound || all.length === 0 ? t("{count} of {total} sold out", { count, total: all.length })
        : t("Nothing on the menu has that name.")));
}

function kindSection(state: State, kind: MenuKind): View {
  const { menu, menuSearch } = state;
  const items: readonly MenuItem[] = menu[kind];
  return h("section", { key: kind, class: `panel ${kind}`, "aria-labelledby": `title-${kind}` },
    h("div", { class: "panel-head" }, h("h2", { id: `title-${kind}` }, titles[kind]),
      canAct(state) && button("add", kind, { class: "plain" }, addTitles[kind])),
    h("ul", { class: "rows" }, ...items.filter((item) => isFoundBy(menuSearch, item.name))
      .map((item) => menuRow(state, kind, item))));
}

function menuRow(state: State, kind: MenuKind, item: MenuItem): View {
  const { menu } = state;
  const { id, name } = item;
  const isOut = isSoldOut(menu, kind, id);
  const of = `${kind}/${id}`;
  const label = `name-${kind}-${id}`;
  const notes = notesOn(item);
  return h("li", { key: id, class: isOut && "is-out", "data-guard": id },
    h("p", {}, h("bdi", { id: label }, name),
      notes !== "" && h("span", { class: "soft small" }, notes)),
    button("sold-out", of, {
      class: classes("plain switch", isOut && "out"), role: "switch",
      "aria-checked": String(!isOut), "aria-disabled": !canAct(state) && "true",
      "aria-label": `${isOut ? t("Sold out") : t("Available")}: ${name}`,
    },
      // Both words share a cell, so that the switch is as wide as the longer in any language.
      h("span", { class: "label" },
        h("span", { class: isOut && "unused" }, t("Available")),
        h("span", { class: !isOut && "unused" }, t("Sold out"))),
      h("i", { class: "track" })),
    moreButton(of, name, state));
}
