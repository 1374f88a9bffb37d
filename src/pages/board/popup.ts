/** The menu behind `⋯`, of a card or of a row of the menu tab: what it holds and where it lies. */

import { button, type Child, h, unseen, type View } from "../shared/dom.ts";
import { itemOf } from "../shared/menu.ts";
import type { MenuKind } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { actions } from "./actions.ts";
import { type Card, columnsOf, isThere, movable } from "./cards.ts";
import { canAct, set, state, type State } from "./state.ts";

/** Opens the menu of a card or a row. */
export function moreButton(of: string, name: string, state: State): View {
  const isOpen = state.popup === of || state.popup?.startsWith(`${of}/`) === true;
  return button("popup", of, {
    class: "more", "aria-haspopup": "menu", "aria-expanded": String(isOpen), "data-guard": of,
    "aria-label": t("More for {name}", { name }), disabled: !canAct(state),
  }, "⋯");
}

export function popupOf(state: State): Child {
  const { popup: of } = state;
  if (of === undefined) return undefined;
  const card = Object.values(columnsOf(state)).flat().find(({ key }) =>
    of === key || of.startsWith(`${key}/`));
  const [name, items] = card !== undefined ? cardMenu(card, of.slice(card.key.length + 1))
    : itemMenu(state, of);
  return items.length === 0 ? undefined : h("div", {
    key: "popup", class: "popup", role: "menu", "aria-label": t("More for {name}", { name }),
    "data-guard": of,
  }, h("p", { class: "display", "aria-hidden": "true" }, h("bdi", {}, name)), ...items);
}

type Menu = readonly [name: string, items: readonly View[]];

function item(action: string, about: string, label: string, name: string, look = ""): View {
  return button(action, about, {
    key: `${action} ${about}`, role: "menuitem", class: look, tabindex: -1,
  }, label, unseen(` ${name}`));
}

/** `part`: the one order that it is about. Several orders lead to the menu of each. */
function cardMenu(card: Card, part: string): Menu {
  const { name, stage, parts, key } = card;
  const { other, main, more } = actions[stage];
  const number = parts.find(({ order }) => order.id === part)?.number;
  const about = number === undefined ? name : `${name} · ${t("Pizza {number}", { number })}`;
  const ids = movable(card).filter((id) => part === "" || id === part);
  const of = ids.join(" ");
  const isGroup = card.group !== undefined;
  const moves = [
    // On a card alone they are buttons.
    ...part !== "" ? [main] : [], ...isGroup && other !== undefined ? [other] : [], ...more,
  ];
  const open = parts.filter(isThere);
  return [about, ids.length === 0 ? [] : [
    ...isGroup && part === "" && open.length > 1 ? open.map(({ order, number: of }) =>
      item("popup", `${key}/${order.id}`, t("Pizza {number}", { number: of }), name, "leads")) : [],
    ...moves.map(([to, label]) => item("move", `${of}/${to}`, label, about)),
    item("print", of, t("Print ticket"), about),
    item("move", `${of}/Cancelled`, t("Cancel order"), about, "apart"),
  ]];
}

function itemMenu(state: State, of: string): Menu {
  const [kind = "", id = ""] = of.split("/");
  const name = itemOf(state.menu, kind as MenuKind, id)?.name;
  return name === undefined ? ["", []] : [name, [
    item("change", of, t("Change"), name), item("duplicate", of, t("Duplicate"), name),
    item("remove", of, t("Remove"), name, "apart"),
  ]];
}

/** Space between a menu and what is around it. */
const gapPx = 4;

/**
 * Puts the open menu over what its card or row says, never over a main button. On a narrow card it
 * lies between its own buttons and the next card's, or above them where there is more room; on a
 * wide card beside its buttons; on a row of the menu tab at the end.
 */
export function placePopup(): void {
  const popup = document.querySelector<HTMLElement>(".popup");
  const button = document.querySelector<HTMLElement>(".more[aria-expanded=true]");
  const row = button?.closest("li");
  if (!popup || !button || !row) return;
  popup.style.maxBlockSize = popup.style.maxInlineSize = "";
  popup.classList.remove("tight");
  const startOf = ({ left, right }: DOMRect): number =>
    document.dir === "rtl" ? innerWidth - right : left;
  const [dots, card, ways] = [button.getBoundingClientRect(), row.getBoundingClientRect(),
    waysOf(row)];
  const isNarrow = ways !== undefined && ways.width > card.width / 2;
  const width = !ways ? popup.offsetWidth
    : (isNarrow ? card.width : startOf(ways) - startOf(card)) - 2 * gapPx;
  popup.style.maxInlineSize = `${width}px`;
  popup.style.insetInlineStart = `${ways ? startOf(card) + gapPx
    : startOf(dots) + dots.width - width}px`;

  const own = isNarrow ? ways : dots;
  const [before, next] = isNarrow
    ? [waysOf(row.previousElementSibling), waysOf(row.nextElementSibling)] : [];
  const above = own.top - Math.max(0, before?.bottom ?? 0) - 2 * gapPx;
  const below = Math.min(innerHeight, next?.top ?? innerHeight) - own.bottom - 2 * gapPx;
  // The card beside it has the same name.
  popup.classList.toggle("tight", popup.offsetHeight > Math.max(above, below));
  const goesUp = popup.offsetHeight > below && above > below;
  popup.style.maxBlockSize = `${Math.max(goesUp ? above : below, 0)}px`;
  popup.style.top = `${goesUp ? own.top - gapPx - popup.offsetHeight : own.bottom + gapPx}px`;
}

function waysOf(card: Element | null): DOMRect | undefined {
  return card?.querySelector(".ways")?.getBoundingClientRect();
}

/** The focus goes back to the button that opened the menu. */
export function closePopup(): void {
  if (state().popup === undefined) return;
  const button = document.querySelector<HTMLElement>(".more[aria-expanded=true]");
  if (document.activeElement?.closest(".popup")) button?.focus({ preventScroll: true });
  set({ popup: undefined });
}

/** After each draw: the menu stays with its card, and takes the focus when it opens. */
export function showPopup(): void {
  const popup = document.querySelector<HTMLElement>(".popup");
  if (popup === null) return;
  placePopup();
  if (popup.dataset["shown"] === state().popup) return;
  popup.dataset["shown"] = state().popup ?? "";
  popup.querySelector("button")?.focus({ preventScroll: true });
}
