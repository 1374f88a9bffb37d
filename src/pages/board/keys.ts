/** Keys, and presses that close what is open. */

import { closePopup } from "./effects.ts";
import { moveTo, undoLatest } from "./moves.ts";
import { inStage, stages } from "./orders.ts";
import { waysFrom } from "./orders-tab.ts";
import { set, state } from "./state.ts";

export function listenForKeys(): void {
  addEventListener("keydown", pressed);
  addEventListener("pointerdown", pressedElsewhere);
  addEventListener("pointerdown", chooseColumn);
  addEventListener("focusin", chooseColumn);
}

function pressed(event: KeyboardEvent): void {
  if (event.key === "Escape") {
    set({ isSumsOpen: false });
    return closePopup();
  }
  const { target } = event;
  if (target instanceof Element && target.closest(".popup")) return stepInPopup(event);
  // Held, it would press what takes the focus, card after card.
  if (event.repeat && event.key === "Enter") event.preventDefault();
  const { tab, settings: { usesKeys }, isStaff, chosen, orders } = state();
  if (!usesKeys || tab !== "orders" || !isStaff || !isPlain(event)) return;
  const one = inStage(orders, chosen)[digitOf(event) - 1];
  const toTheLeft = document.dir === "rtl" ? 1 : -1;
  if (one !== undefined) moveTo(one.order.id, waysFrom[one.stage].buttons[0][0]);
  else if (event.key === "ArrowLeft") step(toTheLeft);
  else if (event.key === "ArrowRight") step(-toTheLeft);
  else if (event.key.toLowerCase() === "u") void undoLatest();
  else return;
  set({ withKeys: true });
}

/** The head takes the focus: it comes into view, is read out, and Tab goes on from there. */
function step(by: number): void {
  const next = (stages.indexOf(state().chosen) + by + stages.length) % stages.length;
  set({ chosen: stages[next] ?? "Pending" });
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
