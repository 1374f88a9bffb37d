/** The menu to choose from, with the running summary beside it. */

import { arrange, button, byId, el, part, setText, unseen } from "./dom.ts";
import { changeDraft, countOf, draft, mostOfAKind } from "./draft.ts";
import type { ExtraKind } from "./draft.ts";
import { menu, notesOn } from "./menu.ts";
import type { Beverage, MenuItem, PizzaSize, Topping } from "./menu.ts";
import { tally } from "./order.ts";
import { drawPizza } from "./pizza-picture.ts";

interface Row {
  readonly item: MenuItem;
  readonly element: HTMLElement;
  readonly update: () => void;
}

const rows = new Map<string, Row>();
const picture = document.querySelector("aside svg");

/** Rows of items that did not change stay the very same elements, and keep the focus. */
export function showMenu(): void {
  const sizes = [...menu.pizzasizes.values()]
    .sort((a, b) => a.diameterInInches - b.diameterInInches);
  arrange(part("sizes"), sizes.map((size) => row("pizzasizes", size, sizeRow)));
  for (const kind of ["toppings", "beverages"] as const) {
    arrange(part(kind), [...menu[kind].values()].map((item) =>
      row(kind, item, () => extraRow(kind, item))));
  }
  showDraft();
}

export function showDraft(): void {
  for (const { update } of rows.values()) update();
  summarize();
}

function row<T extends MenuItem>(
  kind: string, item: T, make: (item: T) => Omit<Row, "item">,
): HTMLElement {
  const key = `${kind}/${item.id}`;
  const known = rows.get(key);
  if (known !== undefined && JSON.stringify(known.item) === JSON.stringify(item)) {
    return known.element;
  }
  const made = { item, ...make(item) };
  rows.set(key, made);
  return made.element;
}

function sizeRow(size: PizzaSize): Omit<Row, "item"> {
  const radio = el("input", { type: "radio", name: "size" });
  radio.addEventListener("change", () => {
    changeDraft({ size: size.id });
    summarize();
  });
  const disc = el("span", { class: "disc" });
  const element = el("label", {}, radio, disc, el("b", {}, size.name), note(size));
  const update = () => {
    radio.checked = draft().size === size.id;
    disc.style.setProperty("--width", String(relative(size)));
  };
  return { element, update };
}

function extraRow(kind: ExtraKind, item: Topping | Beverage): Omit<Row, "item"> {
  const count = el("b", { class: "count" });
  const set = (ids: readonly string[]) => {
    if (ids.length > mostOfAKind) {
      setText(part("place-note"), `An order holds at most ${mostOfAKind} ${kind}.`);
      return;
    }
    changeDraft({ [kind]: ids });
    update();
    summarize();
    setText(part("said"), `${item.name}: ${countOf(kind, item.id)}`);
  };
  const more = button("more", () => { set([...draft()[kind], item.id]); },
    el("span", { class: "name" }, unseen("Add "), item.name, " ", note(item)),
    count, el("span", { class: "plus", "aria-hidden": "true" }, "+"));
  const less = button("less", () => {
    const last = draft()[kind].lastIndexOf(item.id);
    set(draft()[kind].filter((_, index) => index !== last));
    if (less.hidden) more.focus();
  }, "−", unseen(` one ${item.name} less`));
  const element = el("li", {}, more, less);
  const update = () => {
    const times = countOf(kind, item.id);
    setText(count, times === 0 ? "" : `${times}×`);
    element.classList.toggle("chosen", times > 0);
    less.hidden = times === 0;
  };
  return { element, update };
}

function note(item: MenuItem): HTMLElement {
  const diet = "isVegan" in item ? item.isVegan ? "vegan" : item.isVegetarian ? "vegetarian" : ""
    : "";
  return el("span", { class: `note ${diet}` }, notesOn(item));
}

function summarize(): void {
  const { toppings, beverages } = draft();
  const size = menu.pizzasizes.get(draft().size);
  const lines = (kind: ExtraKind) => tally(draft()[kind].map((id) =>
    ({ id, name: menu[kind].get(id)?.name ?? id })));
  const first = size === undefined ? "Choose a size" : `${size.name}, ${notesOn(size)}`;
  byId("summary", HTMLUListElement).replaceChildren(el("li", {}, first),
    ...[...lines("toppings"), ...lines("beverages")].map(({ text }) => el("li", {}, text)));
  setText(part("short"), [
    size?.name ?? "No size yet", amount(toppings, "topping"), amount(beverages, "drink"),
  ].join(" · "));
  if (picture !== null) drawPizza(picture, size === undefined ? 0.5 : relative(size), toppings);
}

/** Its diameter between the smallest (0) and the largest (1) on the menu. */
function relative({ diameterInInches }: PizzaSize): number {
  const all = [...menu.pizzasizes.values()].map((size) => size.diameterInInches);
  const least = Math.min(...all);
  return (diameterInInches - least) / (Math.max(...all) - least || 1);
}

function amount({ length }: readonly string[], word: string): string {
  return `${length} ${word}${length === 1 ? "" : "s"}`;
}
