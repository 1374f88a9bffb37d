/**
 * The menu to choose from, the search in it, and what is chosen, pizza by pizza. Nothing moves when
 * something is chosen: a row has its place for the count and for − from the beginning, and a line
 * that was taken off keeps its place, with a + to bring it back, until something else is done.
 */

import { isStaff } from "./api.ts";
import {
  addPizza, basket, choose, chooseSize, chosen, mostOfAKind, mostPizzas, pizza, removePizza,
  turnTo,
} from "./basket.ts";
import type { ExtraKind } from "./basket.ts";
import { arrange, ask, button, byId, el, onClick, part, setText, unseen } from "./dom.ts";
import { isSoldOut, menu, notesOn } from "./model.ts";
import type { Beverage, MenuItem, MenuKind, PizzaSize, Topping } from "./model.ts";
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

const bar = part("basket");
const unfold = part("unfold");
const picture = document.querySelector("#basket svg");
/** Elements of lines and pizzas, by where they stand: each is made once and keeps the focus. */
const elements = new Map<string, HTMLElement>();
/** Lines that were taken off and keep their places. */
const held = new Set<string>();

/** Once something is done elsewhere, what was taken off here has no place any more. */
export function letGo(): void {
  held.clear();
}

export function showSummary(): void {
  const { pizzas, current, beverages } = basket();
  const drinks = lines("beverages", 0);
  arrange(part("chosen-list"), [
    ...pizzas.map((_, at) => pizzaElement(at)),
    ...(drinks.length === 0 ? [] : [group("drinks", t("Drinks"), drinks)]),
  ]);
  const { size, toppings } = pizza();
  const chosenSize = menu.pizzasizes.get(size);
  const which = pizzas.length === 1 ? "" : `${t("Pizza {number}", { number: current + 1 })}: `;
  setText(part("short"), which + [
    chosenSize?.name ?? t("No size yet"), t("{count} toppings", { count: toppings.length }),
    ...(beverages.length === 0 ? [] : [t("{count} drinks", { count: beverages.length })]),
  ].join(" · "));
  setText(part("place"), t("Order {count} pizzas", { count: pizzas.length }));
  if (picture !== null) {
    drawPizza(picture, chosenSize === undefined ? 0.5 : relativeWidth(chosenSize), toppings);
  }
}

function pizzaElement(at: number): HTMLElement {
  const { pizzas, current } = basket();
  const size = menu.pizzasizes.get(pizza(at).size);
  const name = size === undefined ? t("No size yet") : `${size.name}, ${notesOn(size)}`;
  const isAlone = pizzas.length === 1;
  const title = isAlone ? name : `${t("Pizza {number}", { number: at + 1 })}: ${name}`;
  const element = group(`pizza ${at}`, title, lines("toppings", at));
  element.classList.toggle("current", !isAlone && at === current);
  const ways = element.querySelector<HTMLElement>(".ways") ?? el("p", { class: "ways" },
    way(t("Change"), at, () => {
      turnTo(at);
      goToForm();
    }),
    way(t("Remove"), at, () => void remove(at)));
  ways.hidden = isAlone;
  if (!ways.isConnected) element.append(ways);
  return element;
}

function way(label: string, at: number, act: () => void): HTMLElement {
  return button("", act, label, unseen(` ${t("Pizza {number}", { number: at + 1 })}`));
}

async function remove(at: number): Promise<void> {
  const question = t("Remove pizza {number}?", { number: at + 1 });
  if (!(await ask(question, t("Remove"), t("Keep it")))) return;
  letGo();
  removePizza(at);
  showChoices();
  showSummary();
}

function group(key: string, title: string, rows: readonly HTMLElement[]): HTMLElement {
  const element = elements.get(key) ?? el("section", {}, el("h3"), el("ul"));
  elements.set(key, element);
  const [heading, list] = [element.querySelector("h3"), element.querySelector("ul")];
  if (heading !== null) setText(heading, title);
  if (list !== null) arrange(list, rows);
  return element;
}

/** Of a pizza, or of the drinks: what is chosen and what was just taken off, in its old place. */
function lines(kind: ExtraKind, at: number): HTMLElement[] {
  const prefix = `${kind} ${at} `;
  const ids = chosen(kind, at);
  const list = elements.get(kind === "toppings" ? `pizza ${at}` : "drinks")?.querySelector("ul");
  const shown = [...list?.children ?? []].map((one) => one.getAttribute("data-id") ?? "");
  const stay = shown.filter((id) => ids.includes(id) || held.has(prefix + id));
  return [...new Set([...stay, ...ids])].map((id) => lineElement(kind, at, id));
}

function lineElement(kind: ExtraKind, at: number, id: string): HTMLElement {
  const key = `${kind} ${at} ${id}`;
  const { name } = menu[kind].get(id) ?? { name: id };
  const times = () => chosen(kind, at).filter((one) => one === id).length;
  let element = elements.get(key);
  if (element === undefined) {
    const act = () => {
      if (times() === 0) addOne(kind, id, at);
      else takeOne(kind, id, at);
      held.add(key);
      sayCount(kind, id, at);
      showChoices();
      showSummary();
    };
    element = el("li", { "data-id": id }, el("span"), button("less", act));
    elements.set(key, element);
  }
  const count = times();
  const [text, less] = element.children;
  const soldOut = isSoldOut(kind, id) ? ` (${t("sold out")})` : "";
  const told = count > 1 ? t("{number}× {name}", { number: count, name }) : name;
  if (text) setText(text, told + soldOut);
  if (less) {
    setText(less, count === 0 ? "+" : "−");
    less.setAttribute("aria-label", count === 0 ? t("Put {name} back", { name })
      : t("One {name} less", { name }));
  }
  element.classList.toggle("gone", count === 0);
  return element;
}

/** Shows the pizza that is current now, from its size on. */
function goToForm(): void {
  fold(false);
  letGo();
  showChoices();
  showSummary();
  part("which").scrollIntoView({ block: "start" });
  part("sizes-title").focus({ preventScroll: true });
}

function fold(isOpen: boolean): void {
  bar.classList.toggle("open", isOpen);
  unfold.ariaExpanded = String(isOpen);
}

/** Folds the bar, and begins the next pizza at its size. */
function another(): void {
  addPizza();
  goToForm();
}

onClick("unfold", () => {
  fold(unfold.ariaExpanded !== "true");
  letGo();
  showSummary();
});
for (const id of ["another", "another-here"]) onClick(id, another);
bar.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") fold(false);
});

const colours = [
  "#b8321f", "#3f7a45", "#f7eedb", "#7a4a2a", "#8d3a5e", "#e2a63b", "#2b2320", "#6f8f3a", "#c9683f",
];
/** The golden angle spreads any number of pieces evenly, and each new one beside the last. */
const goldenAngle = Math.PI * (3 - Math.sqrt(5));

/** Purely an ornament: the summary beside it says the same. `width` is from 0 to 1. */
function drawPizza(where: Element, width: number, toppings: readonly string[]): void {
  const radius = 30 + 18 * width;
  const total = Math.min(toppings.length * 9, 120);
  const pieceRadius = Math.max(1.2, 3.4 - total / 60);
  const pieces = Array.from({ length: total }, (_, index) => {
    const distance = radius * 0.78 * Math.sqrt((index + 0.5) / total);
    const angle = index * goldenAngle;
    return circle(50 + distance * Math.cos(angle), 50 + distance * Math.sin(angle), pieceRadius,
      colourOf(toppings[index % toppings.length] ?? ""));
  });
  where.replaceChildren(
    circle(50, 50, radius, "#d98a2b"), circle(50, 50, radius * 0.92, "#f3d18a"), ...pieces);
}

function circle(x: number, y: number, radius: number, fill: string): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  element.setAttribute("cx", x.toFixed(1));
  element.setAttribute("cy", y.toFixed(1));
  element.setAttribute("r", radius.toFixed(1));
  element.setAttribute("fill", fill);
  return element;
}

function colourOf(id: string): string {
  const hash = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  return colours[hash % colours.length] ?? "";
}
