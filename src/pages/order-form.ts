/**
 * The menu to choose from, and the search in it. Nothing moves when something is chosen: a row has
 * its place for the count and for − from the beginning.
 */

import {
  basket, choose, chooseSize, chosen, mostOfAKind, mostPizzas, pizza, type ExtraKind,
} from "./basket.ts";
import { arrange, button, byId, el, onClick, part, setText, unseen } from "./dom.ts";
import { isSoldOut, menu, notesOn } from "./menu.ts";
import type { Beverage, MenuItem, MenuKind, PizzaSize, Topping } from "./menu.ts";
import { isStaff } from "./session.ts";
import { number, t } from "./words.ts";

interface Row {
  readonly item: MenuItem;
  readonly element: HTMLElement;
  readonly update: () => void;
}

const rows = new Map<string, Row>();
const search = byId("search", HTMLInputElement);
const diets = { isVegetarian: part("vegetarian"), isVegan: part("vegan") };
let changed: () => void = () => undefined;

/** `tell` is called after everything that is chosen here. */
export function onChoice(tell: () => void): void {
  changed = tell;
}

/** Rows of items that did not change stay the very same elements, and keep the focus. */
export function showMenu(): void {
  const sizes = [...menu.pizzasizes.values()]
    .sort((a, b) => a.diameterInInches - b.diameterInInches);
  arrange(part("sizes"), sizes.map((size) => row("pizzasizes", size, sizeRow)));
  for (const kind of ["toppings", "beverages"] as const) {
    arrange(part(kind), [...menu[kind].values()].map((item) =>
      row(kind, item, () => extraRow(kind, item))));
  }
  filter();
  showChoices();
}

/** Shows what is chosen in its place on the menu. */
export function showChoices(): void {
  for (const { update } of rows.values()) update();
  const { pizzas, current } = basket();
  const [at, total] = [current + 1, pizzas.length];
  part("which").hidden = total === 1;
  setText(part("which"), t("Pizza {number} of {total}", { number: at, total }));
  part("another").hidden = total >= mostPizzas;
}

/** Whether this person may order it: staff know better than the list of what is sold out. */
export function canOrder(kind: MenuKind, id: string): boolean {
  return isStaff() || !isSoldOut(kind, id);
}

/** A size's diameter between the smallest (0) and the largest (1) on the menu. */
export function relativeWidth({ diameterInInches }: PizzaSize): number {
  const all = [...menu.pizzasizes.values()].map((size) => size.diameterInInches);
  const least = Math.min(...all);
  return (diameterInInches - least) / (Math.max(...all) - least || 1);
}

/** One more, or one less, of an item. Returns whether it could be. */
export function addOne(kind: ExtraKind, id: string, at?: number): boolean {
  const ids = chosen(kind, at);
  if (ids.length >= mostOfAKind || !canOrder(kind, id)) return false;
  choose(kind, [...ids, id], at);
  return true;
}

export function takeOne(kind: ExtraKind, id: string, at?: number): void {
  const ids = chosen(kind, at);
  const last = ids.lastIndexOf(id);
  choose(kind, ids.filter((_, index) => index !== last), at);
}

/** Heard by those who do not see the count. */
export function sayCount(kind: ExtraKind, id: string, at?: number): void {
  const name = menu[kind].get(id)?.name ?? id;
  const times = chosen(kind, at).filter((one) => one === id).length;
  setText(part("said"), t("{name}: {number}", { name, number: times }));
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
    chooseSize(size.id);
    changed();
  });
  const disc = el("span", { class: "disc" });
  const note = el("span", { class: "note" });
  const element = el("label", {}, radio, el("span", { class: "table" }, disc),
    el("b", {}, size.name), note);
  const update = () => {
    radio.checked = pizza().size === size.id;
    radio.disabled = !canOrder("pizzasizes", size.id);
    element.classList.toggle("sold-out", isSoldOut("pizzasizes", size.id));
    setText(note, isSoldOut("pizzasizes", size.id) ? t("sold out") : notesOn(size));
    disc.style.setProperty("--width", String(relativeWidth(size)));
  };
  return { element, update };
}

function extraRow(kind: ExtraKind, item: Topping | Beverage): Omit<Row, "item"> {
  const { id, name } = item;
  const count = el("b", { class: "count" });
  const note = el("span", { class: "note" });
  const done = () => {
    sayCount(kind, id);
    changed();
  };
  const more = button("more", () => { if (addOne(kind, id)) done(); },
    unseen(`${t("Add")} `), el("span", { class: "name" }, name, " ", note), count);
  const less = button("less", () => {
    takeOne(kind, id);
    if (!chosen(kind).includes(id)) more.focus({ preventScroll: true });
    done();
  }, "−");
  less.setAttribute("aria-label", t("One {name} less", { name }));
  const update = () => {
    const times = chosen(kind).filter((one) => one === id).length;
    const soldOut = isSoldOut(kind, id);
    setText(count, times === 0 ? "+" : `${number(times)}×`);
    setText(note, soldOut ? t("sold out") : notesOn(item));
    note.className = `note ${soldOut ? "" : dietOf(item)}`;
    element.classList.toggle("chosen", times > 0);
    element.classList.toggle("sold-out", soldOut);
    more.setAttribute("aria-disabled", String(!canOrder(kind, id)));
    less.classList.toggle("away", times === 0);
  };
  const element = el("li", {}, more, less);
  return { element, update };
}

function dietOf(item: MenuItem): string {
  if (!("isVegan" in item)) return "";
  return item.isVegan ? "vegan" : item.isVegetarian ? "vegetarian" : "";
}

/** Shows what the search and the two switches leave over. */
function filter(): void {
  const words = plain(search.value).split(/\s+/);
  const isWanted = (item: MenuItem) => words.every((word) => plain(item.name).includes(word))
    && Object.entries(diets).every(([field, { ariaPressed }]) =>
      ariaPressed !== "true" || !(field in item) || item[field as keyof MenuItem]);
  let found = 0;
  for (const kind of ["toppings", "beverages"] as const) {
    let shown = 0;
    for (const item of menu[kind].values()) {
      const { element } = rows.get(`${kind}/${item.id}`) ?? {};
      if (element === undefined) continue;
      element.hidden = !isWanted(item);
      if (!element.hidden) shown += 1;
    }
    part(`${kind}-section`).hidden = shown === 0;
    found += shown;
  }
  const isNarrowed = search.value.trim() !== ""
    || Object.values(diets).some(({ ariaPressed }) => ariaPressed === "true");
  setText(part("found"), !isNarrowed ? "" : found === 0 ? t("Nothing on the menu is called that.")
    : t("{count} found", { count: found }));
}

/** As people type: "jalapeno" finds "Jalapeño". */
function plain(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().trim();
}

search.addEventListener("input", filter);
for (const id of ["vegetarian", "vegan"]) {
  onClick(id, () => {
    const toggle = part(id);
    toggle.ariaPressed = String(toggle.ariaPressed !== "true");
    filter();
  });
}
