/**
 * What is chosen, pizza by pizza, each line with its −. On a phone it unfolds from the bar at the
 * foot; where there is room it stands beside the menu. A line that was taken off keeps its place,
 * with a + to bring it back, until something else is done: no other comes under the finger.
 */

import {
  addPizza, basket, chosen, pizza, removePizza, turnTo, type ExtraKind,
} from "./basket.ts";
import { arrange, ask, button, el, onClick, part, setText, unseen } from "./dom.ts";
import { isSoldOut, menu, notesOn } from "./menu.ts";
import { addOne, relativeWidth, sayCount, showChoices, takeOne } from "./order-form.ts";
import { t } from "./words.ts";

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
