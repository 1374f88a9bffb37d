/**
 * Number keys as on a kitchen's bump bar: a digit moves that card of the chosen column on. They
 * can be switched off, as single keys must be (WCAG 2.2, 2.1.4).
 */

import { part } from "./dom.ts";
import { undoLastMove } from "./moves.ts";
import { Switch } from "./switch.ts";

const columns = [...document.querySelectorAll(".column")];
const keys = new Switch("keys", () => { choose(chosen); });
let chosen = 0;

choose(0);
columns.forEach((column, index) => {
  for (const kind of ["focusin", "pointerdown"]) {
    column.addEventListener(kind, () => { choose(index); });
  }
});
addEventListener("keydown", (event) => {
  // Held, it would press what takes the focus, card after card.
  if (event.repeat && event.key === "Enter") event.preventDefault();
  if (!keys.on || part("orders").hidden || !part("access").hidden || !isPlain(event)) return;
  const card = columns[chosen]?.querySelectorAll(".card")[digitOf(event) - 1];
  if (card) card.querySelector<HTMLElement>(".main")?.click();
  else if (event.key === "ArrowLeft") step(-1);
  else if (event.key === "ArrowRight") step(1);
  else if (event.key.toLowerCase() === "u") void undoLastMove();
});

/** Its heading takes the focus: it comes into view, is read out, and Tab goes on from there. */
function step(by: number): void {
  columns.at((chosen + by) % columns.length)?.querySelector("h2")?.focus();
}

function choose(index: number): void {
  chosen = index;
  columns.forEach((column, at) => column.classList.toggle("chosen", keys.on && at === chosen));
}

/** Not part of a browser's shortcut, of a held key's repetition, or of what is being typed. */
function isPlain({ target, repeat, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  const typing = target instanceof Element && target.matches("input, textarea");
  return !typing && !repeat && !ctrlKey && !altKey && !metaKey;
}

/** By place on the keyboard too: where digits are shifted (AZERTY) the key is another sign. */
function digitOf({ key, code }: KeyboardEvent): number {
  return Number(/^[1-9]$/.exec(key)?.[0] ?? /^Digit([1-9])$/.exec(code)?.[1]);
}
