/**
 * The menu to choose from, the search in it, and what is chosen, pizza by pizza. Nothing moves when
 * something is chosen: a row has its place for the count and for − from the beginning, and a line
 * that was taken off keeps its place, with a + to bring it back, until something else is done. On a
 * phone what is chosen unfolds from the bar at the foot; where there is room it stands beside the
 * menu.
 */

import {
  addPizza, basket, choose, chooseSize, chosen, mostOfAKind, mostPizzas, pizza, removePizza, turnTo,
} from "./basket.ts";
import type { ExtraKind } from "./basket.ts";
import { isStaff } from "./api.ts";
import { arrange, ask, button, byId, el, onClick, part, setText, unseen } from "./dom.ts";
import { isSoldOut, menu, notesOn } from "./model.ts";
import type { Beverage, MenuItem, MenuKind, PizzaSize, Topping } from "./model.ts";
import { number, plain, t } from "./words.ts";

/** Of one item; it stays the same element, and keeps the focus, whatever becomes of the item. */
interface Row<T> {
  readonly element: HTMLElement;
  show(item: T): void;
}

const sizes = new Map<string, Row<PizzaSize>>();
const extras = new Map<string, Row<Topping | Beverage>>();
const search = byId("search", HTMLInputElement);
const diets = { isVegetarian: part("vegetarian"), isVegan: part("vegan") };
/** Of what is chosen, lines and pizzas by where they stand: each is made once. */
const elements = new Map<string, HTMLElement>();
/** Lines that were taken off and keep their places. */
const held = new Set<string>();
let tell: () => void = () => undefined;

/** `told` is called after everything that is chosen here. */
export function onChoice(told: () => void): void {
  tell = told;
}

/** Whether this person may order it: staff know better than the list of what is sold out. */
export function canOrder(kind: MenuKind, id: string): boolean {
  return isStaff() || !isSoldOut(kind, id);
}

/** Shows the menu, and on it and beside it what is chosen. */
export function showForm(): void {
  const bySize = [...menu.pizzasizes.values()]
    .sort((a, b) => a.diameterInInches - b.diameterInInches);
  arrange(part("sizes"), bySize.map((size) => rowOf(sizes, size.id, size, sizeRow)));
  let found = 0;
  for (const kind of ["toppings", "beverages"] as const) {
    const items = [...menu[kind].values()];
    arrange(part(kind), items.map((item) =>
      rowOf(extras, `${kind}/${item.id}`, item, () => extraRow(kind, item.id))));
    const wanted = items.filter(isWanted).length;
    part(`${kind}-section`).hidden = wanted === 0;
    found += wanted;
  }
  const isNarrowed = search.value.trim() !== ""
    || Object.values(diets).some(({ ariaPressed }) => ariaPressed === "true");
  setText(part("found"), !isNarrowed ? "" : found === 0 ? t("Nothing on the menu is called that.")
    : t("{count} found", { count: found }));
  showChosen();
}

/** After something was done elsewhere than in a line: what was taken off there loses its place. */
function done(): void {
  held.clear();
  showForm();
  tell();
}

function timesOf(kind: ExtraKind, id: string, at?: number): number {
  return chosen(kind, at).filter((one) => one === id).length;
}

/** One more of an item, or one less; told also to those who do not see the count. */
function add(kind: ExtraKind, id: string, by: 1 | -1, at?: number): void {
  const ids = chosen(kind, at);
  if (by > 0 && (ids.length >= mostOfAKind || !canOrder(kind, id))) return;
  const last = ids.lastIndexOf(id);
  choose(kind, by > 0 ? [...ids, id] : ids.filter((_, index) => index !== last), at);
  const { name } = menu[kind].get(id) ?? { name: id };
  setText(part("said"), t("{name}: {number}", { name, number: timesOf(kind, id, at) }));
}

function rowOf<T>(
  rows: Map<string, Row<T>>, key: string, item: T, make: (item: T) => Row<T>,
): HTMLElement {
  const row = rows.get(key) ?? make(item);
  rows.set(key, row);
  row.show(item);
  return row.element;
}

function sizeRow({ id }: PizzaSize): Row<PizzaSize> {
  const radio = el("input", { type: "radio", name: "size" });
  radio.addEventListener("change", () => {
    chooseSize(id);
    done();
  });
  const disc = el("span", { class: "disc" });
  const what = el("b");
  const note = el("span", { class: "note" });
  const element = el("label", {}, radio, el("span", { class: "table" }, disc), what, note);
  const show = (size: PizzaSize) => {
    radio.checked = pizza().size === id;
    radio.disabled = !canOrder("pizzasizes", id);
    element.classList.toggle("sold-out", isSoldOut("pizzasizes", id));
    setText(what, size.name);
    setText(note, isSoldOut("pizzasizes", id) ? t("sold out") : notesOn(size));
    disc.style.setProperty("--width", String(relativeWidth(size)));
  };
  return { element, show };
}

function extraRow(kind: ExtraKind, id: string): Row<Topping | Beverage> {
  const what = new Text();
  const count = el("b", { class: "count" });
  const note = el("span", { class: "note" });
  const more = button("more", () => {
    add(kind, id, 1);
    done();
  }, unseen(`${t("Add")} `), el("span", { class: "name" }, what, " ", note), count);
  const less = button("less", () => {
    add(kind, id, -1);
    if (timesOf(kind, id) === 0) more.focus({ preventScroll: true });
    done();
  }, "−");
  const element = el("li", {}, more, less);
  const show = (item: Topping | Beverage) => {
    const times = timesOf(kind, id);
    const soldOut = isSoldOut(kind, id);
    element.hidden = !isWanted(item);
    setText(what, item.name);
    setText(count, times === 0 ? "+" : `${number(times)}×`);
    setText(note, soldOut ? t("sold out") : notesOn(item));
    note.className = `note ${soldOut ? "" : dietOf(item)}`;
    element.classList.toggle("chosen", times > 0);
    element.classList.toggle("sold-out", soldOut);
    more.setAttribute("aria-disabled", String(!canOrder(kind, id)));
    less.setAttribute("aria-label", t("One {name} less", { name: item.name }));
    less.classList.toggle("away", times === 0);
  };
  return { element, show };
}

function dietOf(item: MenuItem): string {
  if (!("isVegan" in item)) return "";
  return item.isVegan ? "vegan" : item.isVegetarian ? "vegetarian" : "";
}

/** A size's diameter between the smallest (0) and the largest (1) on the menu. */
function relativeWidth({ diameterInInches }: PizzaSize): number {
  const all = [...menu.pizzasizes.values()].map((size) => size.diameterInInches);
  const least = Math.min(...all);
  return (diameterInInches - least) / (Math.max(...all) - least || 1);
}

/** Whether the search and the two switches leave it over. */
function isWanted(item: MenuItem): boolean {
  return plain(search.value).split(/\s+/).every((word) => plain(item.name).includes(word))
    && Object.entries(diets).every(([field, { ariaPressed }]) =>
      ariaPressed !== "true" || !(field in item) || item[field as keyof MenuItem]);
}

function showChosen(): void {
  const { pizzas, current, beverages } = basket;
  const [at, total] = [current + 1, pizzas.length];
  part("which").hidden = total === 1;
  setText(part("which"), t("Pizza {number} of {total}", { number: at, total }));
  part("another").hidden = total >= mostPizzas;
  const drinks = lines("beverages", 0);
  arrange(part("chosen-list"), [
    ...pizzas.map((_, index) => pizzaElement(index)),
    ...(drinks.length === 0 ? [] : [group("drinks", t("Drinks"), drinks)]),
  ]);
  const { size, toppings } = pizza();
  const chosenSize = menu.pizzasizes.get(size);
  const which = total === 1 ? "" : `${t("Pizza {number}", { number: at })}: `;
  setText(part("short"), which + [
    chosenSize?.name ?? t("No size yet"), t("{count} toppings", { count: toppings.length }),
    ...(beverages.length === 0 ? [] : [t("{count} drinks", { count: beverages.length })]),
  ].join(" · "));
  setText(part("place"), t("Order {count} pizzas", { count: total }));
  drawPizza(chosenSize === undefined ? 0.5 : relativeWidth(chosenSize), toppings);
}

function pizzaElement(at: number): HTMLElement {
  const { pizzas, current } = basket;
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
  removePizza(at);
  done();
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
  const ids = chosen(kind, at);
  const list = elements.get(kind === "toppings" ? `pizza ${at}` : "drinks")?.querySelector("ul");
  const shown = [...list?.children ?? []].map((one) => one.getAttribute("data-id") ?? "");
  const stay = shown.filter((id) => ids.includes(id) || held.has(`${kind} ${at} ${id}`));
  return [...new Set([...stay, ...ids])].map((id) => lineElement(kind, at, id));
}

function lineElement(kind: ExtraKind, at: number, id: string): HTMLElement {
  const key = `${kind} ${at} ${id}`;
  const { name } = menu[kind].get(id) ?? { name: id };
  const act = () => {
    add(kind, id, timesOf(kind, id, at) === 0 ? 1 : -1, at);
    held.add(key);
    showForm();
    tell();
  };
  const element = elements.get(key) ?? el("li", { "data-id": id }, el("span"), button("less", act));
  elements.set(key, element);
  const count = timesOf(kind, id, at);
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
  done();
  part("which").scrollIntoView({ block: "start" });
  part("sizes-title").focus({ preventScroll: true });
}

function fold(isOpen: boolean): void {
  part("basket").classList.toggle("open", isOpen);
  part("unfold").ariaExpanded = String(isOpen);
}

search.addEventListener("input", showForm);
for (const toggle of Object.values(diets)) {
  toggle.addEventListener("click", () => {
    toggle.ariaPressed = String(toggle.ariaPressed !== "true");
    showForm();
  });
}
onClick("unfold", () => {
  fold(part("unfold").ariaExpanded !== "true");
  held.clear();
  showForm();
});
for (const id of ["another", "another-here"]) {
  onClick(id, () => {
    addPizza();
    goToForm();
  });
}
part("basket").addEventListener("keydown", ({ key }) => {
  if (key === "Escape") fold(false);
});

const colours = [
  "#b8321f", "#3f7a45", "#f7eedb", "#7a4a2a", "#8d3a5e", "#e2a63b", "#2b2320", "#6f8f3a", "#c9683f",
];
/** The golden angle spreads any number of pieces evenly, and each new one beside the last. */
const goldenAngle = Math.PI * (3 - Math.sqrt(5));

/** Purely an ornament: the words beside it say the same. `width` is from 0 to 1. */
function drawPizza(width: number, toppings: readonly string[]): void {
  const radius = 30 + 18 * width;
  const total = Math.min(toppings.length * 9, 120);
  const pieceRadius = Math.max(1.2, 3.4 - total / 60);
  const pieces = Array.from({ length: total }, (_, index) => {
    const distance = radius * 0.78 * Math.sqrt((index + 0.5) / total);
    const angle = index * goldenAngle;
    return circle(50 + distance * Math.cos(angle), 50 + distance * Math.sin(angle), pieceRadius,
      colourOf(toppings[index % toppings.length] ?? ""));
  });
  document.querySelector("#basket svg")?.replaceChildren(
    circle(50, 50, radius, "#d98a2b"), circle(50, 50, radius * 0.92, "#f3d18a"), ...pieces);
}

function circle(x: number, y: number, radius: number, fill: string): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  const values = { cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1), fill };
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, value);
  return element;
}

function colourOf(id: string): string {
  const hash = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  return colours[hash % colours.length] ?? "";
}
