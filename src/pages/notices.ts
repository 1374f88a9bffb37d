/**
 * Short news at the foot of the board, each for ten seconds, some with a way to undo what it
 * tells.
 */

import { button, el, part } from "./dom.ts";

/** How long an undo can be had. */
export const shownForMs = 10_000;

/** Returns the button that undoes it, if there is one. */
export function notify(text: string, undo?: () => void): HTMLElement | undefined {
  const line = el("div", {}, el("span", {}, text));
  const drop = () => {
    const hadFocus = line.contains(document.activeElement);
    line.remove();
    if (hadFocus) document.querySelector<HTMLElement>("[aria-current=true]")?.focus();
  };
  const way = undo && button("undo", () => {
    drop();
    undo();
  }, "Undo");
  if (way) line.append(way);
  // The newest stands first, and by the style sheet at the foot, where it stays in view.
  part("notices").prepend(line);
  setTimeout(drop, shownForMs);
  return way;
}

export function undoLatest(): void {
  part("notices").querySelector("button")?.click();
}
