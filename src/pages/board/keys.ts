/** Keys, and presses that close what is open. */

import { type Card, columnsOf, mainMove } from "./cards.ts";
import { isGuarded } from "./guard.ts";
import { moveOrders, undoLatest } from "./moves.ts";
import { stages } from "./orders.ts";
import { closePopup } from "./popup.ts";
import { canAct, saveSettings, set, state } from "./state.ts";

export function listenForKeys(): void {
  addEventListener("keydown", pressed);
  addEventListener("pointerdown", pressedElsewhere);
  addEventListener("pointerdown", chooseColumn);
  addEventListener("focusin", chooseColumn);
}

function pressed(event: KeyboardEvent): void {
  if (event.key === "Escape") return stepBack(event);
  const { target } = event;
  if (target instanceof Element && target.closest(".popup")) return stepInPopup(event);
  // Held, it would press what takes the focus, card after card.
  if (event.repeat && event.key === "Enter") event.preventDefault();
  const { tab, settings: { usesKeys }, chosen } = state();
  if (!usesKeys || tab !== "orders" || !canAct(state()) || !isPlain(event)) return;
  const digit = digitOf(event);
  const card = columnsOf(state())[chosen][digit - 1];
  const toTheLeft = document.dir === "rtl" ? 1 : -1;
  if (card !== undefined) pressCard(card, digit - 1);
  else if (event.key === "ArrowLeft") step(toTheLeft);
  else if (event.key === "ArrowRight") step(-toTheLeft);
  else if (event.key.toLowerCase() === "u") void undoLatest();
  else return;
  set({ withKeys: true });
}

/** Unless another order had that number just now. */
function pressCard({ stage, ...card }: Card, at: number): void {
  const element = document.querySelector(`.cards[data-stage="${stage}"]`)?.children[at];
  if (element && !isGuarded(element)) moveOrders(...mainMove({ stage, ...card }));
}

/** Closes what is open; then a column that is alone. */
function stepBack({ target }: Event): void {
  const { isSumsOpen, popup, dialog } = state();
  const isElsewhere = dialog !== undefined || (target as Element).closest("dialog, input");
  if (!isSumsOpen && popup === undefined && !isElsewhere) saveSettings({ alone: "" });
  set({ isSumsOpen: false });
  closePopup();
}

/** The head takes the focus: it comes into view, is read out, and Tab goes on from there. */
function step(by: number): void {
  const next = (stages.indexOf(state().chosen) + by + stages.length) % stages.length;
  const chosen = stages[next] ?? "Pending";
  set({ chosen });
  if (state().settings.alone !== "") saveSettings({ alone: chosen });
  document.getElementById(`column-${next}`)?.focus();
}

function stepInPopup(event: KeyboardEvent): void {
  if (event.key === "Tab") return closePopup();
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  const items = [...document.querySelectorAll<HTMLElement>(".popup button")];
  const at = items.findIndex((item) => item === document.activeElement);
  items.at((at + by) % items.length)?.focus();
}

/** Not part of a browser's shortcut, of a held key, or of what is being typed. */
function isPlain({ target, repeat, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  const typing = target instanceof Element && target.closest("input, textarea, dialog") !== null;
  return !typing && !repeat && !ctrlKey && !altKey && !metaKey;
}

/** By place on the keyboard too: where digits are shifted (AZERTY) the key is another sign. */
function digitOf({ key, code }: KeyboardEvent): number {
  return Number(/^[1-9]$/.exec(key)?.[0] ?? /^Digit([1-9])$/.exec(code)?.[1]);
}

function pressedElsewhere({ target }: Event): void {
  const element = target instanceof Element ? target : undefined;
  if (element?.closest(".popup, .more") === null) closePopup();
  if (element?.closest(".sums") === null) set({ isSumsOpen: false });
  set({ withKeys: false });
}

/** Number keys work in the column in which something was done last. */
function chooseColumn({ target }: Event): void {
  const list = target instanceof Element ? target.closest(".column")?.querySelector("ol") : null;
  const chosen = stages.find((stage) => stage === list?.dataset["stage"]);
  if (chosen !== undefined) set({ chosen });
}
