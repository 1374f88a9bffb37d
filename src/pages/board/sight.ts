/** Which columns go on below what is in sight. */

import type { Status } from "../shared/types.ts";
import { set, state } from "./state.ts";
import { openStatuses } from "./statuses.ts";

/** The browser reports the last cards. Measuring would lay out every card at each draw. */
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) isInSight.set(target, isIntersecting);
  noteSight();
  // A card counts once its number is in sight.
}, { scrollMargin: "0px 0px -40px" });

const isInSight = new WeakMap<Element, boolean>();

/** Called after each draw. */
export function noteSight(): void {
  const goesOn = openStatuses.filter((column) => {
    const last = listOf(column)?.lastElementChild;
    if (!last) return false;
    sight.observe(last);
    return isInSight.get(last) === false;
  });
  if (goesOn.join() !== state().goesOn.join()) set({ goesOn });
}

/** Where the focus goes when what had it has left a column. */
export function focusColumn(column: Status): void {
  listOf(column)?.focus({ preventScroll: true });
}

/** The newest are at the end. */
export function scrollToEnd(column: Status): void {
  const list = listOf(column);
  list?.scrollTo({ top: list.scrollHeight, behavior: "smooth" });
}

function listOf(column: Status): HTMLElement | null {
  return document.querySelector(`.cards[data-status="${column}"]`);
}
