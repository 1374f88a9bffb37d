/**
 * The bar that `⋯` opens, for a card or a row of the menu tab. It covers the space above the
 * columns, so it covers no card and moves nothing. Its last action, which takes something away,
 * stands apart.
 */

import { button, type Child, h, icon, unseen, type View } from "../shared/dom.ts";
import { itemOf, menuKinds } from "../shared/menu.ts";
import { number, t } from "../shared/words.ts";
import { actions, statusNames } from "./actions.ts";
import { type Card, columnsOf, isThere, movable } from "./cards.ts";
import { canAct, set, state, type State } from "./state.ts";

/** Opens the bar of a card or a row. */
export function moreButton(of: string, name: string, state: State): View {
  return button("more", of, {
    class: "plain more", "aria-expanded": String(state.bar?.of === of), "data-guard": of,
    "aria-label": t("More for {name}", { name }), disabled: !canAct(state),
  }, "⋯");
}

interface Contents {
  readonly name: string;
  readonly below: Child;
  readonly acts: readonly View[];
  readonly apart: View;
}

/** Nothing where its card has left the column. */
export function barOf(state: State): Child {
  const { bar } = state;
  if (bar === undefined || !canAct(state)) return undefined;
  const card = Object.values(columnsOf(state)).flat().find(({ key }) => key === bar.of);
  const contents = card === undefined ? ofItem(state, bar.of) : ofCard(card, bar.part);
  if (contents === undefined) return undefined;
  const { name, below, acts, apart } = contents;
  return h("section", {
    key: "bar", class: "bar", "aria-label": t("More for {name}", { name }),
    "data-guard": `${bar.of} ${bar.part}`,
  },
    h("div", {}, h("h2", {}, h("bdi", {}, name)), below),
    h("div", { class: "acts" }, ...acts, h("span", { class: "apart" }, apart)),
    button("close-bar", "", { class: "plain", "aria-label": t("Close") }, icon("cross")));
}

function act(action: string, of: string, label: string, about: string): View {
  return button(action, of, { key: `${action} ${of}` }, label, unseen(` ${about}`));
}

/** A group asks first which of its orders are meant. */
function ofCard(card: Card, picked: string): Contents | undefined {
  const { name, stage, parts } = card;
  const { main, other, skip, back } = actions[stage];
  const part = parts.find(({ order }) => order.id === picked);
  const ids = movable(card).filter((id) => part === undefined || id === picked);
  const count = ids.length;
  if (count === 0) return undefined;
  const of = ids.join(" ");
  const isGroup = card.group !== undefined;
  const about = part === undefined ? name
    : `${name} · ${t("Pizza {number}", { number: part.number })}`;
  // A way that has a button on the card is left out.
  const moves = [
    isGroup && part !== undefined && stage !== "Preparing" && main,
    isGroup && other, skip,
    back !== undefined
      && ([back, t("Back to {stage}", { stage: statusNames[back] })] as const),
  ].filter((one) => one !== false && one !== undefined);
  const pick = (id: string, label: Child, text: string): View => button("pick", id, {
    "aria-pressed": String((part?.order.id ?? "") === id), "aria-label": text,
  }, label);
  const all = t("All {number}", { number: movable(card).length });
  const size = parts[0]?.order.pizzaSize;
  return {
    name,
    below: !isGroup
      ? h("p", { class: "soft" }, statusNames[stage], h("span", {}, `, ${size?.name}`))
      : movable(card).length > 1 && h("div", { class: "picks", role: "group", "aria-label": name },
        pick("", all, all), ...parts.filter(isThere).map(({ order, number: at }) =>
          pick(order.id, h("i", { class: "ring" }, number(at)), t("Pizza {number}", {
            number: at,
          })))),
    acts: [
      ...moves.map(([to, label]) => act("move", `${of}/${to}`, label, about)),
      act("print", of, isGroup ? t("Print {count} tickets", { count }) : t("Print ticket"), about),
    ],
    apart: act("move", `${of}/Cancelled`,
      isGroup ? t("Cancel {count} pizzas", { count }) : t("Cancel order"), about),
  };
}

function ofItem(state: State, of: string): Contents | undefined {
  const [kind, id = ""] = of.split("/");
  const known = menuKinds.find((one) => one === kind);
  const name = known && itemOf(state.menu, known, id)?.name;
  return name === undefined ? undefined : {
    name, below: undefined, acts: [act("change", of, t("Change"), name)],
    apart: act("remove", of, t("Remove"), name),
  };
}

/** The focus goes back to the button that opened it. */
export function closeBar(): void {
  if (state().bar === undefined) return;
  const opener = document.querySelector<HTMLElement>(".more[aria-expanded=true]");
  if (document.activeElement?.closest(".bar")) opener?.focus({ preventScroll: true });
  set({ bar: undefined });
}

/** After each draw: a bar that opens takes the focus; one whose card has left is closed. */
export function showBar(): void {
  const bar = document.querySelector<HTMLElement>(".bar");
  const { bar: opened } = state();
  if (bar === null && opened !== undefined) set({ bar: undefined });
  if (bar === null || bar.dataset["shown"] === opened?.of) return;
  bar.dataset["shown"] = opened?.of ?? "";
  bar.querySelector("button")?.focus({ preventScroll: true });
}

/** While it is open, a press elsewhere closes it and does nothing else. Escape closes it too. */
export function listenForBar(): void {
  addEventListener("click", (event) => {
    const { target } = event;
    if (document.querySelector(".bar") === null || (target as Element).closest(".bar")) return;
    event.preventDefault();
    event.stopPropagation();
    closeBar();
  }, { capture: true });
}
