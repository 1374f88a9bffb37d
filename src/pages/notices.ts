/**
 * Short news in a row of their own at the foot, which covers nothing: each for ten seconds, some
 * with a way to undo what they tell. None moves while it is there, but the oldest makes room.
 */

import { button, el, part } from "./dom.ts";
import { t } from "./words.ts";

/** How long an undo can be had. */
export const shownForMs = 10_000;

/** Narrower, a line with its button is cut off. */
const placePx = 300;

/** By place from the row's beginning. */
const places = new Map<number, HTMLElement>();

/** Returns the button that undoes it, if there is one. */
export function notify(text: string, undo?: () => void): HTMLElement | undefined {
  const line = el("div", { class: "notice" }, el("span", {}, text));
  const drop = () => {
    const hadFocus = line.contains(document.activeElement);
    line.remove();
    for (const [place, one] of places) if (one === line) places.delete(place);
    if (hadFocus) document.querySelector<HTMLElement>("[aria-current=true]")?.focus();
  };
  const way = undo && button("undo", () => {
    drop();
    undo();
  }, t("Undo"));
  if (way) line.append(way);
  putIn(freePlace(), line);
  part("notices").append(line);
  setTimeout(drop, shownForMs);
  return way;
}

/** The latest stands last in the document, wherever its place is. */
export function undoLatest(): void {
  [...part("notices").querySelectorAll("button")].at(-1)?.click();
}

/** In sight: the oldest one there moves behind the others, where it can be scrolled to. */
function freePlace(): number {
  const inSight = Math.max(1, Math.floor(part("notices").clientWidth / placePx));
  for (let place = 0; place < inSight; place += 1) if (!places.has(place)) return place;
  const lines = [...part("notices").children];
  const [place, oldest] = [...places].filter(([at]) => at < inSight)
    .sort(([, a], [, b]) => lines.indexOf(a) - lines.indexOf(b))[0] ?? [0];
  if (oldest !== undefined) putIn(Math.max(...places.keys()) + 1, oldest);
  return place;
}

function putIn(place: number, line: HTMLElement): void {
  places.set(place, line);
  line.style.gridColumn = String(place + 1);
}
