/**
 * Short news at the foot of the board, each for ten seconds, some with a way to undo what it
 * tells.
 */

import { button, el, part } from "./dom.ts";

const shownForMs = 10_000;

export function notify(text: string, undo?: () => void): void {
  const line = el("div", {}, el("span", {}, text));
  if (undo !== undefined) {
    line.append(button("undo", () => {
      line.remove();
      undo();
    }, "Undo"));
  }
  part("notices").append(line);
  setTimeout(() => { line.remove(); }, shownForMs);
}

export function undoLatest(): void {
  [...part("notices").querySelectorAll("button")].at(-1)?.click();
}
