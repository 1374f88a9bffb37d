/**
 * The columns around the cards: how many there are in each, which one is chosen, where a card is
 * that waits out of sight, and what is to be made. Digits work as on a kitchen's bump bar: each
 * moves that card of the chosen column on; a narrow screen shows the chosen column alone.
 */

import { device, isOn } from "./device.ts";
import { el, onClick, part, setChildren, setText, unseen } from "./dom.ts";
import { menuKinds, parts, tally } from "./model.ts";
import type { Order } from "./model.ts";
import { undoLastMove } from "./moves.ts";
import { t } from "./words.ts";

const columns = [...document.querySelectorAll<HTMLElement>(".column")].map((element) => ({
  element,
  head: only(element, "h2 button"),
  amount: only(element, ".amount"),
  below: only(element, ".below"),
  list: only(element, "ol"),
}));
/** How much of a card has to be seen for it to count as in sight: its number, mostly. */
const headPx = 40;
let chosen = 0;

choose(0);
showKeys();
device.addEventListener("change", showKeys);
addEventListener("resize", showBelow);
for (const [index, { element, head, below, list }] of columns.entries()) {
  for (const kind of ["focusin", "pointerdown"]) {
    element.addEventListener(kind, () => { choose(index); });
  }
  head.addEventListener("click", () => { choose(index); });
  list.addEventListener("scroll", showBelow, { passive: true });
  below.addEventListener("click", () => {
    list.scrollBy({ top: list.clientHeight - headPx, behavior: "smooth" });
  });
}
addEventListener("keydown", pressed);
onClick("to-make-more", () => {
  const isOpen = part("to-make").classList.toggle("open");
  part("to-make-more").setAttribute("aria-expanded", String(isOpen));
});

/** `none`: what the head of an empty column says. */
export function showColumns(orders: readonly Order[], none: string): void {
  for (const { element, amount, list } of columns) {
    const { childElementCount } = list;
    element.classList.toggle("has-cards", childElementCount > 0);
    setText(amount, childElementCount > 0 ? String(childElementCount) : none);
  }
  showBelow();
  showCounts(orders);
}

/** How many cards of a column are below what is in sight: at once, or as it is scrolled. */
function showBelow(): void {
  for (const { below, list } of columns) {
    const bottom = list.scrollTop + list.clientHeight;
    const count = [...list.children].filter((card) =>
      card instanceof HTMLElement && card.offsetTop + headPx > bottom).length;
    below.classList.toggle("none", count === 0 || list.scrollHeight <= list.clientHeight);
    const seen = el("span", { "aria-hidden": "true" }, `↓ ${count}`);
    setChildren(below, [seen, unseen(t("{count} more below", { count }))]);
  }
}

/** What is to be made, over all orders that are Pending or Preparing. */
function showCounts(orders: readonly Order[]): void {
  const toMake = orders.filter(({ status }) => status === "Pending" || status === "Preparing");
  const counts = menuKinds.map((_, at) => tally(toMake.flatMap((order) => parts(order)[at] ?? []))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name)));
  setChildren(part("to-make-counts"), menuKinds.map((kind, at) =>
    el("ul", { class: kind }, ...(counts[at] ?? []).map(({ name, count }) =>
      el("li", {}, el("bdi", {}, el("b", {}, `${count}×`), ` ${name}`))))));
}

function pressed(event: KeyboardEvent): void {
  // Held, it would press what takes the focus, card after card.
  if (event.repeat && event.key === "Enter") event.preventDefault();
  const { hidden } = part("orders");
  if (!isOn("keys") || hidden || !part("access").hidden || !isPlain(event)) return;
  const toTheLeft = document.dir === "rtl" ? 1 : -1;
  const card = columns[chosen]?.list.children[digitOf(event) - 1];
  if (card) card.querySelector<HTMLElement>(".main")?.click();
  else if (event.key === "ArrowLeft") step(toTheLeft);
  else if (event.key === "ArrowRight") step(-toTheLeft);
  else if (event.key.toLowerCase() === "u") void undoLastMove();
}

/** Its head takes the focus: it comes into view, is read out, and Tab goes on from there. */
function step(by: number): void {
  columns.at((chosen + by) % columns.length)?.head.focus();
}

function choose(index: number): void {
  chosen = index;
  for (const [at, { element, head }] of columns.entries()) {
    element.classList.toggle("chosen", at === chosen);
    head.setAttribute("aria-pressed", String(at === chosen));
  }
}

function showKeys(): void {
  document.body.classList.toggle("with-keys", isOn("keys"));
}

/** Not part of a browser's shortcut, of a held key's repetition, or of what is being typed. */
function isPlain({ target, repeat, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  const typing = target instanceof Element && target.closest("input, textarea, dialog") !== null;
  return !typing && !repeat && !ctrlKey && !altKey && !metaKey;
}

/** By place on the keyboard too: where digits are shifted (AZERTY) the key is another sign. */
function digitOf({ key, code }: KeyboardEvent): number {
  return Number(/^[1-9]$/.exec(key)?.[0] ?? /^Digit([1-9])$/.exec(code)?.[1]);
}

function only(parent: Element, selector: string): HTMLElement {
  const element = parent.querySelector<HTMLElement>(selector);
  if (element === null) throw new Error(`the column has no ${selector}`);
  return element;
}
